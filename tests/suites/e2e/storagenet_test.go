package e2e

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// The VNFD ids of the sample k8s-ha with a network for storage, by installer.
const (
	storageNetVnfdID       = "0a6a4f0e-2f0c-4a55-9f0a-6a0d3a3f5e11"
	playedStorageNetVnfdID = "0a6a4f0e-2f0c-4a55-9f0a-6a0d3a3f5e12"
)

// storageApart runs clusters whose nodes have a port more, in a network for storage, and a floating IP each: by kubeadm
// and by kubespray. Windlass and Ansible log in at the floating IPs. The nodes mount over the network for storage.
func storageApart(t *testing.T, b *bed) {
	storage := b.AddNetwork(t, "storage-net")
	b.OnboardOnce(t, b.storageNetPackage(t, storageNetVnfdID, "mgmt-drivers-kubernetes"))
	b.livesWithStorageNet(t, storage, storageNetVnfdID, nil)

	b.OnboardOnce(t, b.storageNetPackage(t, playedStorageNetVnfdID, "mgmt-drivers-kubespray"))
	const server = "ansible-storage"
	made, err := kubespray.Machines(t.Context(), b.Cloud.Login(), server,
		kubespray.Server{Name: server, Image: kubespray.AnsibleImage, Password: testbed.NodePassword})
	require.NoError(t, err)
	b.livesWithStorageNet(t, storage, playedStorageNetVnfdID, playedBy(made[server].Address))
	require.NoError(t, kubespray.RemoveMachines(t.Context(), b.Cloud.Login(), server))
	storage.Remove(t)
	b.RequireNothingLeft(t)
}

func (b *bed) livesWithStorageNet(t *testing.T, storage testbed.Network, vnfdID string, edit func(cluster map[string]any)) {
	t.Helper()
	const name = "storage-net"
	vnf := b.CreateOf(t, vnfdID, name)
	op := b.Begin(t, vnf, "instantiate", b.SampleRequest(t, "storage", name, func(_, cluster map[string]any) {
		server := cluster["storage_server"].(map[string]any)
		for _, export := range server["nfs_server_setup_params"].([]any) {
			export.(map[string]any)["export_to"] = storage.Subnet.String()
		}
		for _, volume := range cluster["pv_registration_params"].([]any) {
			volume.(map[string]any)["nfs_server_cp"] = "storage_server_NFS"
		}
		if edit != nil {
			edit(cluster)
		}
	}))
	b.Await(t, op, quick, "COMPLETED")
	b.requireStorageNet(t, vnf, storage, 2)
	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "worker_instance"), quick, "COMPLETED")
	b.requireStorageNet(t, vnf, storage, 3)
	for _, vdu := range []string{"workerNode", testbed.StorageVdu} {
		b.Await(t, b.Heal(t, vnf, b.VnfcOf(t, vnf, vdu)), quick, "COMPLETED")
		b.requireStorageNet(t, vnf, storage, 3)
	}
	b.Await(t, b.Scale(t, vnf, "SCALE_IN", "worker_instance"), quick, "COMPLETED")
	b.requireStorageNet(t, vnf, storage, 2)
	b.terminate(t, vnf)
}

// requireStorageNet checks that all logins are at floating IPs, that the nodes work in net0, and that the volumes are
// served in the network for storage alone.
func (b *bed) requireStorageNet(t *testing.T, vnf string, storage testbed.Network, workers int) {
	t.Helper()
	b.RequireCluster(t, 1, workers)
	nodes, _ := b.Get(t, "/windlass/v1/vnf_instances/"+vnf+"/topology")["parts"].([]any)
	floating := map[string]bool{}
	for _, n := range nodes {
		node := n.(map[string]any)
		address, at := parsed(t, node["address"]), parsed(t, node["sshAddress"])
		require.True(t, b.Net0(t).Contains(address), "%v", node)
		if node["role"] == "storage" {
			continue
		}
		require.False(t, b.Net0(t).Contains(at) || storage.Subnet.Contains(at), "%v", node)
		floating[at.String()] = true
	}
	require.Len(t, floating, 1+workers, "a floating IP for each node")

	vims := b.Get(t, "/v1.0/vims?name=cluster-storage-net")["vims"].([]any)
	require.Len(t, vims, 1)
	at, err := url.Parse(vims[0].(map[string]any)["auth_url"].(string))
	require.NoError(t, err)
	require.True(t, floating[at.Hostname()], "%s is the floating IP of the control plane", at)

	for _, export := range b.Storage(t).Exports {
		require.Equal(t, []string{storage.Subnet.String()}, export.Networks)
	}
	volumes := b.Clusters(t)[0].PersistentVolumes
	require.Len(t, volumes, 3)
	for _, v := range volumes {
		require.Equal(t, "Available", v.Phase, v.Name)
		require.True(t, storage.Subnet.Contains(netip.MustParseAddr(v.Server)), "%s is served at %s", v.Name, v.Server)
	}
}

func parsed(t *testing.T, address any) netip.Addr {
	t.Helper()
	text, _ := address.(string)
	at, err := netip.ParseAddr(text)
	require.NoError(t, err)
	return at
}

// storageNetPackage makes the sample k8s-ha with a port more on each node and on the storage server, in a network
// for storage, and with a floating IP for each node.
func (b *bed) storageNetPackage(t *testing.T, vnfdID, driver string) (dir string) {
	t.Helper()
	changes := []string{testbed.VnfdID, vnfdID, "mgmt-drivers-kubernetes", driver}
	add := func(cp, port, resources string) {
		plug, begin := "        - port: { get_resource: "+cp+" }\n", "  "+cp+":\n    type: OS::Neutron::Port\n"
		changes = append(changes,
			plug, plug+"        - port: { get_resource: "+port+" }\n",
			begin, strings.NewReplacer("PORT", port, "CP", cp).Replace(resources)+begin)
	}
	add("masterNode_CP1", "masterNode_NFS", portOfStorage+floatingIP)
	add("workerNode_CP2", "workerNode_NFS", portOfStorage+floatingIP)
	add("storage_server_CP", "storage_server_NFS", portOfStorage)
	return b.changedSample(t, "k8s-ha", strings.NewReplacer(changes...))
}

const (
	portOfStorage = "  PORT:\n    type: OS::Neutron::Port\n    properties: { network: storage-net }\n\n"
	floatingIP    = "  CP_public:\n    type: OS::Neutron::FloatingIP\n" +
		"    properties: { floating_network: public, port_id: { get_resource: CP } }\n\n"
)
