package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestDockerKnowsRegistries connects a real machine that has Docker with registries, and disconnects it. Only while it
// is connected does Docker pull over HTTP, and over HTTPS from a server with a private CA.
func TestDockerKnowsRegistries(t *testing.T) {
	img := labImage(t)
	dir, err := os.MkdirTemp("/var/tmp", "windlass-docker-") // machines hard-link the image's files
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	// The lab's machines of such a name have Docker.
	b := bootBareNodes(t, filepath.Join(dir, "lab"), img, "registry-docker")
	node := b.nodes[0]
	ca, certificate := privateCA(t)
	plain, secure := newImageStore(t, b.host, "", nil), newImageStore(t, b.host, registryName, certificate)
	b.params.Timeouts.Command = 120
	connect := func(list ...k8s.PrivateRegistry) {
		t.Helper()
		b.params.PrivateRegistries = list
		for range 2 {
			_, err := act(t, b.activities().ConnectRegistries, kubenode.ConnectRegistriesInput{NodeInput: b.input(node)})
			require.NoError(t, err, "%s", b.said())
		}
	}
	// pull returns Docker's error, or "" if it has pulled the image.
	pull := func(s *imageStore) string {
		t.Helper()
		return b.run(t, node, "docker pull -q "+s.image()+" 2>&1 >/dev/null || true; docker rmi -f "+s.image()+" >/dev/null 2>&1 || true")
	}
	// A program of Go reads /etc/hosts again after five seconds only: so Docker starts afterwards.
	b.run(t, node, "touch /run/go-on; echo '"+secure.host+" "+registryName+"' >>/etc/hosts; systemctl start docker")
	require.Contains(t, pull(plain), "HTTP response to HTTPS client")

	test := strings.TrimPrefix(plain.image(), plain.server+"/")
	connect(
		k8s.PrivateRegistry{ConnectionType: k8s.RegistryHTTP, Server: plain.server, TestImage: test},
		k8s.PrivateRegistry{
			ConnectionType: k8s.RegistryHTTPS, Server: secure.server, CACertificate: string(ca), Username: "user01",
			Password: lcm.Secret{Clear: registryPassword}, TestImage: test,
		},
	)
	// For the images of Pods, kubelet passes the credentials.
	b.run(t, node, "docker login -u user01 --password-stdin "+secure.server+" <<<'"+registryPassword+"' 2>&1")
	require.Empty(t, pull(plain))
	require.Empty(t, pull(secure))

	connect()
	require.Contains(t, pull(plain), "HTTP response to HTTPS client", "Docker has forgotten it without a restart")
	require.Contains(t, pull(secure), "signed by unknown authority")
}
