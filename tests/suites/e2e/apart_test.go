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

// networksApart runs clusters with a network for clients, one for the nodes, and one for management, as telecom operators
// have them: by kubeadm and by kubespray. Windlass logs in at the management's ports; clients reach the cluster at the
// load balancer's other port, where it is registered.
func networksApart(t *testing.T, b *bed) {
	clients, management := b.AddNetwork(t, "clients"), b.AddNetwork(t, "management")
	vnf := b.balanced(t, "external-lb-apart", "apart", nil)
	for _, change := range []func() string{
		func() string { return b.Scale(t, vnf, "SCALE_OUT", "worker_instance") },
		func() string {
			return b.Heal(t, vnf, b.VnfcOf(t, vnf, "masterNode"), b.VnfcOf(t, vnf, balancerVdu))
		},
		func() string { return b.Heal(t, vnf) },
	} {
		b.requireApart(t, "cluster-apart", clients)
		b.Await(t, change(), quick, "COMPLETED")
	}
	b.requireApart(t, "cluster-apart", clients)
	b.terminate(t, vnf)

	b.OnboardOnce(t, b.playedBalancedPackage(t))
	const server = "ansible-apart"
	made, err := kubespray.Machines(t.Context(), b.Cloud.Login(), server,
		kubespray.Server{Name: server, Image: kubespray.AnsibleImage, Password: testbed.NodePassword})
	require.NoError(t, err)
	vnf = b.playedBalanced(t, made[server].Address, "external-lb-apart", "played-apart", nil)
	b.requireApart(t, "cluster-played-apart", clients)
	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "worker_instance"), quick, "COMPLETED")
	b.requireApart(t, "cluster-played-apart", clients)
	b.terminate(t, vnf)
	require.NoError(t, kubespray.RemoveMachines(t.Context(), b.Cloud.Login(), server))
	clients.Remove(t)
	management.Remove(t)
	b.RequireNothingLeft(t)
}

// requireApart checks that the cluster is registered in the network of clients, and that its nodes work in net0.
func (b *bed) requireApart(t *testing.T, vim string, clients testbed.Network) {
	t.Helper()
	vims := b.Get(t, "/v1.0/vims?name="+vim)["vims"].([]any)
	require.Len(t, vims, 1)
	at, err := url.Parse(vims[0].(map[string]any)["auth_url"].(string))
	require.NoError(t, err)
	require.True(t, clients.Subnet.Contains(netip.MustParseAddr(at.Hostname())), "%s is not in %s", at, clients.Subnet)
	require.Equal(t, "8383", at.Port())
	b.requireBalanced(t, 1)
	_, nodes := b.backends(t)
	for _, node := range nodes {
		_, address, _ := strings.Cut(node, " ")
		require.True(t, b.Net0(t).Contains(netip.MustParseAddr(address)), "%s is not in %s", node, b.Net0(t))
	}
}
