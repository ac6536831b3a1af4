package activities_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// registryServerSite is one machine that becomes a registry.
func registryServerSite(t *testing.T, p lcm.RegistryServerParams) (site, *fakeSite, *fakeNode, *activities.Nodes) {
	t.Helper()
	s, fake, _, _ := newSite(t, 0, 1, nil)
	p.Port, p.Image, p.Timeouts.Install = 5000, lcm.DefaultRegistryImage, 2700
	cluster := s.reach.Clusters.(*fixedCluster)
	cluster.context.RegistryServer = &p
	ca := selfSigned(t)
	cluster.context.PackageFile = func(_ context.Context, path string) ([]byte, error) {
		return map[string][]byte{"registry.tar": []byte("an image"), "registry.crt": []byte(ca)}[path], nil
	}
	fake.replies["install-registry"] = results("way", "docker")
	return s, fake, fake.nodes[s.nodes[0].Name], &activities.Nodes{Reach: s.reach}
}

func TestInstallRegistry_sendsTheImageOnceAndKeepsTheUsersLines(t *testing.T) {
	s, fake, node, nodes := registryServerSite(t, lcm.RegistryServerParams{
		ImagePath: "registry.tar", Users: []lcm.RegistryUser{{Username: "push", Password: lcm.Secret{Clear: "hunter2"}}},
		Proxy: &lcm.ProxyParams{HTTPSProxy: lcm.Secret{Clear: "http://u:secret1@proxy.example:3128"}, NoProxy: "10.0.0.0/8"},
	})
	assert.Equal(t, "docker", must(t, nodes.InstallRegistry, s.tracked(s.nodes[0])).Way)
	first := readStdin(fake.ran[0].Stdin)
	node.files[scripts.RegistryUsers] = first["htpasswd"]
	must(t, nodes.InstallRegistry, s.tracked(s.nodes[0]))
	assert.Equal(t, first, readStdin(fake.ran[1].Stdin), "the second run has the same files")
	assert.Equal(t, []string{"put " + scripts.RegistryImageFile}, fake.effects)
	assert.Equal(t, "an image", node.files[scripts.RegistryImageFile])

	assert.Contains(t, first["config"], "htpasswd")
	assert.NotContains(t, first["config"], "tls:")
	require.Regexp(t, `^push:\$2[ab]\$.*\n$`, first["htpasswd"])
	assert.NoError(t, bcrypt.CompareHashAndPassword([]byte(first["htpasswd"][len("push:"):len(first["htpasswd"])-1]), []byte("hunter2")))
	_, params := readScript(fake.ran[0].Script)
	assert.Equal(t, "127.0.0.1,localhost,10.0.0.0/8", params["NO_PROXY_LIST"])
	assert.Equal(t, scripts.RegistryImageFile, params["IMAGE_FILE"])
	assert.NotContains(t, fake.ran[0].Script, "hunter2")
	assert.Subset(t, fake.ran[0].Mask, []string{"hunter2", "secret1"})

	s.reach.Clusters.(*fixedCluster).context.RegistryServer.Users[0].Password.Clear = "other"
	must(t, nodes.InstallRegistry, s.tracked(s.nodes[0]))
	assert.NotEqual(t, first["htpasswd"], readStdin(fake.ran[2].Stdin)["htpasswd"])
}

func TestInstallRegistry_wantsACertificateAndItsKey(t *testing.T) {
	s, fake, _, nodes := registryServerSite(t, lcm.RegistryServerParams{
		TLS: &lcm.RegistryTLS{CertificatePath: "registry.crt", PrivateKey: lcm.Secret{Clear: "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n"}},
	})
	_, err := do(t, nodes.InstallRegistry, s.tracked(s.nodes[0]))
	assertKind(t, err, lcm.KindInvalid, "do not belong together")
	assert.NotContains(t, err.Error(), "hunter2")
	assert.Empty(t, fake.ran)
}
