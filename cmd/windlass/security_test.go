package main

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/openapi"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func secured(t *testing.T, c config.Config) (apiserver.Options, error) {
	t.Helper()
	o := apiserver.Options{Metrics: http.NotFoundHandler()}
	err := (&backends{config: c, log: slog.New(slog.DiscardHandler)}).secure(&o)
	return o, err
}

func TestSecure_makesWhatTheSettingsSay(t *testing.T) {
	o, err := secured(t, config.Config{Auth: config.Auth{Modes: []string{config.AuthNone}}})
	require.NoError(t, err)
	assert.Nil(t, o.Auth, "not an empty chain, which lets nobody in")
	assert.Empty(t, o.Security)
	assert.Nil(t, o.TLS)
	assert.NotNil(t, o.Metrics)

	password := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte(" with blanks \r\n"), 0o600))
	o, err = secured(t, config.Config{
		Auth: config.Auth{
			Modes:    []string{config.AuthMTLS, config.AuthKeystone, config.AuthOAuth2},
			MTLS:     config.AuthCertificates{Clients: "nfvo=edge/write"},
			Keystone: config.Keystone{PasswordFile: password},
		},
	})
	require.NoError(t, err)
	chain := o.Auth.(auth.Chain)
	require.Len(t, chain, 3)
	assert.IsType(t, &auth.OAuth2{}, chain[0])
	assert.Equal(t, " with blanks ", chain[1].(*auth.Keystone).Password)
	assert.Equal(t, map[string]auth.Grant{"nfvo": {Project: "edge", Scope: auth.ScopeWrite}},
		chain[2].(*auth.Certificates).Clients)
	assert.True(t, o.Security.Certificates)
	require.Len(t, o.Security.Schemes, 2)

	o, err = secured(t, config.Config{API: config.API{Metrics: config.MetricsOff}})
	require.NoError(t, err)
	assert.Nil(t, o.Metrics)
}

func TestDescribedAuth_namesWhereTokensComeFrom(t *testing.T) {
	issuer := config.OAuth2{Issuer: "https://sso.example/realms/nfv/", Audience: "windlass"}
	s := describedAuth(config.Auth{
		Modes: []string{config.AuthOAuth2, config.AuthKeystone}, OAuth2: issuer,
		Keystone: config.Keystone{URL: "https://keystone.example/v3", Username: "svc"},
	})
	assert.False(t, s.Certificates)
	require.Len(t, s.Schemes, 2)
	assert.Equal(t, openapi.TypeDiscovery, s.Schemes[0].Type)
	assert.Equal(t, "https://sso.example/realms/nfv/.well-known/openid-configuration", s.Schemes[0].DiscoveryURL)
	assert.Equal(t, "X-Auth-Token", s.Schemes[1].Header)
	assert.NotContains(t, s.Schemes[1].Description, "svc")

	issuer.JWKSURL = "https://sso.example/keys"
	s = describedAuth(config.Auth{Modes: []string{config.AuthOAuth2}, OAuth2: issuer})
	assert.Equal(t, openapi.TypeBearer, s.Schemes[0].Type)
	assert.Empty(t, s.Schemes[0].DiscoveryURL)
}

func TestSecure_saysWhatIsWrong(t *testing.T) {
	for name, c := range map[string]config.Config{
		"clients": {Auth: config.Auth{Modes: []string{config.AuthMTLS}, MTLS: config.AuthCertificates{Clients: "nfvo"}}},
		"password": {Auth: config.Auth{
			Modes:    []string{config.AuthKeystone},
			Keystone: config.Keystone{PasswordFile: "/absent"},
		}},
		"authorities": {Auth: config.Auth{Modes: []string{config.AuthOAuth2}, OAuth2: config.OAuth2{CAFile: "/absent"}}},
		"certificate": {API: config.API{TLS: config.TLS{CertFile: "/absent", KeyFile: "/absent"}}},
	} {
		_, err := secured(t, c)
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%s: %v", name, err)
	}
}
