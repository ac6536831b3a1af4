package machines

import (
	"net"
	"net/http"
	"net/http/httptest"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// installRegistry installs a registry on the storage server, with its own certificate. A second installation keeps the
// CA on the volume.
func (s *stage) installRegistry() {
	if s.broken.Load() {
		return
	}
	registry := func(volume string) scripts.Script {
		return scripts.InstallRegistry{
			Port: 5000, HTTPS: true, Volume: volume, Image: "lab.local/registry:v1", LockFor: 60,
			Certificate: &scripts.MadeCertificate{CA: "turns", Addresses: []string{s.address["storage-1"]}, Days: 90},
		}
	}
	text, err := scripts.RegistryConfig{Port: 5000, HTTPS: true, Volume: "/volume"}.Render()
	assert.NoError(s.t, err)
	config := []scripts.Input{input("config", text)}
	s.play(
		turn{on: "storage-1", script: registry("/volume"), want: missing("config")},
		turn{on: "storage-1", script: registry("/nowhere"), inputs: config, want: outcome{
			kind: lcm.KindBroken, says: "no volume is mounted to /nowhere; see that it is attached, and look at " +
				"'findmnt /nowhere'",
		}},
		turn{on: "storage-1", script: registry("/volume"), inputs: config, want: results("way=package")},
	)
	ca := s.file("storage-1", scripts.RegistryAuthority("/volume"))
	s.play(turn{on: "storage-1", script: registry("/volume"), inputs: config, want: results("way=package")})
	if !s.broken.Load() {
		assert.NotEmpty(s.t, ca)
		assert.Equal(s.t, ca, s.file("storage-1", scripts.RegistryAuthority("/volume")), "clients trust it")
	}
}

// serveImages starts a registry on this host with one image. If it is not open, it requires a user.
func (s *stage) serveImages(name string, open bool) (server string) {
	answers := map[string]string{
		"/v2/": `{}`, "/v2/_catalog": `{"repositories":["app"]}`, "/v2/app/tags/list": `{"name":"app","tags":["v1"]}`,
		"/v2/app/manifests/v1": `{}`,
	}
	listener, err := new(net.ListenConfig).Listen(s.t.Context(), "tcp4", net.JoinHostPort(s.own, "0"))
	if !assert.NoError(s.t, err) {
		s.broken.Store(true)
		return ""
	}
	registry := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, found := answers[r.URL.Path]
		switch {
		case !open:
			w.WriteHeader(http.StatusUnauthorized)
		case !found:
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = w.Write([]byte(answer))
		}
	}))
	_ = registry.Listener.Close()
	registry.Listener = listener
	registry.Start()
	s.t.Cleanup(registry.Close)
	server = listener.Addr().String()
	s.alias(server, "<"+name+">")
	return server
}

// useRegistries connects the worker with one registry, and checks several.
func (s *stage) useRegistries() {
	if s.broken.Load() {
		return
	}
	open, closed := s.serveImages("registry", true), s.serveImages("closed registry", false)
	s.connectRegistry(open)
	nobody := net.JoinHostPort(s.own, "9")
	s.alias(nobody, "<nobody>")
	check := func(server, manifest string, want string) turn {
		return turn{
			on: "worker-1", script: scripts.CheckRegistries{
				Servers: []string{server}, URLs: []string{"http://" + server}, Manifests: []string{manifest},
			},
			inputs: []scripts.Input{input("curl.0", scripts.CurlConfig{}.Render()), input("ca.0", "")}, want: results(want),
		}
	}
	s.play(
		check(open, "", "manifest=<registry> app:v1"),
		check(open, "/v2/app/manifests/v1", "manifest=<registry> app:v1"),
		check(open, "/v2/app/manifests/v2", "failure=wrong|<registry>|does not have test_image app:v2 (404); push it "+
			"there, or name another image"),
		check(closed, "", "failure=denied|<closed registry>|wants a user name and a password (401), and none are given"),
		check(nobody, "", "failure=away|<nobody>|does not answer (...); see that it runs, and that security groups and "+
			"routes let the node through"),
	)
}

func (s *stage) connectRegistry(server string) {
	hosts, err := scripts.HostsTOML{URL: "http://" + server}.Render()
	assert.NoError(s.t, err)
	state, none := `{"servers":["`+server+`"]}`, `{}`
	given := func(before, after string) []scripts.Input {
		return []scripts.Input{
			input("hosts.0", hosts), input("ca.0", ""), input("credentials", ""), input("docker", ""),
			input("before", before), input("after", after), input("before.bare", before), input("after.bare", after),
		}
	}
	file := "/etc/containerd/certs.d/" + server + "/hosts.toml"
	const entry = "192.0.2.7 registry.example.com"
	connect := scripts.ConnectRegistries{Servers: []string{server}, Hosts: []string{entry}}
	s.play(
		turn{on: "worker-1", script: connect, want: missing("before")},
		turn{on: "worker-1", script: connect, inputs: given(state, state)},
	)
	if !s.broken.Load() {
		assert.Equal(s.t, hosts, s.file("worker-1", file))
		assert.Equal(s.t, state, s.file("worker-1", scripts.RegistriesState))
		assert.Contains(s.t, s.file("worker-1", "/etc/hosts"), entry)
	}
	s.play(turn{on: "worker-1", script: scripts.ConnectRegistries{Gone: []string{server}}, inputs: given(state, none)})
	if !s.broken.Load() {
		assert.Empty(s.t, s.file("worker-1", file))
		assert.Equal(s.t, none, s.file("worker-1", scripts.RegistriesState))
		assert.NotContains(s.t, s.file("worker-1", "/etc/hosts"), entry)
	}
}
