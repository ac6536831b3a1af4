package activities_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func (s site) drain(leaving lcm.Node) activities.DrainNodeInput {
	return activities.DrainNodeInput{ClusterInput: s.cluster(), Leaving: leaving}
}

func (s site) leaving(node lcm.Node) activities.NodeOfClusterInput {
	return activities.NodeOfClusterInput{ClusterInput: s.cluster(), Leaving: node}
}

func (s site) members(leaving ...lcm.Node) activities.RemoveMemberInput {
	return activities.RemoveMemberInput{ClusterInput: s.cluster(), Leaving: leaving}
}

// balance tells the control planes of the load balancers on those that stay.
func (s site) balance(t *testing.T, on ...lcm.Node) {
	t.Helper()
	nodes := &activities.Nodes{Reach: s.reach}
	for _, n := range on {
		must(t, nodes.ConfigureLoadBalancer, activities.LoadBalancerInput{
			NodeInput: s.tracked(n), ControlPlanes: on,
			VirtualIP: s.virtualIP,
		})
	}
}

// twice runs an activity two times: the second run must change nothing.
func twice[In, Out any](t *testing.T, m *machines, act func(in In) Out, in In) Out {
	t.Helper()
	out := act(in)
	before := m.Clusters()
	act(in)
	require.Equal(t, before, m.Clusters(), "the second run changed something")
	return out
}

func TestControlPlane_leavesAndANewOneTakesItsPlace(t *testing.T) {
	s, m, _ := newMachines(t, 3, 2, nil)
	cluster := &activities.Cluster{Reach: s.reach}
	buildCluster(t, s)
	old := s.nodes[0] // it holds the virtual IP
	rest := append(lcm.Nodes{}, s.nodes[1:3]...)

	twice(t, m, func(in activities.DrainNodeInput) activities.DrainNodeOutput { return must(t, cluster.DrainNode, in) },
		s.drain(old))
	twice(t, m, func(in activities.NodeInput) activities.RetireNodeOutput {
		return must(t, cluster.ReleaseVirtualIP, in)
	}, s.tracked(old))
	assert.Equal(t, map[string]string{s.virtualIP: rest[0].ServerID}, m.VirtualIPs())
	s.balance(t, rest...)
	twice(t, m, func(in activities.RemoveMemberInput) activities.RemoveMemberOutput {
		return must(t, cluster.RemoveMember, in)
	}, s.members(old))
	twice(t, m, func(in activities.NodeOfClusterInput) activities.DeleteNodeOutput {
		return must(t, cluster.DeleteNode, in)
	}, s.leaving(old))
	twice(t, m, func(in activities.NodeInput) activities.RetireNodeOutput { return must(t, cluster.RetireNode, in) },
		s.tracked(old))
	require.NoError(t, m.Delete(t.Context(), old.ServerID))

	fresh := old // Heat keeps the port, so the address stays
	fresh.ServerID = "0000000e-0000-4000-8000-000000000000"
	fresh.Name = lcm.NodeName(lcm.ControlPlane, fresh.ServerID)
	m.boot(fresh)
	s.nodes = append(append(lcm.Nodes{}, rest...), append(lcm.Nodes{fresh}, s.nodes[3:]...)...)
	buildMore(t, s, fresh)
	out := must(t, cluster.ClusterHealth, s.cluster())
	assert.Empty(t, out.Reason)
	assert.Len(t, out.Members, 3)
	assert.Len(t, out.Nodes, 5)
	c := m.cluster()
	assert.Empty(t, c.Violations)
	for _, b := range c.Balancers {
		assert.Equal(t, []string{rest[0].Name + " " + rest[0].Address, rest[1].Name + " " + rest[1].Address, fresh.Name +
			" " + fresh.Address}, b.Servers)
	}
	assert.Len(t, c.Balancers, 3)
	twice(t, m, func(in activities.RemoveMemberInput) activities.RemoveMemberOutput {
		return must(t, cluster.RemoveMember, in)
	}, s.members(old))
	_, members := m.names()
	assert.Contains(t, members, fresh.Name, "the old one's address is now the new one's")
}

// buildMore joins one node, as scale-out and heal do.
func buildMore(t *testing.T, s site, n lcm.Node) {
	t.Helper()
	nodes, cluster := &activities.Nodes{Reach: s.reach}, &activities.Cluster{Reach: s.reach}
	controlPlanes := s.nodes.With(lcm.ControlPlane)
	must(t, nodes.WaitForSSH, s.tracked(n))
	must(t, nodes.PrepareNode, activities.PrepareNodeInput{
		NodeInput: s.tracked(n), Hosts: activities.HostEntries(s.nodes),
		VirtualIP: s.virtualIP,
	})
	if n.Role == lcm.ControlPlane && s.virtualIP != "" {
		s.balance(t, controlPlanes...)
	}
	join := must(t, cluster.MintJoin, activities.MintJoinInput{ClusterInput: s.cluster(), ForControlPlanes: true})
	if n.Role == lcm.ControlPlane {
		must(t, cluster.JoinControlPlane, activities.JoinControlPlaneInput{
			NodeInput: s.tracked(n), ControlPlanes: controlPlanes, VirtualIP: s.virtualIP, Join: join,
		})
	} else {
		must(t, cluster.JoinWorker, activities.JoinWorkerInput{
			NodeInput: s.tracked(n), VirtualIP: s.virtualIP, ControlPlane: controlPlanes[0].Address, Join: join,
		})
	}
	must(t, cluster.RevokeJoin, s.cluster())
}

func TestRetireNode_letsANodeJoinAgain(t *testing.T) {
	s, m, _ := newMachines(t, 3, 1, nil)
	cluster := &activities.Cluster{Reach: s.reach}
	buildCluster(t, s)
	for _, n := range []lcm.Node{s.nodes[1], s.nodes[3]} {
		must(t, cluster.DrainNode, s.drain(n))
		must(t, cluster.RemoveMember, s.members(n))
		must(t, cluster.DeleteNode, s.leaving(n))
		out := must(t, cluster.RetireNode, s.tracked(n))
		assert.False(t, out.NotReachable)
		buildMore(t, s, n)
		must(t, cluster.UncordonNode, s.leaving(n))
	}
	assert.Empty(t, must(t, cluster.ClusterHealth, s.cluster()).Reason)
	assert.Empty(t, m.cluster().Violations)
	for _, n := range m.cluster().Members {
		assert.False(t, n.Cordoned, n.Node)
	}
}

func TestRetireNode_isBestEffort(t *testing.T) {
	s, m, output := newMachines(t, 1, 1, nil)
	cluster := &activities.Cluster{Reach: s.reach}
	buildCluster(t, s)
	require.NoError(t, m.Kill(t.Context(), s.nodes[1].ServerID))
	for range 2 {
		out := must(t, cluster.RetireNode, s.tracked(s.nodes[1]))
		assert.True(t, out.NotReachable)
		assert.NotEmpty(t, out.Reason)
	}
	assert.Contains(t, strings.Join(output.lines, "\n"), "left as it is: ")
}

func TestRetireNode_leavesANodeThatFailsAsItIs(t *testing.T) {
	s, m, _ := newMachines(t, 1, 1, nil)
	m.Inject(fake.Fault{Script: "retire-node", ExitCode: 1, Output: "windlass: containerd hangs"})
	out := must(t, (&activities.Cluster{Reach: s.reach}).RetireNode, s.tracked(s.nodes[1]))
	assert.Contains(t, out.Reason, "containerd hangs")
}

// drains remembers decisions as the store does: each once.
type drains struct{ kept []lcm.DrainDecision }

func (d *drains) KeepDrain(_ context.Context, _ lcm.OpOccID, decision lcm.DrainDecision) error {
	decision.At = time.Time{}
	if !slices.Contains(d.kept, decision) {
		d.kept = append(d.kept, decision)
	}
	return nil
}

func TestDrainNode_ofANodeThatIsDownWaitsForNothing(t *testing.T) {
	s, m, _ := newMachines(t, 1, 2, func(p *k8s.Params) { p.Timeouts.Drain = 7200 })
	decided := &drains{}
	cluster := &activities.Cluster{Reach: s.reach, Drains: decided}
	buildCluster(t, s)
	leaving := s.nodes[1]
	require.NoError(t, m.AddPod(machinesCluster, fake.Pod{Name: "web", Node: leaving.Name, Budget: "web"}))
	require.NoError(t, m.Kill(t.Context(), leaving.ServerID))
	out := twice(t, m, func(in activities.DrainNodeInput) activities.DrainNodeOutput {
		return must(t, cluster.DrainNode,
			in)
	}, s.drain(leaving))
	assert.Equal(t, activities.DrainNodeOutput{Forced: true, NotReachable: true}, out)
	require.Len(t, decided.kept, 1)
	assert.Equal(t, lcm.DrainNotWaited, decided.kept[0].Action)
	assert.Contains(t, decided.kept[0].Detail, "was not Ready")
	twice(t, m, func(in activities.NodeOfClusterInput) activities.DeleteNodeOutput {
		return must(t, cluster.DeleteNode, in)
	}, s.leaving(leaving))
	require.NoError(t, m.Delete(t.Context(), leaving.ServerID))
	assert.Empty(t, m.cluster().Violations)
	assert.True(t, must(t, cluster.DrainNode, s.drain(leaving)).Absent)
}

func TestDrainNode_obeysItsPolicy(t *testing.T) {
	pod := func(node string) fake.Pod {
		return fake.Pod{Name: "web", Node: node, Budget: "web", Volume: "pv-1", Stuck: true}
	}
	s, m, _ := newMachines(t, 1, 2, nil)
	decided := &drains{}
	cluster := &activities.Cluster{Reach: s.reach, Drains: decided}
	buildCluster(t, s)
	must(t, cluster.DrainNode, s.drain(s.nodes[2]))
	assert.Empty(t, decided.kept, "a node that goes in time needs no decision")
	require.NoError(t, m.AddPod(machinesCluster, pod(s.nodes[1].Name)))
	for range 2 {
		_, err := do(t, cluster.DrainNode, s.drain(s.nodes[1]))
		assertKind(t, err, lcm.KindBroken,
			"these pods are still on worker-00000015: default/web (the PodDisruptionBudget web lets no pod go). "+
				"Make room for them or ease the budgets, then retry; or set drain_policy to force")
	}
	twice(t, m, func(in activities.NodeOfClusterInput) activities.UncordonNodeOutput {
		return must(t, cluster.UncordonNode, in)
	}, s.leaving(s.nodes[1]))
	assert.False(t, m.cluster().Members[1].Cordoned)
	in := s.drain(s.nodes[1])
	in.Force = true
	out := must(t, cluster.DrainNode, in)
	assert.Equal(t, activities.DrainNodeOutput{Forced: true, Attached: "pv-1"}, out)
	require.Len(t, decided.kept, 2)
	assert.Equal(t, lcm.DrainDecision{
		Node: s.nodes[1].Name, Phase: lcm.PhaseForward, Action: lcm.DrainForced,
		Detail: "After 1 s there were still pods on the node; a rollback waits no longer, so they were deleted. After 1 s " +
			"these volumes were still attached to it: pv-1.",
	}, decided.kept[1])
	assert.Equal(t, lcm.DrainFailed, decided.kept[0].Action)
	assert.Contains(t, decided.kept[0].Detail, "the PodDisruptionBudget web lets no pod go")

	s, m, _ = newMachines(t, 1, 2, func(p *k8s.Params) { p.DrainPolicy = k8s.DrainForce })
	decided = &drains{}
	cluster = &activities.Cluster{Reach: s.reach, Drains: decided}
	buildCluster(t, s)
	require.NoError(t, m.AddPod(machinesCluster, pod(s.nodes[1].Name)))
	assert.True(t, must(t, cluster.DrainNode, s.drain(s.nodes[1])).Forced)
	require.Len(t, decided.kept, 1)
	assert.Contains(t, decided.kept[0].Detail, "as drain_policy or the stopType has it")
}

func TestRemoveMember_refusesWhatCostsTheQuorum(t *testing.T) {
	s, m, _ := newMachines(t, 3, 0, nil)
	cluster := &activities.Cluster{Reach: s.reach}
	buildCluster(t, s)
	require.NoError(t, m.Kill(t.Context(), s.nodes[2].ServerID))
	health := must(t, cluster.ClusterHealth, s.cluster())
	assert.Contains(t, health.Reason, "the etcd member cp-0000000d does not answer")
	assert.Contains(t, health.Refusal(s.nodes[1:2]),
		"etcd would lose its quorum without cp-0000000c: 1 of the other 2 members work and 2 must")
	assert.Empty(t, health.Refusal(s.nodes[1:3]))
	assert.Contains(t, health.Refusal(s.nodes), "is the last member of etcd")
	_, err := do(t, cluster.RemoveMember, s.members(s.nodes[1]))
	assertKind(t, err, lcm.KindInvalid, "etcd would lose its quorum without cp-0000000c")
	_, err = do(t, cluster.RemoveMember, s.members(s.nodes...))
	assertKind(t, err, lcm.KindInvalid, "No control plane would stay")
	twice(t, m, func(in activities.RemoveMemberInput) activities.RemoveMemberOutput {
		return must(t, cluster.RemoveMember, in)
	}, s.members(s.nodes[1:]...))
	_, members := m.names()
	assert.Equal(t, []string{"cp-0000000b"}, members)
}

func TestClusterHealth_tellsThatTheQuorumIsLost(t *testing.T) {
	s, m, _ := newMachines(t, 3, 0, nil)
	cluster := &activities.Cluster{Reach: s.reach}
	buildCluster(t, s)
	for _, n := range s.nodes[1:] {
		require.NoError(t, m.Kill(t.Context(), n.ServerID))
	}
	health := must(t, cluster.ClusterHealth, s.cluster())
	assert.Contains(t, health.Reason, "etcd has no quorum, as cp-0000000b sees it")
	assert.Equal(t, health.Reason, health.Refusal(s.nodes[1:2]))
	_, err := do(t, cluster.RemoveMember, s.members(s.nodes[1]))
	assertKind(t, err, lcm.KindExhausted, "etcd has no quorum")
	require.NoError(t, m.Kill(t.Context(), s.nodes[0].ServerID))
	_, err = do(t, cluster.ClusterHealth, s.cluster())
	assertKind(t, err, lcm.KindUnavailable, "")
}

func TestTellHosts_writesNoMoreThanTheNeighbours(t *testing.T) {
	s, m, _ := newMachines(t, 1, 2, nil)
	buildCluster(t, s)
	in := activities.TellHostsInput{NodeInput: s.tracked(s.nodes[0]), Hosts: activities.HostEntries(s.nodes[:2])}
	for range 2 {
		must(t, (&activities.Nodes{Reach: s.reach}).TellHosts, in)
	}
	host, err := m.Dial(t.Context(), opOcc, s.nodes[0])
	require.NoError(t, err)
	hosts, err := host.Get(t.Context(), "/etc/hosts", 1000)
	require.NoError(t, err)
	require.NoError(t, host.Close())
	assert.Contains(t, string(hosts), s.nodes[1].Address+" "+s.nodes[1].Name)
	assert.NotContains(t, string(hosts), s.nodes[2].Name)
}

func TestTellHosts_passesOverAnotherDeadNodeOnly(t *testing.T) {
	s := newFakeSite(t, lcm.Nodes{{Name: "cp-1", ServerID: "s1"}})
	n := &activities.Nodes{Reach: activities.Reach{Hosts: s, Clusters: &fixedCluster{}, Output: &logOutput{}}}
	in := activities.TellHostsInput{NodeInput: activities.NodeInput{Tracked: activities.Tracked{Step: lcm.StepRef{OpOccID: opOcc, Node: "cp-1"}}, Node: lcm.Node{Name: "cp-1"}}}
	dead := lcm.Wrap(lcm.KindBroken, activities.ErrServerOff, "cp-1: its server is SHUTOFF")
	s.fail["dial cp-1"] = []error{dead, dead, dead}
	_, err := do(t, n.TellHosts, in)
	require.ErrorContains(t, err, "SHUTOFF")
	in.WasBroken = true
	for range 2 {
		must(t, n.TellHosts, in)
	}
}

func TestObstacle_isADeadMemberThatStays(t *testing.T) {
	health := activities.ClusterHealthOutput{Members: []activities.MemberHealth{
		{Name: "cp-1", Healthy: true},
		{Name: "cp-2"},
		{Name: "cp-3"},
		{Name: "cp-4", Healthy: true},
		{Name: "cp-5", Healthy: true},
	}}
	require.Contains(t, health.Obstacle(lcm.Nodes{{Name: "cp-2"}}), "cp-3")
	require.Empty(t, health.Obstacle(lcm.Nodes{{Name: "cp-2"}, {Name: "cp-3"}}))
}
