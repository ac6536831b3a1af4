package kubespray_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/kubespray"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// ofSeed is the request of the seed, but for what it leaves empty.
const ofSeed = `{"k8s_cluster_installation_param": {
	"script_path": "", "vim_name": "kubernetes_vim",
	"ansible": {"ip_address": "192.0.2.9", "username": "ansible", "password": "ansible",
		"kubespray_root_path": "/home/ansible/kubespray", "transferring_inventory_path": "/home/ansible/inventory/"},
	"master_node": {"aspect_id": "master_instance", "ssh_cp_name": "masterNode_CP1", "nic_cp_name": "masterNode_CP1",
		"username": "ubuntu", "password": "ubuntu", "pod_cidr": "192.168.3.0/16", "cluster_cidr": "10.199.187.0/24",
		"cluster_cp_name": "masterNode_CP1"},
	"worker_node": {"aspect_id": "worker_instance", "ssh_cp_name": "workerNode_CP2", "nic_cp_name": "workerNode_CP2",
		"username": "ubuntu", "password": "ubuntu"}}}`

func flavour() *vnfpkg.Flavour {
	return &vnfpkg.Flavour{
		Vdus: []vnfpkg.Vdu{{ID: "masterNode"}, {ID: "workerNode"}},
		Cps:  []vnfpkg.VduCp{{ID: "masterNode_CP1", VduID: "masterNode"}, {ID: "workerNode_CP2", VduID: "workerNode"}},
	}
}

func check(t *testing.T, params string) error {
	t.Helper()
	found := &driver.Findings{}
	r := driver.Request{Flavour: flavour(), Capacity: map[string]int{"masterNode": 3, "workerNode": 2}, Found: found}
	r.AdditionalParams = json.RawMessage(params)
	require.NoError(t, kubespray.Driver{}.CheckRequest(t.Context(), r))
	return found.Err()
}

// changed is the seed's request with a member of another value; null leaves it out.
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
	for _, c := range []struct{ within, member, value, path, says string }{
		{"", "ansible", "null", "ansible", "names the Ansible server"},
		{"ansible", "ip_address", `"0.0.0.0"`, "ansible.ip_address", "must be the address or the name"},
		{"ansible", "kubespray_root_path", `""`, "ansible.kubespray_root_path", "is missing"},
		{"ansible", "transferring_inventory_path", `"relative"`, "ansible.transferring_inventory_path", "must be"},
		{"ansible", "password", "null", "ansible.password", "give password or private_key"},
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
	bound, err := kubespray.Driver{}.Bind(json.RawMessage(ofSeed))
	require.NoError(t, err)
	access, ok := lifecycle.AccessTo([]lifecycle.Driver{bound}, lcm.AnsibleServer)
	require.True(t, ok)
	assert.Equal(t, "192.0.2.9:22", access.HostPort)
	assert.Equal(t, "ansible", access.User)
	worker, ok := lifecycle.AccessTo([]lifecycle.Driver{bound}, lcm.Worker)
	require.True(t, ok)
	assert.Empty(t, worker.HostPort)
	assert.Equal(t, "/home/ansible/inventory/windlass-4711", bound.(*kubespray.Cluster).Directory("4711"))
}

func TestCheck_leavesControlPlanesAsTheyAre(t *testing.T) {
	bound, err := kubespray.Driver{}.Bind(json.RawMessage(ofSeed))
	require.NoError(t, err)
	f := lifecycle.Facts{Flavour: flavour()}
	for vdu, refused := range map[string]bool{"masterNode": true, "workerNode": false} {
		scale := bound.Check(f, lcm.Plan{Operation: lcm.OpScale, Groups: []lcm.GroupChange{{VduID: vdu, From: 1, To: 2}}})
		heal := bound.Check(f, lcm.Plan{Operation: lcm.OpHeal, Leaving: []lcm.LeavingVnfc{{VduID: vdu}}})
		assert.Equal(t, refused, scale != nil, vdu)
		assert.Equal(t, refused, heal != nil, vdu)
	}
	assert.NoError(t, bound.Check(f, lcm.Plan{Operation: lcm.OpHeal, Whole: true, Leaving: []lcm.LeavingVnfc{{VduID: "masterNode"}}}))
}
