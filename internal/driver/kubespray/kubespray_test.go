package kubespray_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/kubespray"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// ofSeed is the request of the seed without the members that it leaves empty.
const ofSeed = `{"k8s_cluster_installation_param": {
	"script_path": "", "vim_name": "kubernetes_vim",
	"ansible": {"ip_address": "192.0.2.9", "username": "ansible", "password": "ansible",
		"kubespray_root_path": "/home/ansible/kubespray", "transferring_inventory_path": "/home/ansible/inventory/"},
	"master_node": {"aspect_id": "master_instance", "ssh_cp_name": "masterNode_CP1", "nic_cp_name": "masterNode_CP1",
		"username": "ubuntu", "password": "ubuntu", "pod_cidr": "192.168.3.0/16", "cluster_cidr": "10.199.187.0/24",
		"cluster_cp_name": "masterNode_CP1"},
	"worker_node": {"aspect_id": "worker_instance", "ssh_cp_name": "workerNode_CP2", "nic_cp_name": "workerNode_CP2",
		"username": "ubuntu", "password": "ubuntu"},
	"proxy": {"http_proxy": "http://user1:password1@host1:3128", "https_proxy": "https://user2:password2@host2:3129",
		"no_proxy": "192.168.246.0/24,10.0.0.1", "k8s_node_cidr": "10.10.0.0/24"},
	"external_lb_param": {"ssh_cp_name": "externalLB_CP1", "ssh_username": "ubuntu", "ssh_password": "ubuntu",
		"script_path": "./Scripts/ExternalLB_installation.sh"}}}`

func flavour() *descriptor.Flavour {
	return &descriptor.Flavour{
		Vdus: []descriptor.Vdu{{ID: "masterNode"}, {ID: "workerNode"}, {ID: "externalLB"}},
		Cps: []descriptor.VduCp{
			{ID: "masterNode_CP1", VduID: "masterNode"},
			{ID: "workerNode_CP2", VduID: "workerNode"},
			{ID: "externalLB_CP1", VduID: "externalLB"},
		},
	}
}

func check(t *testing.T, params string) error {
	t.Helper()
	return checkOf(t, params, 3)
}

// checkOf checks a request for this number of control planes.
func checkOf(t *testing.T, params string, controlPlanes int) error {
	t.Helper()
	found := &driver.Findings{}
	r := driver.Request{
		Flavour: flavour(), Capacity: map[string]int{"masterNode": controlPlanes, "workerNode": 2, "externalLB": 1}, Found: found,
		Package: driver.Package{VnfPkg: lcm.VnfPkg{
			Artifacts: []lcm.PkgArtifact{{Path: "Scripts/ExternalLB_installation.sh"}},
		}},
	}
	r.AdditionalParams = json.RawMessage(params)
	bound, wrong := kubespray.Driver{}.Bind(r.AdditionalParams)
	require.NoError(t, bound.CheckRequest(t.Context(), r, wrong))
	return found.Err()
}

// changed returns the seed's request with another value of a member; null removes the member.
func changed(t *testing.T, within, member, value string) string {
	t.Helper()
	var all map[string]map[string]any
	require.NoError(t, json.Unmarshal([]byte(ofSeed), &all))
	to := all["k8s_cluster_installation_param"]
	if within != "" {
		to = to[within].(map[string]any)
	}
	var v any
	require.NoError(t, json.Unmarshal([]byte(value), &v))
	if to[member] = v; v == nil {
		delete(to, member)
	}
	out, err := json.Marshal(all)
	require.NoError(t, err)
	return string(out)
}

func TestCheckRequest_takesTheSeedsAndTellsWhatIsWrong(t *testing.T) {
	require.NoError(t, check(t, ofSeed), "three control planes without a virtual IP")
	for _, even := range []int{2, 4} {
		require.ErrorContains(t, checkOf(t, ofSeed, even), "etcd needs an odd number")
	}
	for _, c := range []struct{ within, member, value, path, says string }{
		{"", "ansible", "null", "ansible", "names the Ansible server"},
		{"ansible", "ip_address", `"0.0.0.0"`, "ansible.ip_address", "must be the address or the name"},
		{"ansible", "kubespray_root_path", `""`, "ansible.kubespray_root_path", "is missing"},
		{"ansible", "transferring_inventory_path", `"relative"`, "ansible.transferring_inventory_path", "must be"},
		{"ansible", "password", "null", "ansible.password", "give password or private_key"},
		{"master_node", "pod_cidr", `"fd00:10:244::/56"`, "master_node.pod_cidr", "must be an IPv4 network"},
		{"", "cni_manifest_path", `"Files/cni.yaml"`, "cni_manifest_path", "kubespray's own inventory/sample"},
	} {
		err := check(t, changed(t, c.within, c.member, c.value))
		e := &lcm.Error{}
		require.ErrorAs(t, err, &e, c.member)
		at := slices.IndexFunc(e.Problems, func(p lcm.Problem) bool {
			return p.Path == "$.additionalParams.k8s_cluster_installation_param."+c.path
		})
		require.NotEqual(t, -1, at, "%v", e.Problems)
		assert.Contains(t, e.Problems[at].Detail, c.says)
	}
}

func TestAccess_reachesTheAnsibleServerWhereItIs(t *testing.T) {
	bound, wrong := kubespray.Driver{}.Bind(json.RawMessage(ofSeed))
	require.Empty(t, wrong.Types)
	access, ok := lifecycle.AccessTo([]lifecycle.VnfDriver{bound}, lcm.AnsibleServer)
	require.True(t, ok)
	assert.Equal(t, "192.0.2.9:22", access.HostPort)
	assert.Equal(t, "ansible", access.User)
	balancer, ok := lifecycle.AccessTo([]lifecycle.VnfDriver{bound}, lcm.LoadBalancer)
	require.True(t, ok)
	assert.Equal(t, "ubuntu", balancer.User)
	assert.Equal(t, lcm.Secret{Clear: "ubuntu"}, balancer.Password)
	worker, ok := lifecycle.AccessTo([]lifecycle.VnfDriver{bound}, lcm.Worker)
	require.True(t, ok)
	assert.Empty(t, worker.HostPort)
	assert.Equal(t, "/home/ansible/inventory/windlass-4711", bound.(*kubespray.Installer).Directory("4711"))
}

func TestCheck_keepsTheMajorityOfControlPlanes(t *testing.T) {
	bound, wrong := kubespray.Driver{}.Bind(json.RawMessage(ofSeed))
	require.Empty(t, wrong.Types)
	for all, healed := range map[int]int{1: 0, 3: 1, 5: 2} {
		f := facts(all)
		for n := 1; n <= all; n++ {
			plan := lcm.Plan{Operation: lcm.OpHeal}
			for _, v := range f.Instance.Instantiated.VnfcResources[:n] {
				plan.Leaving = append(plan.Leaving, lcm.LeavingVnfc{VnfcID: v.ID, VduID: v.VduID})
			}
			assert.Equal(t, n > healed, bound.Check(f, plan) != nil, "%d of %d", n, all)
			plan.Whole = true
			assert.NoError(t, bound.Check(f, plan))
		}
	}
	assert.NoError(t, bound.Check(facts(1), lcm.Plan{Operation: lcm.OpHeal, Leaving: []lcm.LeavingVnfc{{VduID: "workerNode"}}}))
}

func TestCheck_keepsTheNumberOfControlPlanesOdd(t *testing.T) {
	bound, wrong := kubespray.Driver{}.Bind(json.RawMessage(ofSeed))
	require.Empty(t, wrong.Types)
	for vdu, refused := range map[string]bool{"masterNode": true, "workerNode": false} {
		even := bound.Check(facts(1), lcm.Plan{Operation: lcm.OpScale, Groups: []lcm.GroupChange{{VduID: vdu, From: 1, To: 2}}})
		assert.Equal(t, refused, even != nil, vdu)
		odd := bound.Check(facts(1), lcm.Plan{Operation: lcm.OpScale, Groups: []lcm.GroupChange{{VduID: vdu, From: 1, To: 3}}})
		assert.NoError(t, odd)
	}
}

// facts returns the facts of a VNF with this number of control planes and one worker.
func facts(controlPlanes int) lifecycle.Facts {
	info := &lcm.InstantiatedVnfInfo{}
	add := func(id, vdu string, role lcm.Role) {
		info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{
			ID: id, VduID: vdu, ComputeResource: lcm.ResourceHandle{ResourceID: "server-" + id},
		})
		info.Nodes = append(info.Nodes, lcm.Node{Name: id, Role: role, VduID: vdu, ServerID: "server-" + id})
	}
	for i := range controlPlanes {
		add(fmt.Sprintf("cp-%d", i), "masterNode", lcm.ControlPlane)
	}
	add("w-0", "workerNode", lcm.Worker)
	return lifecycle.Facts{Flavour: flavour(), Instance: lcm.VnfInstance{Instantiated: info}}
}

// stepsOf returns the ids of the driver's steps at these hooks.
func stepsOf(bound lifecycle.VnfDriver, f lifecycle.Facts, p lcm.Plan, hooks ...lifecycle.Hook) (ids []string) {
	for _, hook := range hooks {
		for _, step := range bound.Steps(hook, f, p) {
			ids = append(ids, string(step.ID))
		}
	}
	return ids
}

func TestSteps_replaceControlPlanesByTheirOwnPlaybook(t *testing.T) {
	bound, wrong := kubespray.Driver{}.Bind(json.RawMessage(changed(t, "", "external_lb_param", "null")))
	require.Empty(t, wrong.Types)
	f := facts(3)
	ofControlPlane := lcm.Plan{Operation: lcm.OpHeal, Leaving: []lcm.LeavingVnfc{{VnfcID: "cp-0", VduID: "masterNode", ServerID: "server-cp-0"}}}
	ids := stepsOf(bound, f, ofControlPlane, lifecycle.HealStart, lifecycle.HealEnd)
	assert.Equal(t, []string{
		"check-ansible", "drain-leaving", "wait-for-new-nodes", "send-new-inventory", "play-facts", "play-recover",
		"play-cluster-again", "finish-new-nodes", "register-again", "forget-replaced-nodes",
	}, ids)
	both := ofControlPlane
	both.Leaving = append(both.Leaving, lcm.LeavingVnfc{VnfcID: "w-0", VduID: "workerNode", ServerID: "server-w-0"})
	ids = stepsOf(bound, f, both, lifecycle.HealStart, lifecycle.HealEnd)
	assert.Subset(t, ids, []string{"play-remove-node", "play-recover", "play-scale"})

	assert.Equal(t, []string{"check-ansible"}, stepsOf(bound, f, lcm.Plan{}, lifecycle.InstantiateStart),
		"before any server is made")

	in := lcm.Plan{Operation: lcm.OpScale, Groups: []lcm.GroupChange{{VduID: "masterNode", From: 3, To: 1}}}
	ids = stepsOf(bound, f, in, lifecycle.ScaleBegin, lifecycle.ScaleStart)
	assert.Equal(t, []string{"check-ansible", "drain-leaving", "send-leaving-last", "play-remove-node"}, ids)
	instead, ok := bound.(lifecycle.Substitute).Instead(lifecycle.Step{ID: lifecycle.StepRemoveServers}, f, in)
	require.True(t, ok)
	ids = nil
	for _, step := range instead {
		ids = append(ids, string(step.ID))
	}
	assert.Equal(t, []string{"send-remaining", "play-cluster-remaining", "register-remaining", "remove-nodes-only"}, ids)
	balanced, wrong := kubespray.Driver{}.Bind(json.RawMessage(ofSeed))
	require.Empty(t, wrong.Types)
	instead, _ = balanced.(lifecycle.Substitute).Instead(lifecycle.Step{ID: lifecycle.StepRemoveServers}, f, in)
	assert.Len(t, instead, 3, "it is known by the address of its load balancer")
}

// TestCheckRequest_refusesThePlaceholdersOfTheSeed checks what docs/coming-from-tacker.md says about the body in the
// specification of Tacker's driver.
func TestCheckRequest_refusesThePlaceholdersOfTheSeed(t *testing.T) {
	body := strings.NewReplacer(
		`"192.0.2.9"`, `"0.0.0.0"`, `"/home/ansible/kubespray"`, `""`, `"/home/ansible/inventory/"`, `""`,
	).Replace(ofSeed)
	e := &lcm.Error{}
	require.ErrorAs(t, check(t, body), &e)
	var paths []string
	for _, p := range e.Problems {
		paths = append(paths, strings.TrimPrefix(p.Path, "$.additionalParams.k8s_cluster_installation_param."))
	}
	assert.ElementsMatch(t, []string{
		"ansible.ip_address", "ansible.kubespray_root_path", "ansible.transferring_inventory_path",
	}, paths)
	page, err := os.ReadFile("../../../docs/coming-from-tacker.md")
	require.NoError(t, err)
	for _, path := range paths {
		assert.True(t, strings.Contains(string(page), "`"+path+"`"), "the page does not name %s", path)
	}
}

// TestSteps_connectNewNodesAfterTheyHaveJoined checks the order that the pages about registries and volumes name.
func TestSteps_connectNewNodesAfterTheyHaveJoined(t *testing.T) {
	registries := `[{"connection_type": "1", "server": "registry.example:5000"}]`
	bound, wrong := kubespray.Driver{}.Bind(json.RawMessage(changed(t, "", "private_registry_connection_info", registries)))
	require.Empty(t, wrong.Types)
	out := lcm.Plan{Operation: lcm.OpScale, Groups: []lcm.GroupChange{{VduID: "workerNode", From: 1, To: 2}}}
	ids := stepsOf(bound, facts(3), out, lifecycle.ScaleEnd)
	joined, connected := slices.Index(ids, "play-scale"), slices.Index(ids, "connect-registries")
	assert.Positive(t, joined, "%v", ids)
	assert.Greater(t, connected, joined, "%v", ids)
	for _, file := range []string{"registries.md", "persistent-volumes.md"} {
		page, err := os.ReadFile("../../../docs/how-to/" + file)
		require.NoError(t, err)
		assert.True(t, strings.Contains(string(page), "With [kubespray](kubespray.md)"), file)
	}
}
