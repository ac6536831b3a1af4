package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/imageregistry"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// shellPassword is the proxy's password. It has characters that a shell would interpret.
const shellPassword = "Pa55&(of)-the-proxy"

// bareRegistries are real machines that become registries.
type bareRegistries struct {
	*bareNodes

	server *registry.Params
}

// Vnf implements activities.Vnfs.
func (b bareRegistries) Vnf(context.Context, lcm.OpOccID) (activities.VnfContext, error) {
	return activities.VnfContext{
		Instance: lcm.VnfInstance{ID: "registry-of-images"},
		Drivers:  []lifecycle.VnfDriver{&registry.Server{Params: *b.server}},
	}, nil
}

// TestRegistryIsInstalled installs registries on real machines whose image has none. The first one is the package
// docker-registry, from apt through a proxy with a password. The second one is an image that containerd pulls from the
// first one, over HTTPS.
func TestRegistryIsInstalled(t *testing.T) {
	img := labImage(t)
	require.NoError(t, img.EnsureLayers(t.Context(), "registry"), "the program is in that layer")
	dir, err := os.MkdirTemp("/var/tmp", "windlass-registry-") // machines hard-link the image's files
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	// The lab makes no registries of machines with these names.
	b := bareRegistries{bareNodes: bootBareNodes(t, filepath.Join(dir, "lab"), img, "bare-1a", "bare-2b")}
	repository := newAptRepository(t, dir, b.host, debianPackage{
		name: "docker-registry", version: "2.8.2-1", program: filepath.Join(img.Services, "usr/bin/docker-registry"),
		postinst: "#!/bin/sh\nset -e\nid docker-registry >/dev/null 2>&1 || useradd --system --no-create-home --shell " +
			"/usr/sbin/nologin docker-registry\n",
	})
	proxy := newHTTPProxy(t, b.host, proxyUser, shellPassword)
	stop := watchArguments(t, shellPassword)
	b.run(t, b.nodes[0], `touch /run/go-on
		rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*
		echo 'deb [trusted=yes] `+repository.url+` /' >/etc/apt/sources.list
		rm "$(command -v ctr)"
		for engine in docker podman nerdctl ctr docker-registry; do if command -v "$engine"; then exit 1; fi; done`)

	packed := b.install(t, 0, registry.Params{
		TLS:   &registry.TLS{Generate: true, ValidityDays: 10},
		Proxy: &k8s.ProxyParams{HTTPProxy: lcm.Secret{Clear: proxy.as(proxyUser, shellPassword)}},
	})
	require.Equal(t, "package", packed.Way)
	require.Equal(t, repository.requests.Load(), proxy.requests.Load(), "everything goes through the proxy")
	require.Equal(t, "docker-registry 2.8.2-1 install ok installed",
		b.run(t, b.nodes[0], `dpkg-query -W -f '${Package} ${Version} ${Status}' docker-registry`))
	image := packed.Connection.Server + "/lab/registry:2"
	root, err := environment.Root()
	require.NoError(t, err)
	content := debianRegistry(t, root)
	require.NoError(t, pushing{address: packed.Connection.Server, as: authn.Anonymous}.push(t, image, content))

	b.run(t, b.nodes[1], "touch /run/go-on\ncat >/usr/local/share/ca-certificates/first.crt <<'END'\n"+packed.Connection.CACertificate+"\nEND\nupdate-ca-certificates")
	pulled := b.install(t, 1, registry.Params{Image: image})
	require.Equal(t, "ctr", pulled.Way)
	second := pulled.Connection.Server
	require.NoError(t, pushing{address: second, plain: true, as: authn.Anonymous}.push(t, second+"/lab/registry:2",
		content))
	require.Empty(t, stop(), "the proxy's password was among a process's arguments")
}

// install runs the real activity twice.
func (b bareRegistries) install(
	t *testing.T, node int, p registry.Params,
) (out imageregistry.InstallRegistryOutput) {
	t.Helper()
	p.Port, p.Timeouts.Install = 5000, 300
	if p.Image == "" {
		p.Image = "registry.example/library/registry:2" // it is not pulled
	}
	b.server = &p
	n := &imageregistry.Activities{Reach: reach.Runner{Hosts: b, Vnfs: b, Output: b}}
	for range 2 {
		var err error
		out, err = act(t, n.InstallRegistry, b.input(b.nodes[node]))
		said := b.said()
		require.NoError(t, err, "%s", said)
		require.NotContains(t, said, shellPassword)
	}
	return out
}
