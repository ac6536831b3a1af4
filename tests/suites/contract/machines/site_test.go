// Package machines checks activities, and the scripts that they run, on the lab's machines.
package machines

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
)

// machines are the lab's fake machines: they answer on SSH and simulate a cluster.
type machines struct {
	*fake.Hypervisor
	t      *testing.T
	dialer *remote.Dialer
	key    string
	line   string
	vip    string
}

// site is where the tests of this package build a cluster.
type site struct{ activitytest.Site }

// subnet is the number of the last subnet. All tests share one loopback interface, so each needs its own addresses.
var subnet atomic.Int32

const machinesCluster = "11112222-3333-4444-8555-666677778888"

// newMachines makes a site with fake machines for the nodes of a cluster. The function change alters the parameters.
func newMachines(
	t *testing.T, controlPlanes, workers int, change func(*k8s.Params),
) (site, *machines, *activitytest.Output) {
	t.Helper()
	made, _, output := activitytest.NewSite(controlPlanes, workers, func(p *k8s.Params) {
		p.Timeouts.Drain, p.Timeouts.VolumeDetach, p.DrainPolicy = 1, 1, k8s.DrainFail
		if change != nil {
			change(p)
		}
	})
	s := site{made}
	m := &machines{Hypervisor: fake.New(fake.Options{}), t: t, dialer: remotetest.Dialer()}
	m.key, m.line = remotetest.Key(t)
	t.Cleanup(func() { require.NoError(t, m.Down(context.Background())) })
	require.NoError(t, m.EnsureNetwork(t.Context(), machine.Network{ID: "net0"}))
	net := 100 + subnet.Add(1)
	if s.VirtualIP != "" {
		s.VirtualIP = fmt.Sprintf("127.79.%d.9", net)
		m.vip = s.VirtualIP
	}
	for i := range s.Nodes {
		s.Nodes[i].Address = fmt.Sprintf("127.79.%d.%d", net, 11+i)
		s.Nodes[i].SSHAddress = s.Nodes[i].Address + ":2222"
		m.boot(s.Nodes[i])
	}
	s.Reach.Hosts = m
	return s, m, output
}

// boot makes a VM for a node.
func (m *machines) boot(node lcm.Node) {
	m.t.Helper()
	port := machine.Port{ID: node.ServerID + "-port", NetworkID: "net0", FixedIPs: []string{node.Address}, PrefixLen: 24}
	if m.vip != "" {
		port.AllowedAddresses = []string{m.vip}
	}
	require.NoError(m.t, m.Create(m.t.Context(), machine.Machine{
		ID: node.ServerID, Name: node.Name, AuthorizedKeys: []string{m.line}, Ports: []machine.Port{port},
	}))
}

// Dial implements activities.Hosts.
func (m *machines) Dial(ctx context.Context, _ lcm.OpOccID, node lcm.Node) (reach.Host, error) {
	host, err := m.dialer.Dial(ctx, remote.Target{
		Node: node.Name, Address: node.SSHAddress, User: machine.User, PrivateKey: m.key, ServerID: node.ServerID,
	})
	if err != nil {
		return nil, err
	}
	return host, nil
}

func (m *machines) cluster() fake.Cluster {
	m.t.Helper()
	all := m.Clusters()
	require.Len(m.t, all, 1)
	return all[0]
}

// names returns the names of the nodes, and of the members of etcd.
func (m *machines) names() (nodes, members []string) {
	c := m.cluster()
	for _, n := range c.Members {
		nodes = append(nodes, n.Node)
	}
	for _, e := range c.EtcdMembers {
		members = append(members, e.Node)
	}
	return nodes, members
}
