package scripts_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
)

func TestHostsTOML_namesTheCAOnlyWhereThereIsOne(t *testing.T) {
	for name, c := range map[string]scripts.HostsTOML{
		"hosts.toml": {URL: "https://registry.example.com", CA: true}, "hosts-http.toml": {URL: "http://192.168.0.10:5000"},
	} {
		text, err := c.Render()
		require.NoError(t, err)
		golden(t, name, text)
	}
}

func TestCurlConfig_quotesWhateverComes(t *testing.T) {
	text := scripts.CurlConfig{Username: "u", Password: `a"b\c` + "\n"}.Render()
	assert.Contains(t, text, `user = "u:a\"b\\c\n"`)
	assert.Contains(t, text, `noproxy = "*"`)
	text = scripts.CurlConfig{Proxy: &url.URL{Scheme: "http", Host: "proxy.example:3128"}}.Render()
	assert.Contains(t, text, `proxy = "http://proxy.example:3128"`)
	assert.NotContains(t, text, "noproxy")
}

func TestRegistriesSeen_areThoseWithAManifest(t *testing.T) {
	r := scripts.ParseResults("windlass-result: manifest=YS5leGFtcGxlLmNvbSB4OjE=\nwindlass-result: failure=YXxi")
	assert.Equal(t, []string{"a.example.com"}, scripts.RegistriesSeen(r))
}

func TestRegistryFailures_passesOverWhatIsNone(t *testing.T) {
	r := scripts.ParseResults("windlass-result: failure=YXxifGN8ZA==\nwindlass-result: failure=YXxi")
	assert.Equal(t, []scripts.RegistryFailure{{Class: "a", Server: "b", Sentence: "c|d"}}, scripts.RegistryFailures(r))
}

// registryScript runs a script of registries with its parameters and inputs. Its paths are below root.
func registryScript(t *testing.T, root, name, stubs string, params, inputs map[string]string) (said string, code int) {
	t.Helper()
	var head strings.Builder
	for key, value := range params {
		fmt.Fprintf(&head, "%s=%s\n", key, scripts.Quote(value))
	}
	var stdin []scripts.Input
	for key, value := range inputs {
		stdin = append(stdin, scripts.Input{Name: key, Value: value})
	}
	body := library(t, root, "lib-base", "lib-hosts", "lib-registries", "lib-cloud-init", "lib-certificate")
	body = strings.ReplaceAll(body, "mktemp -d /run/", "mktemp -d "+root+"/run/")
	body = strings.ReplaceAll(body, "find /run ", "find "+root+"/run ")
	cmd := exec.CommandContext(t.Context(), "bash", "-c", head.String()+body+"\n"+stubs+"\n"+library(t, root, name))
	cmd.Stdin = strings.NewReader(string(scripts.Stdin(stdin...)))
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

const serviceStubs = `
systemctl() { echo "systemctl $*"; }
service() { echo "service $*"; }
`

func read(t *testing.T, parts ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return string(content)
}

func TestConnectRegistries_changesOnlyWhatDiffersAndTakesItBack(t *testing.T) {
	n := newNode(t)
	require.NoError(t, os.MkdirAll(filepath.Join(n.root, "etc/containerd"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(n.root, "etc/containerd/config.toml"),
		[]byte("version = 2\n[plugins]\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(n.root, "etc/hosts"), []byte("127.0.0.1 localhost\n"), 0o600))
	params := map[string]string{
		"SERVERS": "192.168.0.10:5000 registry.example.com", "GONE": "", "DOCKER_GONE": "",
		"REGISTRY_HOSTS": "192.168.0.20 registry.example.com", "WITH_CREDENTIALS": "yes",
	}
	inputs := map[string]string{
		"hosts.0": "HTTP\n", "ca.0": "", "hosts.1": "HTTPS\n", "ca.1": "CA\n", "credentials": "{}\n", "docker": `{"a":1}`,
		"before": "B\n", "after": "A\n", "before.bare": "BB\n", "after.bare": "AA\n",
	}
	stubs := serviceStubs + "dockerd() { :; }\n"
	said, code := registryScript(t, n.root, "connect-registries", stubs, params, inputs)
	require.Zero(t, code, said)
	for _, want := range []string{"service restart containerd", "service restart kubelet", "service reload docker"} {
		assert.Contains(t, said, want)
	}
	config := read(t, n.root, "etc/containerd/config.toml")
	assert.Contains(t, config, "[plugins.\"io.containerd.grpc.v1.cri\".registry]\n  config_path = \""+n.root+"/etc/containerd/certs.d\"\n")
	certs := filepath.Join(n.root, "etc/containerd/certs.d")
	assert.Equal(t, "CA\n", read(t, certs, "registry.example.com/ca.crt"))
	assert.Equal(t, "HTTP\n", read(t, certs, "192.168.0.10:5000/hosts.toml"))
	assert.NoFileExists(t, filepath.Join(certs, "192.168.0.10:5000/ca.crt"))
	assert.Equal(t, "CA\n", read(t, n.root, "etc/docker/certs.d/registry.example.com/ca.crt"))
	assert.Equal(t, `{"a":1}`, read(t, n.root, "etc/docker/daemon.json"))
	assert.Equal(t, "A\n", read(t, n.root, "var/lib/windlass/registries.json"))
	for _, file := range []string{"etc/windlass/registry-credentials.json", "var/lib/kubelet/config.json"} {
		info, err := os.Stat(filepath.Join(n.root, file))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode(), file)
	}
	assert.Contains(t, read(t, n.root, "etc/systemd/system/kubelet.service.d/20-windlass-registries.conf"),
		"var/lib/kubelet/config.json")
	assert.Equal(t, "127.0.0.1 localhost\n# windlass: registries\n192.168.0.20 registry.example.com\n# windlass: end\n",
		read(t, n.root, "etc/hosts"))

	said, code = registryScript(t, n.root, "connect-registries", stubs, params, inputs)
	require.Zero(t, code, said)
	assert.NotContains(t, said, "service ", "the second time nothing changes")

	params = map[string]string{
		"SERVERS": "", "GONE": params["SERVERS"], "DOCKER_GONE": "registry.example.com",
		"REGISTRY_HOSTS": "", "WITH_CREDENTIALS": "no",
	}
	said, code = registryScript(t, n.root, "connect-registries", stubs, params,
		map[string]string{
			"before": "B\n", "after": "{}\n", "before.bare": "BB\n", "after.bare": "AA\n", "credentials": "",
			"docker": "{}",
		})
	require.Zero(t, code, said)
	assert.Contains(t, said, "service restart kubelet")
	assert.NoDirExists(t, filepath.Join(certs, "registry.example.com"))
	assert.NoDirExists(t, filepath.Join(n.root, "etc/docker/certs.d/registry.example.com"))
	assert.NoFileExists(t, filepath.Join(n.root, "var/lib/kubelet/config.json"))
	assert.NoFileExists(t, filepath.Join(n.root, "etc/windlass/registry-credentials.json"))
	assert.Equal(t, "127.0.0.1 localhost\n", read(t, n.root, "etc/hosts"))
}

// oneRegistry connects a node to one registry, with further parameters of the test.
func oneRegistry(t *testing.T, n node, stubs string, params, inputs map[string]string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(n.root, "etc/containerd"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(n.root, "etc/containerd/config.toml"), []byte("version = 2\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(n.root, "etc/hosts"), []byte("127.0.0.1 localhost\n"), 0o600))
	allParams := map[string]string{
		"SERVERS": "r.example.com", "GONE": "", "DOCKER_GONE": "", "REGISTRY_HOSTS": "", "WITH_CREDENTIALS": "no",
	}
	maps.Copy(allParams, params)
	allInputs := map[string]string{
		"hosts.0": "HTTPS\n", "ca.0": "", "credentials": "", "docker": "", "before": "B\n", "after": "A\n",
		"before.bare": "BB\n", "after.bare": "AA\n",
	}
	maps.Copy(allInputs, inputs)
	said, code := registryScript(t, n.root, "connect-registries", stubs, allParams, allInputs)
	require.Zero(t, code, said)
	return said
}

// TestConnectRegistries_givesKubeletItsCredentialsBackOnlyWhereTheyAreGone checks that `kubeadm reset` deletes the
// credentials, and they return when kubelet starts. A file that others have written meanwhile stays.
func TestConnectRegistries_givesKubeletItsCredentialsBackOnlyWhereTheyAreGone(t *testing.T) {
	n := newNode(t)
	oneRegistry(t, n, serviceStubs, map[string]string{"WITH_CREDENTIALS": "yes"},
		map[string]string{"credentials": "OURS\n"})
	unit := read(t, n.root, "etc/systemd/system/kubelet.service.d/20-windlass-registries.conf")
	_, command, found := strings.Cut(unit, "[Service]\nExecStartPre=-")
	require.True(t, found, unit)
	require.True(t, strings.HasPrefix(command, "/bin/sh -c '"), "systemd wants a path")
	file := filepath.Join(n.root, "var/lib/kubelet/config.json")
	require.NoError(t, os.WriteFile(file, []byte("OURS AND OTHERS\n"), 0o600))
	said, code := shell(t, command)
	require.Zero(t, code, said)
	assert.Equal(t, "OURS AND OTHERS\n", read(t, file))

	require.NoError(t, os.RemoveAll(filepath.Dir(file)))
	said, code = shell(t, command)
	require.Zero(t, code, said)
	assert.Equal(t, "OURS\n", read(t, file))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
}

func TestConnectRegistries_preparesADockerThatDoesNotRunYet(t *testing.T) {
	n := newNode(t)
	asleep := "systemctl() { [[ $1 != is-active ]] && echo \"systemctl $*\"; }\nservice() { echo \"service $*\"; " +
		"}\ndockerd() { :; }\n"
	said := oneRegistry(t, n, asleep, nil, map[string]string{"ca.0": "CA\n", "docker": "{}\n"})
	assert.NotContains(t, said, "service reload docker", "it reads its files when it starts")
	assert.Equal(t, "CA\n", read(t, n.root, "etc/docker/certs.d/r.example.com/ca.crt"))
	assert.Equal(t, "{}\n", read(t, n.root, "etc/docker/daemon.json"))
	assert.Equal(t, "A\n", read(t, n.root, "var/lib/windlass/registries.json"))
	assert.NoFileExists(t, filepath.Join(n.root, "var/lib/windlass/reload-docker"))
}

func TestConnectRegistries_writesAndRemembersNothingOfDockerWhereItIsNot(t *testing.T) {
	n := newNode(t)
	// Independent of the programs of this machine.
	none := serviceStubs + "command() { [[ $* != '-v dockerd' ]] && builtin command \"$@\"; }\n"
	oneRegistry(t, n, none, nil, map[string]string{"ca.0": "CA\n", "docker": "{}\n"})
	assert.NoDirExists(t, filepath.Join(n.root, "etc/docker"))
	assert.Equal(t, "AA\n", read(t, n.root, "var/lib/windlass/registries.json"))
}

func TestConnectRegistries_leavesDockersOtherCertificatesAlone(t *testing.T) {
	n := newNode(t)
	certs := filepath.Join(n.root, "etc/docker/certs.d")
	for _, server := range []string{"r.example.com", "old.example.com", "mixed.example.com"} {
		require.NoError(t, os.MkdirAll(filepath.Join(certs, server), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(certs, server, "ca.crt"), []byte(server), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(certs, "mixed.example.com/client.cert"), []byte("the image's"), 0o600))
	params := map[string]string{"GONE": "old.example.com mixed.example.com", "DOCKER_GONE": "mixed.example.com"}
	oneRegistry(t, n, serviceStubs+"dockerd() { :; }\n", params, nil)
	assert.Equal(t, "r.example.com", read(t, certs, "r.example.com/ca.crt"), "its entry gives no CA")
	assert.Equal(t, "old.example.com", read(t, certs, "old.example.com/ca.crt"), "it is the image's")
	assert.NoFileExists(t, filepath.Join(certs, "mixed.example.com/ca.crt"))
	assert.FileExists(t, filepath.Join(certs, "mixed.example.com/client.cert"))
}

func TestConnectRegistries_pointsEveryConfigurationOfContainerdAtItsFiles(t *testing.T) {
	for name, c := range map[string]struct{ config, want, refused string }{
		"version 3": {
			config: "version = 3\n",
			want:   "[plugins.'io.containerd.cri.v1.images'.registry]\n  config_path = \"CERTS\"\n",
		},
		"version 1": {config: "[plugins]\n", want: "[plugins.cri.registry]\n  config_path = \"CERTS\"\n"},
		"its default": {
			config: "version = 2\n  [plugins.\"io.containerd.grpc.v1.cri\".registry]\n    config_path " +
				"= \"\"\n\n    [plugins.\"x\".y]\n    config_path = \"\"\n",
			want: ".registry]\n  config_path = \"CERTS\"\n\n    [plugins.\"x\".y]\n    config_path = \"\"\n",
		},
		"the image's own": {config: "version = 2\n[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = " +
			"'/opt/certs:/etc/other' # ours\n", want: "'/opt/certs:/etc/other'"},
		"mirrors of its own": {
			config: "version = 2\n  " +
				"[plugins.\"io.containerd.grpc.v1.cri\".registry.mirrors.\"a.example.com\"]\n",
			refused: "registry mirrors or configs",
		},
		"an empty mirror list": {
			config: "version = 2\n  [plugins.\"io.containerd.grpc.v1.cri\".registry.mirrors]\n",
			want:   "config_path = \"CERTS\"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			certs := n.root + "/etc/containerd/certs.d"
			require.NoError(t, os.MkdirAll(filepath.Join(n.root, "etc/containerd"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(n.root, "etc/containerd/config.toml"), []byte(c.config), 0o600))
			functions, _, found := strings.Cut(library(t, n.root, "lib-base", "lib-hosts", "lib-registries",
				"connect-registries"), "\nread_inputs\nneed_input")
			require.True(t, found)
			said, code := shell(t, functions+serviceStubs+"SERVERS=a.example.com\npoint_containerd\necho \"in $CERTS\"")
			if c.refused != "" {
				assert.Equal(t, 1, code, said)
				assert.Contains(t, said, c.refused)
				return
			}
			require.Zero(t, code, said)
			after := read(t, n.root, "etc/containerd/config.toml")
			assert.Contains(t, after, strings.ReplaceAll(c.want, "CERTS", certs))
			if name == "the image's own" {
				assert.Equal(t, c.config, after)
				assert.Contains(t, said, "in /opt/certs\n")
				return
			}
			said, code = shell(t, functions+serviceStubs+"SERVERS=a.example.com\npoint_containerd")
			require.Zero(t, code, said)
			assert.NotContains(t, said, "restart", "once is enough")
			assert.Equal(t, after, read(t, n.root, "etc/containerd/config.toml"))
		})
	}
}

// registry is a registry like that of the distribution project. With a realm it requires a token, otherwise the user
// and the password.
func registry(realm string) http.Handler {
	image := map[string]any{
		"/v2/": map[string]any{}, "/v2/_catalog": map[string]any{"repositories": []string{"edge/app"}},
		"/v2/edge/app/tags/list":     map[string]any{"name": "edge/app", "tags": []string{"1.0"}},
		"/v2/edge/app/manifests/1.0": map[string]any{"schemaVersion": 2},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		known := user == "user01" && password == `hunter2"\`
		if r.URL.Path == "/token" {
			if !known {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_ = json.NewEncoder(w).Encode(map[string]string{"token": "good-for-" + r.URL.Query().Get("service")})
			return
		}
		if realm != "" {
			known = r.Header.Get("Authorization") == "Bearer good-for-images"
		}
		if !known {
			challenge := `Basic realm="registry"`
			if realm != "" {
				challenge = `Bearer realm="http://` + r.Host + realm + `",service="images",scope="registry:catalog:*"`
			}
			w.Header().Set("WWW-Authenticate", challenge)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer, ok := image[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
}

// needCurl skips a test on a machine without curl. tools/prerequisites.sh installs curl.
func needCurl(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
}

func TestCheckRegistries_asksAsContainerdDoes(t *testing.T) {
	needCurl(t)
	basic, token := httptest.NewServer(registry("")), httptest.NewServer(registry("/token"))
	secure := httptest.NewTLSServer(registry(""))
	other := httptest.NewServer(http.NotFoundHandler())
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request,
	) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	for _, s := range []*httptest.Server{basic, token, secure, other, busy} {
		t.Cleanup(s.Close)
	}
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}))
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := "http://" + closed.Addr().String()
	require.NoError(t, closed.Close())
	login := scripts.CurlConfig{Username: "user01", Password: `hunter2"\`}
	wrong := scripts.CurlConfig{Username: "user01", Password: "else"}
	for name, c := range map[string]struct {
		url    string
		config scripts.CurlConfig
		ca     string
		class  string
		says   string
	}{
		"user and password":  {basic.URL, login, "", "", "the manifest of edge/app:1.0 comes"},
		"token":              {token.URL, login, "", "", "the manifest of edge/app:1.0 comes"},
		"its CA":             {secure.URL, login, ca, "", "the manifest of edge/app:1.0 comes"},
		"wrong password":     {basic.URL, wrong, "", "denied", "refuses the user name or the password (401)"},
		"wrong, with tokens": {token.URL, wrong, "", "denied", "refuses the user name or the password (401)"},
		"no credentials":     {basic.URL, scripts.CurlConfig{}, "", "denied", "none are given"},
		"unknown CA":         {secure.URL, login, "", "untrusted", "x509: "},
		"nobody there":       {nobody, login, "", "away", "does not answer"},
		"not ready":          {busy.URL, login, "", "away", "it answers 503"},
		"no registry":        {other.URL, login, "", "wrong", "is no registry of images: it answers 404"},
		"HTTPS, not HTTP": {
			strings.Replace(secure.URL, "https", "http", 1), login, "", "wrong",
			"connection_type is \"1\"",
		},
		"HTTP, not HTTPS": {strings.Replace(basic.URL, "http", "https", 1), login, "", "wrong", "connection_type \"0\""},
		"no such name":    {"http://registry.invalid", login, "", "unknown", "give hosts_string"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			require.NoError(t, os.MkdirAll(filepath.Join(n.root, "etc/ssl/certs"), 0o755))
			// Some versions of curl refuse an empty file of CAs, so it contains a CA that is not the registry's.
			require.NoError(t, os.WriteFile(filepath.Join(n.root, "etc/ssl/certs/ca-certificates.crt"), []byte(anotherCA(t)),
				0o600))
			said, code := registryScript(t, n.root, "check-registries", "",
				map[string]string{"SERVERS": "r.example.com", "URLS": c.url},
				map[string]string{"curl.0": c.config.Render(), "ca.0": c.ca})
			require.Zero(t, code, said)
			assert.Contains(t, said, c.says)
			failures := scripts.RegistryFailures(scripts.ParseResults(said))
			if c.class == "" {
				assert.Empty(t, failures)
				assert.Equal(t, "r.example.com edge/app:1.0", scripts.ParseResults(said).Text("manifest"))
				return
			}
			require.Len(t, failures, 1, said)
			assert.Equal(t, c.class, failures[0].Class)
			assert.NotContains(t, said, "hunter2")
		})
	}
}

// TestCheckRegistries_wantsTheManifestThatIsNamed checks that the manifest of a named image is required, independent of
// the registry's other answers.
func TestCheckRegistries_wantsTheManifestThatIsNamed(t *testing.T) {
	needCurl(t)
	const digest = "sha256:0123456789abcdef0123456789abcdef"
	// It lists no repositories.
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := map[string]int{
			"/v2/": 200, "/v2/edge/app/manifests/1.0": 200, "/v2/edge/app/manifests/" + digest: 200,
			"/v2/edge/secret/manifests/1": 403, "/v2/edge/busy/manifests/1": 503,
			"/v2/_catalog": 401, "/v2/edge/odd/manifests/1": 400,
		}[r.URL.Path]
		w.WriteHeader(max(status, map[bool]int{true: 404}[status == 0]))
	}))
	t.Cleanup(silent.Close)
	token := httptest.NewServer(registry("/token"))
	t.Cleanup(token.Close)
	login := scripts.CurlConfig{Username: "user01", Password: `hunter2"\`}
	for name, c := range map[string]struct{ url, manifest, seen, class, says string }{
		"there": {
			silent.URL, "/v2/edge/app/manifests/1.0", "edge/app:1.0", "",
			"the manifest of edge/app:1.0 comes",
		},
		"by digest":    {silent.URL, "/v2/edge/app/manifests/" + digest, "edge/app@" + digest, "", "comes"},
		"with a token": {token.URL, "/v2/edge/app/manifests/1.0", "edge/app:1.0", "", "comes"},
		"not there": {
			silent.URL, "/v2/edge/none/manifests/1", "", "wrong",
			"does not have test_image edge/none:1 (404)",
		},
		"not for this user": {
			silent.URL, "/v2/edge/secret/manifests/1", "", "denied",
			"does not give this user the manifest of test_image edge/secret:1 (403)",
		},
		"not now": {
			silent.URL, "/v2/edge/busy/manifests/1", "", "away",
			"answers 503 for the manifest of test_image edge/busy:1",
		},
		"oddly":         {silent.URL, "/v2/edge/odd/manifests/1", "", "wrong", "answers 400 for the manifest"},
		"none is named": {silent.URL, "-", "", "", "it does not tell what it has"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			require.NoError(t, os.MkdirAll(filepath.Join(n.root, "etc/ssl/certs"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(n.root, "etc/ssl/certs/ca-certificates.crt"), []byte(anotherCA(t)),
				0o600))
			said, code := registryScript(t, n.root, "check-registries", "",
				map[string]string{"SERVERS": "r.example.com", "URLS": c.url, "MANIFESTS": c.manifest},
				map[string]string{"curl.0": login.Render(), "ca.0": ""})
			require.Zero(t, code, said)
			assert.Contains(t, said, c.says)
			results := scripts.ParseResults(said)
			failures := scripts.RegistryFailures(results)
			if c.class != "" {
				require.Len(t, failures, 1, said)
				assert.Equal(t, c.class, failures[0].Class)
				assert.Empty(t, scripts.RegistriesSeen(results))
				return
			}
			assert.Empty(t, failures)
			want := ""
			if c.seen != "" {
				want = "r.example.com " + c.seen
			}
			assert.Equal(t, want, results.Text("manifest"))
		})
	}
}

// anotherCA returns a certificate that no registry of these tests uses.
func anotherCA(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
