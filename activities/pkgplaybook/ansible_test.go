package pkgplaybook_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/kubespray"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// ansibleSite is a cluster of kubespray with one control plane and two workers.
type ansibleSite struct {
	activitytest.Site
	fake    *activitytest.FakeSite
	server  *activitytest.FakeNode
	ansible *pkgplaybook.Ansible
	shown   *activitytest.Output
}

const inventories = "/srv/inventories/windlass-11112222-3333-4444-8555-666677778888/"

func newAnsibleSite(t *testing.T) ansibleSite {
	t.Helper()
	s, fake, _, shown := activitytest.NewFake(t, 1, 2, func(p *k8s.Params) {
		p.Ansible = &k8s.AnsibleParams{
			Address: "192.0.2.9", Port: 22, Username: "ansible", Password: lcm.Secret{Clear: "of the server"},
			KubesprayRootPath: "/opt/kubespray", InventoryPath: "/srv/inventories",
		}
		p.KubernetesVersion = "1.27.7"
		p.MasterNode.Username, p.MasterNode.Password = "debian", lcm.Secret{Clear: "of-control-planes"}
		p.WorkerNode.Username, p.WorkerNode.PrivateKey = "ubuntu", lcm.Secret{Clear: "A KEY"}
		p.Proxy = &k8s.ProxyParams{
			HTTPProxy: lcm.Secret{Clear: "http://u:secret1@proxy.example:3128"},
			NoProxy:   "10.0.0.0/8",
		}
	})
	vnf := s.Reach.Vnfs.(*activitytest.FixedVnf)
	vnf.Context.Drivers = []lifecycle.VnfDriver{kubespray.New(vnf.Params)}
	server := &activitytest.FakeNode{Site: fake, Node: lcm.Node{Name: "ansible"}, Files: map[string]string{}}
	fake.Nodes["ansible"] = server
	return ansibleSite{Site: s, fake: fake, server: server, shown: shown, ansible: &pkgplaybook.Ansible{
		Reach: s.Reach, Keys: pinnedKeys{}, SSHPort: func(context.Context, lcm.OpOccID) (int, error) { return 2222, nil },
	}}
}

func (s ansibleSite) input(nodes lcm.Nodes) pkgplaybook.AnsibleInput {
	return pkgplaybook.AnsibleInput{Tracked: s.Cluster().Tracked, OpOccID: s.Cluster().OpOccID, Nodes: nodes}
}

// pinnedKeys returns the same key for every server.
type pinnedKeys struct{}

func (pinnedKeys) HostKey(context.Context, lcm.VnfInstanceID, string) ([]byte, bool, error) {
	key, err := ssh.NewPublicKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public())
	return key.Marshal(), true, err
}

func TestCheckAnsible_looksAsTheServersUser(t *testing.T) {
	s := newAnsibleSite(t)
	s.fake.Replies["check-ansible"] = activitytest.Results(
		"ansible", "ansible-playbook [core 2.14.18]", "kubespray", "2.23.3",
	)
	for range 2 {
		out := activitytest.Must(t, s.ansible.CheckAnsible, s.input(nil))
		assert.Equal(t, "2.23.3", out.Kubespray)
	}
	assert.Empty(t, s.fake.Effects)
	assert.False(t, s.fake.Ran[0].Sudo)
	_, params := activitytest.ReadScript(s.fake.Ran[0].Script)
	assert.Equal(t, "yes", params["PASSWORDS"], "the control planes have one")
}

func TestSendInventory_hasNoPasswordAndSendsOnce(t *testing.T) {
	s := newAnsibleSite(t)
	for range 2 {
		activitytest.Must(t, s.ansible.SendInventory, s.input(s.Nodes))
	}
	assert.Len(t, s.fake.Effects, 4)
	all := ""
	for name, content := range s.server.Files {
		assert.True(t, strings.HasPrefix(name, inventories), name)
		all += content
	}
	for _, secret := range []string{"of-control-planes", "A KEY", "secret1", "of the server"} {
		assert.NotContains(t, all, secret)
	}
	hosts := s.server.Files[inventories+"hosts.ini"]
	assert.Contains(t, hosts, s.Nodes[0].Name+" ansible_host=198.51.100.11 ansible_port=2222 ip=10.0.0.11 ")
	assert.Contains(t, hosts, "ansible_user=ubuntu ansible_ssh_private_key_file=")
	assert.Contains(t, s.server.Files[inventories+"known_hosts"], "[198.51.100.11]:2222 ssh-ed25519 ")
	assert.Contains(t, s.server.Files[inventories+"callback/windlass.py"], "CallbackModule")
	var variables map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.server.Files[inventories+"vars.json"]), &variables))
	assert.Equal(t, "192.168.0.0/16", variables["kube_pods_subnet"])
	assert.Equal(t, "v1.27.7", variables["kube_version"])
	assert.Equal(t, []any{"198.51.100.11"}, variables["supplementary_addresses_in_ssl_keys"])
}

// TestSendInventory_writesTheVersionAsKubespraysReleaseDoes checks releases that take versions with and without a v.
func TestSendInventory_writesTheVersionAsKubespraysReleaseDoes(t *testing.T) {
	for release, want := range map[string]string{
		"version: 2.27.1\n": "v1.27.7", "---\nnamespace: kubernetes_sigs\nversion: 2.28.0\n": "1.27.7",
		"version: '2.31.0'\n": "1.27.7", "name: kubespray\n": "v1.27.7",
	} {
		s := newAnsibleSite(t)
		s.server.Files["/opt/kubespray/galaxy.yml"] = release
		activitytest.Must(t, s.ansible.SendInventory, s.input(s.Nodes))
		var variables map[string]any
		require.NoError(t, json.Unmarshal([]byte(s.server.Files[inventories+"vars.json"]), &variables))
		assert.Equal(t, want, variables["kube_version"], release)
	}
}

func TestSendInventory_reachesWhatIsBrokenAtItsSuccessor(t *testing.T) {
	s := newAnsibleSite(t)
	in := s.input(s.Nodes)
	broken := lcm.Node{
		Name:       "cp-gone",
		Role:       lcm.ControlPlane,
		ServerID:   "gone",
		SSHAddress: "198.51.100.99",
		Address:    "10.0.0.99",
	}
	in.Recovers, in.Broken, in.Successors = true, lcm.Nodes{broken}, s.Nodes[:1]
	for range 2 {
		activitytest.Must(t, s.ansible.SendInventory, in)
	}
	assert.Len(t, s.fake.Effects, 4)
	hosts := s.server.Files[inventories+"hosts.ini"]
	assert.Contains(t, hosts, "\ncp-gone ansible_host=198.51.100.11 ansible_port=2222 ip=10.0.0.99 ")
	assert.Contains(t, hosts, " etcd_member_name=cp-gone ")
	assert.Contains(t, hosts, "[broken_kube_control_plane]\ncp-gone\n\n[broken_etcd]\ncp-gone\n")
}

func TestCheckAnsible_looksForThePlaybookOfControlPlanes(t *testing.T) {
	s := newAnsibleSite(t)
	in := s.input(nil)
	in.Recovers = true
	for range 2 {
		activitytest.Must(t, s.ansible.CheckAnsible, in)
	}
	_, params := activitytest.ReadScript(s.fake.Ran[0].Script)
	assert.Equal(t, "recover-control-plane", params["RECOVER"])
}

func TestRunPlaybook_hasSecretsInItsInputOnly(t *testing.T) {
	s := newAnsibleSite(t)
	in := pkgplaybook.RunPlaybookInput{
		Tracked: s.Cluster().Tracked, OpOccID: s.Cluster().OpOccID, Playbook: "scale", Nodes: s.Nodes, On: s.Nodes[1:],
		Variables: []string{"a=b"},
	}
	for range 2 {
		activitytest.Must(t, s.ansible.RunPlaybook, in)
	}
	require.Len(t, s.fake.Ran, 1, "its end is found again")
	ran := s.fake.Ran[0]
	assert.Zero(t, ran.Deadline, "no limit hides in it")
	assert.False(t, ran.Sudo)
	_, params := activitytest.ReadScript(ran.Script)
	assert.Equal(t, s.Nodes[1].Name+","+s.Nodes[2].Name, params["LIMIT"])
	assert.Equal(t, path.Clean(inventories), params["DIRECTORY"])
	stdin := activitytest.ReadStdin(ran.Stdin)
	assert.JSONEq(t, `{"windlass_passwords":{"`+s.Nodes[0].Name+`":{"__ansible_unsafe":"of-control-planes"}},
		"http_proxy":{"__ansible_unsafe":"http://u:secret1@proxy.example:3128"}}`, stdin["secrets"])
	assert.Equal(t, "A KEY\n", stdin["key."+s.Nodes[1].Name])
	assert.Subset(t, ran.Mask, []string{"of-control-planes", "secret1"})
	for _, secret := range []string{"of-control-planes", "A KEY", "secret1"} {
		assert.NotContains(t, ran.Script, secret)
	}
}

func TestRemoveInventory_passesOverAServerThatIsGone(t *testing.T) {
	s := newAnsibleSite(t)
	in := pkgplaybook.RemoveInventoryInput{Tracked: s.Cluster().Tracked, OpOccID: s.Cluster().OpOccID}
	for range 2 {
		assert.False(t, activitytest.Must(t, s.ansible.RemoveInventory, in).Left)
	}
	gone := lcm.Errorf(lcm.KindUnavailable, "ansible: no answer")
	s.fake.Fail["dial ansible"] = []error{gone, gone}
	_, err := activitytest.Do(t, s.ansible.RemoveInventory, in)
	activitytest.AssertKind(t, err, lcm.KindUnavailable, "no answer")
	in.PassOver = true
	assert.True(t, activitytest.Must(t, s.ansible.RemoveInventory, in).Left)
	assert.Contains(t, strings.Join(s.shown.Shown, "\n"), inventories[:len(inventories)-1])
}
