package openstack

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

func silent(string) {}

const onePort = `heat_template_version: 2016-10-14
resources:
  vip:
    type: OS::Neutron::Port
    properties: { network: net0 }
`

// TestBalancer_isAsItIsTold configures the lab's Octavia, each time twice: the second call must change nothing.
func TestBalancer_isAsItIsTold(t *testing.T) {
	machines := fake.New(fake.Options{})
	site := labCloud(t, machines, netip.MustParsePrefix("127.78.50.0/24"), netip.MustParsePrefix("127.78.51.0/24"))
	cloud, err := openstack.Connect(t.Context(), site.Vim, site.Cred, outbound.Guard{})
	require.NoError(t, err)
	_, err = cloud.Deploy(t.Context(), vim.Deployment{
		Name: "balanced", Owner: "vnf", Operation: "op", Timeout: time.Minute,
		Definition: openstack.Definition{Template: onePort},
	}, silent)
	require.NoError(t, err)
	inv, err := cloud.Inventory(t.Context(), "balanced")
	require.NoError(t, err)
	port := inv.OfKind(vim.LinkPort)[0].ID

	want := vim.LoadBalancer{Name: "balanced", Owner: "vnf", PortID: port, Routes: []vim.Route{
		{
			Name: "kubernetes-api", Port: 8383, MemberPort: 6443, HealthPath: "/readyz", HealthCodes: "200,401",
			Members: []vim.RouteMember{{Name: "cp-1", Address: "127.78.50.11"}},
		},
		{
			Name: "node-port-30080", Port: 30080, MemberPort: 30080,
			Members: []vim.RouteMember{{Name: "worker-1", Address: "127.78.50.21"}},
		},
	}}
	fault, err := http.Post(strings.TrimSuffix(site.PlainAuthURL, "/identity/v3")+"/lab/faults", "application/json", //nolint:noctx // of this test
		strings.NewReader(`{"resource":"load-balancer"}`))
	require.NoError(t, err)
	require.NoError(t, fault.Body.Close())
	state := func(owner string) (vim.Level, error) {
		level, _, err := cloud.BalancerState(t.Context(), "balanced", owner)
		return level, err
	}
	before, err := state("vnf")
	require.NoError(t, err)
	require.Equal(t, vim.Removed, before)
	require.True(t, lcm.Is(cloud.Balance(t.Context(), want, silent), lcm.KindBroken), "a retry makes it anew")
	failed, err := state("vnf")
	require.NoError(t, err)
	require.Equal(t, vim.Failed, failed)
	balance := func(servers, nodePortServers []string, ports ...int) {
		t.Helper()
		for range 2 {
			require.NoError(t, cloud.Balance(t.Context(), want, silent))
			all := machines.ExternalBalancers()
			require.Len(t, all, 1)
			require.Equal(t, fake.ExternalBalancer{Servers: servers, NodePortServers: nodePortServers, NodePorts: ports}, all[0])
		}
	}
	balance([]string{"cp-1 127.78.50.11"}, []string{"worker-1 127.78.50.21"}, 30080)
	want.Routes[0].Members = append(want.Routes[0].Members, vim.RouteMember{Name: "cp-2", Address: "127.78.50.12"})
	balance([]string{"cp-1 127.78.50.11", "cp-2 127.78.50.12"}, []string{"worker-1 127.78.50.21"}, 30080)
	want.Routes = want.Routes[:1]
	balance([]string{"cp-1 127.78.50.11", "cp-2 127.78.50.12"}, nil)

	sound, err := state("vnf")
	require.NoError(t, err)
	require.Equal(t, vim.Running, sound)
	_, err = state("another")
	require.True(t, lcm.Is(err, lcm.KindConflict))
	other := want
	other.Owner = "another"
	require.True(t, lcm.Is(cloud.Balance(t.Context(), other, silent), lcm.KindConflict))
	require.True(t, lcm.Is(cloud.RemoveBalancer(t.Context(), "balanced", "another", silent), lcm.KindConflict))
	for range 2 {
		require.NoError(t, cloud.RemoveBalancer(t.Context(), "balanced", "vnf", silent))
		require.Empty(t, machines.ExternalBalancers())
	}
	require.NoError(t, cloud.Remove(t.Context(), "balanced", "vnf", silent))
}
