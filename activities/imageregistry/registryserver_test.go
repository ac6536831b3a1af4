package imageregistry_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/imageregistry"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/scripts"
)

// registryServerSite returns one machine that becomes a registry.
func registryServerSite(
	t *testing.T, p registry.Params,
) (activitytest.Site, *activitytest.FakeSite, *activitytest.FakeNode, *imageregistry.Activities) {
	t.Helper()
	s, fake, _, _ := activitytest.NewFake(t, 0, 1, nil)
	p.Port, p.Image, p.Timeouts.Install = 5000, registry.DefaultImage, 2700
	vnf := s.Reach.Vnfs.(*activitytest.FixedVnf)
	vnf.Context.Drivers = []lifecycle.VnfDriver{&registry.Server{Params: p}}
	ca := activitytest.SelfSigned(t)
	vnf.Context.PackageFile = func(_ context.Context, path string) ([]byte, error) {
		return map[string][]byte{"registry.tar": []byte("an image"), "registry.crt": []byte(ca)}[path], nil
	}
	fake.Replies["install-registry"] = activitytest.Results("way", "docker")
	return s, fake, fake.Nodes[s.Nodes[0].Name], &imageregistry.Activities{Reach: s.Reach}
}

// serverOf returns the driver of a registry.
func serverOf(s activitytest.Site) *registry.Server {
	return registry.In(s.Reach.Vnfs.(*activitytest.FixedVnf).Context.Drivers)
}

func TestInstallRegistry_sendsTheImageOnceAndKeepsTheUsersLines(t *testing.T) {
	s, fake, node, nodes := registryServerSite(t, registry.Params{
		ImagePath: "registry.tar", Users: []registry.User{{Username: "push", Password: lcm.Secret{Clear: "hunter2"}}},
		Proxy: &k8s.ProxyParams{
			HTTPSProxy: lcm.Secret{Clear: "http://u:secret1@proxy.example:3128"},
			NoProxy:    "10.0.0.0/8",
		},
	})
	out := activitytest.Must(t, nodes.InstallRegistry, s.Tracked(s.Nodes[0]))
	assert.Equal(t, "docker", out.Way)
	assert.Equal(t, &k8s.PrivateRegistry{ConnectionType: "0", Server: s.Nodes[0].SSHAddress + ":5000"}, out.Connection)
	first := activitytest.ReadStdin(fake.Ran[0].Stdin)
	node.Files[scripts.RegistryUsers] = first["htpasswd"]
	activitytest.Must(t, nodes.InstallRegistry, s.Tracked(s.Nodes[0]))
	assert.Equal(t, first, activitytest.ReadStdin(fake.Ran[1].Stdin), "the second run has the same files")
	assert.Equal(t, []string{"put " + scripts.RegistryImageFile}, fake.Effects)
	assert.Equal(t, "an image", node.Files[scripts.RegistryImageFile])

	assert.Contains(t, first["config"], "htpasswd")
	assert.NotContains(t, first["config"], "tls:")
	require.Regexp(t, `^push:\$2[ab]\$.*\n$`, first["htpasswd"])
	assert.NoError(t, bcrypt.CompareHashAndPassword([]byte(first["htpasswd"][len("push:"):len(first["htpasswd"])-1]),
		[]byte("hunter2")))
	_, params := activitytest.ReadScript(fake.Ran[0].Script)
	assert.Equal(t, "127.0.0.1,localhost,10.0.0.0/8", params["NO_PROXY_LIST"])
	assert.Equal(t, scripts.RegistryImageFile, params["IMAGE_FILE"])
	assert.NotContains(t, fake.Ran[0].Script, "hunter2")
	assert.Subset(t, fake.Ran[0].Mask, []string{"hunter2", "secret1"})

	serverOf(s).Params.Users[0].Password.Clear = "other"
	activitytest.Must(t, nodes.InstallRegistry, s.Tracked(s.Nodes[0]))
	assert.NotEqual(t, first["htpasswd"], activitytest.ReadStdin(fake.Ran[2].Stdin)["htpasswd"])
}

func TestInstallRegistry_letsTheMachineMakeItsCertificate(t *testing.T) {
	s, fake, node, nodes := registryServerSite(t, registry.Params{
		TLS:    &registry.TLS{Generate: true, HostNames: []string{"registry.example.com", "192.0.2.7"}, ValidityDays: 30},
		Volume: &k8s.CinderVolumeParams{VolumeResourceID: "vol", MountTo: "/registry"},
	})
	machine := s.Nodes[0]
	_, err := activitytest.Do(t, nodes.InstallRegistry, s.Tracked(machine))
	activitytest.AssertKind(t, err, lcm.KindNotFound, "/registry/ca/ca.crt")
	node.Files["/registry/ca/ca.crt"] = "nothing"
	_, err = activitytest.Do(t, nodes.InstallRegistry, s.Tracked(machine))
	activitytest.AssertKind(t, err, lcm.KindBroken, "is not a certificate in PEM form")
	ca := activitytest.SelfSigned(t)
	node.Files["/registry/ca/ca.crt"] = ca
	for range 2 {
		out := activitytest.Must(t, nodes.InstallRegistry, s.Tracked(machine))
		assert.Equal(t, &k8s.PrivateRegistry{
			ConnectionType: "1", Server: "registry.example.com:5000", HostsString: machine.SSHAddress + " registry.example.com",
			CACertificate: strings.TrimSpace(ca),
		}, out.Connection)
	}
	_, params := activitytest.ReadScript(fake.Ran[0].Script)
	assert.Equal(t, "DNS:registry.example.com,IP:"+machine.Address+",IP:"+machine.SSHAddress+",IP:192.0.2.7",
		params["CERTIFICATE_NAMES"])
	assert.Equal(t, "11112222-3333-4444-8555-666677778888", params["CA_NAME"])
	assert.Equal(t, "/registry/images", params["IMAGES"])
	in := activitytest.ReadStdin(fake.Ran[0].Stdin)
	assert.Contains(t, in["config"], `rootdirectory: "/registry/images"`)
	assert.Contains(t, in["config"], "tls:")
	assert.Empty(t, in["registry.key"], "the key is made on the machine")
}

func TestMountRegistryVolume_mountsTheOneOfTheMachine(t *testing.T) {
	s, fake, _, nodes := registryServerSite(t,
		registry.Params{Volume: &k8s.CinderVolumeParams{VolumeResourceID: "vol", MountTo: "/registry"}})
	machine := s.Nodes[0]
	in := imageregistry.MountRegistryVolumeInput{
		NodeInput: s.Tracked(machine),
		Volume:    &lcm.StorageVolume{ResourceID: "vol", VolumeID: activitytest.VolumeID},
	}
	_, err := activitytest.Do(t, nodes.MountRegistryVolume, in)
	activitytest.AssertKind(t, err, lcm.KindBroken, "is attached to no server of the VNF. Attach it to "+machine.ServerID)
	in.Volume.ServerID = "other"
	_, err = activitytest.Do(t, nodes.MountRegistryVolume, in)
	activitytest.AssertKind(
		t,
		err,
		lcm.KindBroken,
		"is attached to the server other, not to the registry "+machine.ServerID,
	)
	assert.Empty(t, fake.Ran, "nothing was tried")
	in.Volume.ServerID = machine.ServerID
	for _, made := range []string{"yes", "no"} {
		fake.Replies["set-up-volumes"] = []string{
			scripts.ResultPrefix + "volume=" + activitytest.VolumeID + "|/dev/vdb|ext4|" + made,
		}
		assert.Equal(t, made == "yes", activitytest.Must(t, nodes.MountRegistryVolume, in).Formatted)
	}
	_, params := activitytest.ReadScript(fake.Ran[0].Script)
	assert.Equal(t, activitytest.VolumeID+"=/registry", params["VOLUMES"])
	in.Volume = nil
	_, err = activitytest.Do(t, nodes.MountRegistryVolume, in)
	activitytest.AssertKind(t, err, lcm.KindBug, "asks for no such volume")
}

func TestFindMachine_findsTheVolumeOfARegistry(t *testing.T) {
	s, _, _, _ := registryServerSite(t, registry.Params{SSHCpName: "storage_CP"})
	cloud := &activitytest.StorageCloud{Inv: activitytest.StorageInventory()}
	infra := &imageregistry.Activities{
		Cloud: resources.Cloud{
			VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: &activitytest.Output{},
		}, Reach: s.Reach,
	}
	in := imageregistry.FindMachineInput{OpOccID: activitytest.OpOcc}
	assert.Nil(t, activitytest.Must(t, infra.FindMachine, in).Volume)
	serverOf(s).Params.Volume = &k8s.CinderVolumeParams{VolumeResourceID: "vol"}
	out := activitytest.Must(t, infra.FindMachine, in)
	assert.Equal(t, "registry-s1", out.Machine.Name)
	assert.Equal(t, &lcm.StorageVolume{ResourceID: "vol", VolumeID: activitytest.VolumeID, ServerID: "s1"}, out.Volume)
	serverOf(s).Params.Volume.VolumeResourceID = "none"
	_, err := activitytest.Do(t, infra.FindMachine, in)
	require.ErrorContains(t, err, `no resource "none": correct volume_resource_id`)
}

func TestInstallRegistry_wantsACertificateAndItsKey(t *testing.T) {
	s, fake, _, nodes := registryServerSite(t, registry.Params{
		TLS: &registry.TLS{
			CertificatePath: "registry.crt",
			PrivateKey:      lcm.Secret{Clear: "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n"},
		},
	})
	_, err := activitytest.Do(t, nodes.InstallRegistry, s.Tracked(s.Nodes[0]))
	activitytest.AssertKind(t, err, lcm.KindInvalid, "do not belong together")
	assert.NotContains(t, err.Error(), "hunter2")
	assert.Empty(t, fake.Ran)
}
