package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/config"
)

func TestLoad_servesStrangersOnlyWhenTold(t *testing.T) {
	need := []config.Need{config.NeedAPI}
	for _, listen := range []string{"127.0.0.1:80", "127.0.1.1:80", "[::1]:80", "localhost:80", "[::ffff:127.0.0.1]:80"} {
		_, err := load(t, need, "--api-listen", listen)
		require.NoError(t, err, listen)
	}
	for _, listen := range []string{"0.0.0.0:80", ":80", "[::]:80", "192.0.2.1:80", "vnfm.example:80"} {
		_, err := load(t, need, "--api-listen", listen)
		require.Len(t, problems(t, err), 1, listen)
		require.Equal(t, "--api-listen", problems(t, err)[0].Path)
		require.Contains(t, problems(t, err)[0].Detail, "auth.noneAnywhere")
		_, err = load(t, need, "--api-listen", listen, "--auth-none-anywhere")
		require.NoError(t, err, listen)
	}
	c, err := load(t, need, "--api-listen=:80", "--auth-mode=mtls", "--auth-mtls-clients=nfvo=edge/write",
		"--api-tls-cert-file=c", "--api-tls-key-file=k", "--api-tls-client-ca-file=ca")
	require.NoError(t, err)
	assert.Equal(t, "https://127.0.0.1:80", c.API.Endpoint)
	assert.True(t, c.Auth.Has(config.AuthMTLS))
}

func TestLoad_wantsWhatAModeNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		paths []string
	}{
		"oauth2": {[]string{"--auth-mode=oauth2"}, []string{"auth.oauth2.issuer", "auth.oauth2.audience"}},
		"keystone": {
			[]string{"--auth-mode=keystone"},
			[]string{"auth.keystone.url", "auth.keystone.username", "auth.keystone.passwordFile"},
		},
		"mtls":     {[]string{"--auth-mode=mtls"}, []string{"api.tls.clientCaFile", "auth.mtls.clients"}},
		"both":     {[]string{"--auth-mode=keystone,none"}, []string{"--auth-mode"}},
		"unknown":  {[]string{"--auth-mode=basic"}, []string{"--auth-mode"}},
		"key only": {[]string{"--api-tls-key-file=k"}, []string{"api.tls.certFile"}},
		"no key":   {[]string{"--api-tls-cert-file=c"}, []string{"api.tls.keyFile"}},
		"issuer":   {[]string{"--auth-oauth2-issuer=id.example"}, []string{"--auth-oauth2-issuer"}},
		"metrics":  {[]string{"--api-metrics=some"}, []string{"--api-metrics"}},
		"password in the endpoint": {
			[]string{
				"--auth-mode=oauth2", "--auth-oauth2-issuer=https://id.example", "--auth-oauth2-audience=windlass",
				"--api-listen=:80", "--api-endpoint=http://u:hunter2@h",
			},
			[]string{"--api-endpoint"},
		},
		"tokens in clear": {
			[]string{
				"--auth-mode=oauth2", "--auth-oauth2-issuer=https://id.example", "--auth-oauth2-audience=windlass",
				"--api-listen=:80",
			},
			[]string{"api.endpoint"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, []config.Need{config.NeedAPI}, c.args...)
			assert.Equal(t, c.paths, places(t, err))
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
	_, err := load(t, []config.Need{config.NeedWorker}, "--config",
		file(t, "auth: {mode: oauth2}\napi: {listen: '0.0.0.0:80'}"))
	require.NoError(t, err, "a worker has nothing to do with it")
	_, err = load(t, []config.Need{config.NeedAPI}, "--auth-mode=oauth2", "--auth-oauth2-issuer=https://id.example",
		"--auth-oauth2-audience=windlass",
		"--api-listen=:80", "--api-endpoint=https://vnfm.example")
	require.NoError(t, err, "a proxy ends TLS")
}
