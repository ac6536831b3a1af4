package k8s_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

// withRegistries returns Tacker's request with these registries.
func withRegistries(list string) json.RawMessage {
	return json.RawMessage(strings.Replace(tackerRequest, `"vim_name"`,
		`"private_registry_connection_info": `+list+`, "vim_name"`, 1))
}

const seedRegistries = `[
	{"connection_type": "0", "server": "192.168.0.10:5000"},
	{"connection_type": 1, "server": "registry.example.com", "username": "user01", "password": "hunter2",
	 "certificate_path": "Files/registries/ca.crt", "hosts_string": "192.168.0.20   registry.example.com"}]`

func TestPrivateRegistries_areReadAsInTheSeed(t *testing.T) {
	p, problems := checked(withRegistries(seedRegistries), 3, 2)
	require.Empty(t, problems)
	require.Len(t, p.PrivateRegistries, 2)
	plain, tls := p.PrivateRegistries[0], p.PrivateRegistries[1]
	assert.Equal(t, "http://192.168.0.10:5000", plain.URL())
	assert.Equal(t, "https://registry.example.com", tls.URL(), "a number is as good as a string")
	assert.Equal(t, "registry.example.com", tls.AuthKey())
	assert.Equal(t, "192.168.0.20 registry.example.com", tls.HostsEntry())
	assert.Equal(t, "hunter2", tls.Password.Clear)

	hub := k8s.PrivateRegistry{ConnectionType: k8s.RegistryHTTPS, Server: "docker.io"}
	assert.Equal(t, "https://registry-1."+"docker.io", hub.URL())
	assert.Equal(t, "https://index.docker.io/v1/", hub.AuthKey())
}

func TestPrivateRegistries_everyMistakeIsToldAtOnce(t *testing.T) {
	_, problems := checked(withRegistries(`[
		{"server": "http://a.example.com"},
		{"connection_type": 2, "server": "a.example.com/v2", "username": "u"},
		{"connection_type": "0", "server": "[::1]:5000", "password": "hunter2", "certificate_path": "ca.crt"},
		{"connection_type": "1", "server": "registry", "username": "a:b", "password": "p", "certificate_path": "../ca.crt"},
		{"connection_type": "1", "server": "b.example.com:70000", "hosts_string": "b.example.com"},
		{"connection_type": "1", "server": "c.example.com", "hosts_string": "300.0.0.1 c.example.com"},
		{"connection_type": "1", "server": "d.example.com", "hosts_string": "10.0.0.1 d.example.com"},
		{"connection_type": "1", "server": "D.example.com", "hosts_string": "10.0.0.2 d.example.com"},
		{"connection_type": true, "server": 5, "host": "x"}, "e.example.com", {"connection_type": "0", "server": "e_f.example.com"}]`), 3, 2)
	assert.ElementsMatch(t, []string{
		"[0].connection_type", "[0].server", "[1].connection_type", "[1].server", "[1].password", "[2].server",
		"[2].username",
		"[2].certificate_path", "[3].server", "[3].username", "[3].certificate_path", "[4].server", "[4].hosts_string",
		"[5].hosts_string",
		"[7].server", "[7].hosts_string", "[8].connection_type", "[8].server", "[8].host", "[9]", "[10].server",
	}, relative(problems, "$.additionalParams.k8s_cluster_installation_param.private_registry_connection_info"))
	for _, p := range problems {
		assert.NotContains(t, p.Detail, "hunter2")
	}
	_, problems = checked(withRegistries(`{"server": "x"}`), 3, 2)
	assert.Equal(t, []string{""}, relative(problems,
		"$.additionalParams.k8s_cluster_installation_param.private_registry_connection_info"))
}

func relative(problems []lcm.Problem, prefix string) (out []string) {
	for _, p := range problems {
		out = append(out, strings.TrimPrefix(p.Path, prefix))
	}
	return out
}

func TestCheckRegistries_namesThePathsOfAModification(t *testing.T) {
	list, problems := k8s.CheckRegistries(json.RawMessage(seedRegistries))
	require.Empty(t, problems)
	require.Len(t, list, 2)
	_, problems = k8s.CheckRegistries(json.RawMessage(`[{"connection_type": "1", "server": ""}, 7]`))
	assert.Equal(t, []string{"[1]", "[0].server"}, relative(problems, lcm.RegistriesPath))
	for _, none := range []string{`null`, `[]`} {
		list, problems = k8s.CheckRegistries(json.RawMessage(none))
		assert.Empty(t, list)
		assert.Empty(t, problems)
	}
}

func TestCertificateProblem_wantsCertificatesOnly(t *testing.T) {
	assert.Contains(t, k8s.CertificateProblem([]byte("no PEM")), "PEM")
	assert.Contains(t, k8s.CertificateProblem([]byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")),
		"private key")
	assert.Contains(t, k8s.CertificateProblem([]byte("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")),
		"no certificate")
	assert.Contains(t, k8s.CertificateProblem([]byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")),
		"cannot be read")
}

// aCertificate returns a certificate in PEM.
func aCertificate(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestPrivateRegistries_takeTheCAInline(t *testing.T) {
	entry := func(connection, ca, path string) map[string]any {
		return map[string]any{
			"connection_type": connection, "server": "a" + connection + path + ".example.com",
			"ca_certificate": ca, "certificate_path": path,
		}
	}
	ca := aCertificate(t)
	doc, err := json.Marshal([]any{
		entry("1", ca, ""), entry("0", ca, ""), entry("1", ca, "ca.crt"), entry("1", "hunter2", "x"),
		map[string]any{"connection_type": "1", "server": "b.example.com", "ca_certificate": 7},
	})
	require.NoError(t, err)
	list, problems := k8s.CheckRegistries(doc)
	assert.Equal(t, strings.TrimSpace(ca), list[0].CACertificate)
	assert.ElementsMatch(t, []string{
		"[1].ca_certificate", "[2].ca_certificate", "[3].ca_certificate",
		"[4].ca_certificate",
	}, relative(problems, lcm.RegistriesPath))
	for _, p := range problems {
		assert.NotContains(t, p.Detail, "hunter2")
	}
	doc, err = json.Marshal([]any{entry("1", "hunter2", "")})
	require.NoError(t, err)
	_, problems = k8s.CheckRegistries(doc)
	require.Len(t, problems, 1)
	assert.Equal(t, "is not a certificate in PEM form.", problems[0].Detail)
}

func TestModify_keepsOtherRegistriesForLaterOperations(t *testing.T) {
	inst := lcm.VnfInstance{
		ConfigurableProperties: map[string]any{
			"other":           true,
			lcm.RegistriesKey: []any{map[string]any{"server": "old.example.com"}},
		},
		Instantiated: &lcm.InstantiatedVnfInfo{AdditionalParams: json.RawMessage(
			`{"pod_cidr":"10.0.0.0/8","k8s_cluster_installation_param":{"vim_name":"v","private_registry_connection_info":[{"server":"old.example.com"}]}}`)},
	}
	for body, want := range map[string]string{
		`{"vnfConfigurableProperties":{"private_registry_connection_info":[{"server":"new.example.com","password":{"$secret":"r"}}]}}`: `[{"server":"new.example.com","password":{"$secret":"r"}}]`,
		`{"vnfConfigurableProperties":{"private_registry_connection_info":null}}`:                                                      "",
		`{"vnfConfigurableProperties":null}`:              "",
		`{"vnfConfigurableProperties":{"other":false}}`:   `[{"server":"old.example.com"}]`,
		`{"vnfInstanceName":"it has nothing to do with"}`: `[{"server":"old.example.com"}]`,
	} {
		req, err := lcmtest.Read[lcm.ModifyRequest](json.RawMessage(body))
		require.NoError(t, err)
		after, done, err := req.Apply(inst, nil)
		require.NoError(t, err)
		after, err = k8s.Modified(req, inst, after)
		require.NoError(t, err)
		cluster := `{"vim_name":"v"}`
		if want != "" {
			cluster = `{"vim_name":"v","private_registry_connection_info":` + want + `}`
		}
		assert.JSONEq(t, `{"pod_cidr":"10.0.0.0/8","k8s_cluster_installation_param":`+cluster+`}`,
			string(after.Instantiated.AdditionalParams), body)
		assert.Contains(t, string(inst.Instantiated.AdditionalParams), "old.example.com",
			"the former instance is not touched")
		shown, err := json.Marshal(done)
		require.NoError(t, err)
		assert.NotContains(t, string(shown), "$secret")
		// Afterwards the instance shows what its parameters contain.
		props, err := json.Marshal(k8s.ShowRegistries(after.ConfigurableProperties,
			after.Instantiated.AdditionalParams)[lcm.RegistriesKey])
		require.NoError(t, err)
		if want == "" {
			want = "null"
		}
		assert.JSONEq(t, want, string(props), body)
	}
}

func TestShowRegistries_leavesOtherPropertiesAlone(t *testing.T) {
	assert.Nil(t, k8s.ShowRegistries(nil,
		json.RawMessage(`{"k8s_cluster_installation_param":{"vim_name":"v"},"node_password":"x"}`)))
	given := map[string]any{"a": 1, lcm.RegistriesKey: "stale"}
	assert.Equal(t, map[string]any{"a": 1}, k8s.ShowRegistries(given, json.RawMessage(`{}`)))
	assert.Contains(t, given, lcm.RegistriesKey)
	shown := k8s.ShowRegistries(nil,
		json.RawMessage(`{"k8s_cluster_installation_param":{"private_registry_connection_info":[{"connection_type":0}]}}`))
	assert.Equal(t, map[string]any{lcm.RegistriesKey: []any{map[string]any{"connection_type": json.Number("0")}}}, shown)
}

func TestPrivateRegistries_nameAnImageToTry(t *testing.T) {
	const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for image, manifest := range map[string]string{
		"library/busybox:1.36": "/v2/library/busybox/manifests/1.36",
		"edge/app__x/a-b.c":    "/v2/edge/app__x/a-b.c/manifests/latest",
		"edge/app@" + digest:   "/v2/edge/app/manifests/" + digest, "": "",
	} {
		doc, err := json.Marshal([]any{map[string]any{
			"connection_type": "1", "server": "a.example.com", "test_image": image,
		}})
		require.NoError(t, err)
		list, problems := k8s.CheckRegistries(doc)
		require.Empty(t, problems, image)
		assert.Equal(t, manifest, list[0].TestManifest(), image)
	}
	for _, image := range []any{
		"a.example.com/edge/app:1", "Edge/app", "edge//app", "/edge", "edge/app:", "edge/app:1@" + digest, "edge/app@" +
			digest[:12], "edge app", "edge/../app",
		"http://edge/app", strings.Repeat("a", 256) + ":1", ":1", 7,
		map[string]any{},
	} {
		doc, err := json.Marshal([]any{map[string]any{
			"connection_type": "1", "server": "a.example.com", "test_image": image,
		}})
		require.NoError(t, err)
		_, problems := k8s.CheckRegistries(doc)
		assert.Equal(t, []string{"[0].test_image"}, relative(problems, lcm.RegistriesPath), image)
	}
}
