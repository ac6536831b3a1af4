package model

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	clusterVnfdID  = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e36"
	clusterPackage = "tests/suites/model/cluster"
	inventories    = "/home/debian/inventory"
	balancerVdu    = "externalLB"
)

var clusterCps = []string{"masterNode_CP1", "workerNode_CP1", "externalLB_CP1"}

// clusters are VNFs that are Kubernetes clusters. One Ansible server installs them with kubespray for all walkers; each
// cluster is behind a load balancer.
type clusters struct {
	ansible kubespray.Machine
	sample  []byte // parameters of a request
}

// newClusters creates the package and prepares the parameters of a cluster that this Ansible server installs.
func newClusters(t *testing.T, bed *testbed.Bed, ansible kubespray.Machine) clusters {
	t.Helper()
	bed.Onboard(t, clusterPackage)
	request := bed.SampleRequest(t, "kubespray-balanced", "of-the-model", func(request, cluster map[string]any) {
		testbed.Impatient(request, cluster)
		for role, vdu := range map[string]string{"master_node": "masterNode", "worker_node": "workerNode"} {
			node := cluster[role].(map[string]any)
			delete(node, "aspect_id")
			node["vdu_id"], node["ssh_cp_name"], node["nic_cp_name"] = vdu, vdu+"_CP1", vdu+"_CP1"
		}
		cluster["ansible"] = map[string]any{
			"ip_address": ansible.Address, "ssh_port": 2222, "username": "debian", "password": testbed.NodePassword,
			"kubespray_root_path": "/opt/kubespray", "transferring_inventory_path": inventories,
		}
	})
	text, err := json.Marshal(map[string]any{
		"k8s_cluster_installation_param": request["additionalParams"].(map[string]any)["k8s_cluster_installation_param"],
	})
	require.NoError(t, err)
	return clusters{ansible: ansible, sample: text}
}

func (clusters) connects() bool                          { return false }
func (clusters) heals() []string                         { return []string{"workerNode", balancerVdu} }
func (clusters) size(level int) int                      { return 3 + level }
func (clusters) runs(*testing.T, *walker, []server) runs { return nil }
func (clusters) due(opView, ground, ground) runs         { return nil }

func (c clusters) params(w *walker) map[string]any {
	var params map[string]any
	if err := json.Unmarshal(c.sample, &params); err != nil {
		panic(err) // the text was made by json.Marshal
	}
	params["k8s_cluster_installation_param"].(map[string]any)["vim_name"] = "cluster-" + w.name
	return params
}

// wrong lists how the cluster, the inventory on the Ansible server, the load balancer's routes and the registered VIM
// differ from what the VNF requires.
func (c clusters) wrong(t *testing.T, w *walker, is vnf, servers []server) (list []string) {
	t.Helper()
	inventory := files(t, w.bed, c.ansible.ID, path.Join(inventories, "windlass-"+w.vnf)+"/")
	var vims struct {
		Vims []any `json:"vims"`
	}
	w.get(t, "/v1.0/vims?name=cluster-"+w.name, &vims)
	if !is.instantiated {
		if len(inventory) > 0 || len(vims.Vims) > 0 {
			list = append(list, fmt.Sprintf("the Ansible server has %d files of it, and it is %d VIMs", len(inventory), len(vims.Vims)))
		}
		return list
	}
	differ := func(what string, want, got []string) {
		if slices.Sort(want); !slices.Equal(want, slices.Sorted(slices.Values(got))) {
			list = append(list, fmt.Sprintf("%s: %v, not %v", what, got, want))
		}
	}
	if len(vims.Vims) != 1 {
		list = append(list, fmt.Sprintf("it is %d VIMs", len(vims.Vims)))
	}
	var recorded, members, nodes, controlPlanes []string
	for _, s := range servers {
		if s.vdu != balancerVdu {
			recorded = append(recorded, s.id)
		}
	}
	for _, cluster := range w.bed.Clusters(t) {
		if cluster.ID != w.vnf {
			continue
		}
		for _, m := range cluster.Members {
			members, nodes = append(members, m.MachineID), append(nodes, m.Node+" "+m.Address)
			if m.ControlPlane {
				controlPlanes = append(controlPlanes, m.Node+" "+m.Address)
			}
			if !is.stopped && (!m.Ready || m.Cordoned) {
				list = append(list, fmt.Sprintf("the node %s is Ready: %t, cordoned: %t", m.Node, m.Ready, m.Cordoned))
			}
		}
		list = append(list, cluster.Violations...)
	}
	differ("nodes of the cluster", recorded, members)
	differ("hosts of the inventory", nodes, hostsOf(inventory[path.Join(inventories, "windlass-"+w.vnf, "hosts.ini")]))
	var balancers []struct {
		MachineID       string   `json:"machineId"`
		Servers         []string `json:"servers"`
		NodePortServers []string `json:"nodePortServers"`
	}
	w.bed.LabInto(t, "/balancers", &balancers)
	for _, s := range servers {
		for _, b := range balancers {
			if b.MachineID == s.id {
				differ("API servers behind the load balancer", controlPlanes, b.Servers)
				differ("nodes behind it", nodes, b.NodePortServers)
				servers = nil
			}
		}
	}
	if servers != nil {
		list = append(list, "it has no load balancer")
	}
	return list
}

// hostsOf returns the hosts of an inventory, each as "name address".
func hostsOf(inventory string) (hosts []string) {
	_, all, _ := strings.Cut(inventory, "[all]\n")
	all, _, _ = strings.Cut(all, "\n[")
	for line := range strings.Lines(all) {
		fields := strings.Fields(line)
		for _, field := range fields {
			if address, is := strings.CutPrefix(field, "ip="); is {
				hosts = append(hosts, fields[0]+" "+address)
			}
		}
	}
	return hosts
}
