package kubernetes

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes/login"
)

const kubeconfigText = `
apiVersion: v1
kind: Config
current-context: edge
contexts:
- {name: edge, context: {cluster: lab, user: nfv, namespace: cnf}}
- {name: other, context: {cluster: lab, user: other}}
clusters:
- {name: lab, cluster: {server: "https://192.0.2.7:6443", certificate-authority-data: CERT}}
users:
- {name: nfv, user: {client-certificate-data: CERT, client-key-data: KEY}}
- {name: other, user: {token: s3cr3t, exec: {command: evil, apiVersion: client.authentication.k8s.io/v1}}}
`

func TestReadKubeconfig_takesTheCurrentContextApart(t *testing.T) {
	cert, key := certificate(t, "nfv")
	encoded := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	text := strings.NewReplacer("CERT", encoded(cert), "KEY", encoded(key)).Replace(kubeconfigText)
	read := func(vim lcm.Vim, change ...string) (lcm.Vim, map[string]any, error) {
		vim.Type = lcm.VimKubernetes
		return ReadKubeconfig(vim, map[string]any{"kubeconfig": strings.NewReplacer(change...).Replace(text)}, "$.vim")
	}
	vim, cred, err := read(lcm.Vim{})
	require.NoError(t, err)
	require.Equal(t, []any{"https://192.0.2.7:6443", "cnf"}, []any{vim.AuthURL, vim.Namespace()})
	want := map[string]any{"client_certificate": cert, "client_key": key, "ssl_ca_cert": cert}
	require.Equal(t, want, cred)
	require.Empty(t, login.CredentialProblems("$", cred))

	vim, _, err = read(lcm.Vim{AuthURL: "https://192.0.2.7:6443", Project: map[string]any{"name": "mine"}})
	require.NoError(t, err)
	require.Equal(t, "mine", vim.Namespace(), "what the request says goes first")

	_, cred, err = read(lcm.Vim{}, "certificate-authority-data: "+encoded(cert), "insecure-skip-tls-verify: true")
	require.NoError(t, err)
	require.Equal(t, "None", cred["ssl_ca_cert"])

	for said, change := range map[string][]string{
		"names a file (certificate-authority)": {"certificate-authority-data: " + encoded(cert), "certificate-authority: /etc/ca"},
		"names a file (client-key)":            {"client-key-data: " + encoded(key), "client-key: /root/key"},
		"has exec":                             {"current-context: edge", "current-context: other"},
		"no certificate-authority-data":        {", certificate-authority-data: " + encoded(cert), ""},
		"has proxy-url":                        {"server:", "proxy-url: http://p, server:"},
		"no current-context":                   {"current-context: edge", "current-context: none"},
		"does not describe the cluster":        {"cluster: lab, user: nfv", "cluster: gone, user: nfv"},
		"must be the text of a kubeconfig":     {"contexts:", "contexts: s3cr3t ["},
	} {
		_, _, err := read(lcm.Vim{}, change...)
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%s: %v", said, err)
		require.Contains(t, lcm.Sentence(err), said)
		require.NotContains(t, err.Error(), "s3cr3t")
	}
	_, _, err = read(lcm.Vim{AuthURL: "https://192.0.2.8:6443"})
	require.Contains(t, lcm.Sentence(err), "not for the VIM's auth_url")
	_, _, err = ReadKubeconfig(lcm.Vim{Type: lcm.VimKubernetes},
		map[string]any{"kubeconfig": text, "bearer_token": "s3cr3t"}, "$.vim")
	require.Contains(t, lcm.Sentence(err), "$.vim.auth_cred.kubeconfig: gives the same data as bearer_token: give one of them")
	_, _, err = ReadKubeconfig(lcm.Vim{Type: lcm.VimKubernetes}, map[string]any{"kubeconfig": 7}, "$.vim")
	require.True(t, lcm.Is(err, lcm.KindInvalid))
}
