package machines

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func (s site) drain(leaving lcm.Node) kubecluster.DrainNodeInput {
	return kubecluster.DrainNodeInput{ClusterInput: s.Cluster(), Leaving: leaving}
}

func (s site) leaving(node lcm.Node) kubecluster.NodeOfClusterInput {
	return kubecluster.NodeOfClusterInput{ClusterInput: s.Cluster(), Leaving: node}
}

func (s site) members(leaving ...lcm.Node) kubecluster.RemoveMemberInput {
	return kubecluster.RemoveMemberInput{ClusterInput: s.Cluster(), Leaving: leaving}
}

// balance configures the load balancers on those control planes with the same control planes.
func (s site) balance(t *testing.T, on ...lcm.Node) {
	t.Helper()
	balancers := &balancer.Activities{Reach: s.Reach}
	for _, n := range on {
		activitytest.Must(t, balancers.ConfigureLoadBalancer, balancer.LoadBalancerInput{
			NodeInput: s.Tracked(n), ControlPlanes: on, VirtualIP: s.VirtualIP,
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
	cluster := &kubecluster.Activities{Reach: s.Reach}
	activitytest.BuildCluster(t, s.Site)
	old := s.Nodes[0] // it has the virtual IP
	rest := append(lcm.Nodes{}, s.Nodes[1:3]...)

	twice(t, m, func(in kubecluster.DrainNodeInput) kubecluster.DrainNodeOutput {
		return activitytest.Must(t, cluster.DrainNode, in)
	},
		s.drain(old))
	twice(t, m, func(in reach.NodeInput) kubecluster.RetireNodeOutput {
		return activitytest.Must(t, cluster.ReleaseVirtualIP, in)
	}, s.Tracked(old))
	assert.Equal(t, map[string]string{s.VirtualIP: rest[0].ServerID}, m.VirtualIPs())
	s.balance(t, rest...)
	twice(t, m, func(in kubecluster.RemoveMemberInput) kubecluster.RemoveMemberOutput {
		return activitytest.Must(t, cluster.RemoveMember, in)
	}, s.members(old))
	twice(t, m, func(in kubecluster.NodeOfClusterInput) kubecluster.DeleteNodeOutput {
		return activitytest.Must(t, cluster.DeleteNode, in)
	}, s.leaving(old))
	twice(t, m, func(in reach.NodeInput) kubecluster.RetireNodeOutput {
		return activitytest.Must(t, cluster.RetireNode, in)
	},
		s.Tracked(old))
	require.NoError(t, m.Delete(t.Context(), old.ServerID))

	fresh := old // Heat keeps the port, and so the address stays
	fresh.ServerID = "0000000e-0000-4000-8000-000000000000"
	fresh.Name = lcm.NodeName(lcm.ControlPlane, fresh.ServerID)
	m.boot(fresh)
	s.Nodes = append(append(lcm.Nodes{}, rest...), append(lcm.Nodes{fresh}, s.Nodes[3:]...)...)
	buildMore(t, s, fresh)
	out := activitytest.Must(t, cluster.ClusterHealth, s.Cluster())
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
	twice(t, m, func(in kubecluster.RemoveMemberInput) kubecluster.RemoveMemberOutput {
		return activitytest.Must(t, cluster.RemoveMember, in)
	}, s.members(old))
	_, members := m.names()
	assert.Contains(t, members, fresh.Name, "the old one's address is now the new one's")
}

// buildMore joins one node, as scale-out and heal do.
func buildMore(t *testing.T, s site, n lcm.Node) {
	t.Helper()
	nodes, cluster := &kubenode.Activities{Reach: s.Reach}, &kubecluster.Activities{Reach: s.Reach}
	controlPlanes := s.Nodes.With(lcm.ControlPlane)
	activitytest.Must(t, nodes.WaitForSSH, s.Tracked(n))
	activitytest.Must(t, nodes.PrepareNode, kubenode.PrepareNodeInput{
		NodeInput: s.Tracked(n), Hosts: reach.HostEntries(s.Nodes), VirtualIP: s.VirtualIP,
	})
	if n.Role == lcm.ControlPlane && s.VirtualIP != "" {
		s.balance(t, controlPlanes...)
	}
	join := activitytest.Must(
		t, cluster.MintJoin, kubecluster.MintJoinInput{ClusterInput: s.Cluster(), ForControlPlanes: true},
	)
	if n.Role == lcm.ControlPlane {
		activitytest.Must(t, cluster.JoinControlPlane, kubecluster.JoinControlPlaneInput{
			NodeInput: s.Tracked(n), ControlPlanes: controlPlanes, VirtualIP: s.VirtualIP, Join: join,
		})
	} else {
		activitytest.Must(t, cluster.JoinWorker, kubecluster.JoinWorkerInput{
			NodeInput: s.Tracked(n), VirtualIP: s.VirtualIP, ControlPlane: controlPlanes[0].Address, Join: join,
		})
	}
	activitytest.Must(t, cluster.RevokeJoin, s.Cluster())
}

func TestRetireNode_letsANodeJoinAgain(t *testing.T) {
	s, m, _ := newMachines(t, 3, 1, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	activitytest.BuildCluster(t, s.Site)
	for _, n := range []lcm.Node{s.Nodes[1], s.Nodes[3]} {
		activitytest.Must(t, cluster.DrainNode, s.drain(n))
		activitytest.Must(t, cluster.RemoveMember, s.members(n))
		activitytest.Must(t, cluster.DeleteNode, s.leaving(n))
		out := activitytest.Must(t, cluster.RetireNode, s.Tracked(n))
		assert.False(t, out.NotReachable)
		buildMore(t, s, n)
		activitytest.Must(t, cluster.UncordonNode, s.leaving(n))
	}
	assert.Empty(t, activitytest.Must(t, cluster.ClusterHealth, s.Cluster()).Reason)
	assert.Empty(t, m.cluster().Violations)
	for _, n := range m.cluster().Members {
		assert.False(t, n.Cordoned, n.Node)
	}
}

func TestRetireNode_isBestEffort(t *testing.T) {
	s, m, output := newMachines(t, 1, 1, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	activitytest.BuildCluster(t, s.Site)
	require.NoError(t, m.Kill(t.Context(), s.Nodes[1].ServerID))
	for range 2 {
		out := activitytest.Must(t, cluster.RetireNode, s.Tracked(s.Nodes[1]))
		assert.True(t, out.NotReachable)
		assert.NotEmpty(t, out.Reason)
	}
	assert.Contains(t, strings.Join(output.Shown, "\n"), "left as it is: ")
}

func TestRetireNode_leavesANodeThatFailsAsItIs(t *testing.T) {
	s, m, _ := newMachines(t, 1, 1, nil)
	m.Inject(fake.Fault{Script: "retire-node", ExitCode: 1, Output: "windlass: containerd hangs"})
	out := activitytest.Must(t, (&kubecluster.Activities{Reach: s.Reach}).RetireNode, s.Tracked(s.Nodes[1]))
	assert.Contains(t, out.Reason, "containerd hangs")
}

// drains keeps decisions as the store does: each once.
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
	cluster := &kubecluster.Activities{Reach: s.Reach, Drains: decided}
	activitytest.BuildCluster(t, s.Site)
	leaving := s.Nodes[1]
	require.NoError(t, m.AddPod(machinesCluster, fake.Pod{Name: "web", Node: leaving.Name, Budget: "web"}))
	require.NoError(t, m.Kill(t.Context(), leaving.ServerID))
	out := twice(t, m, func(in kubecluster.DrainNodeInput) kubecluster.DrainNodeOutput {
		return activitytest.Must(t, cluster.DrainNode,
			in)
	}, s.drain(leaving))
	assert.Equal(t, kubecluster.DrainNodeOutput{Forced: true, NotReachable: true}, out)
	require.Len(t, decided.kept, 1)
	assert.Equal(t, lcm.DrainNotWaited, decided.kept[0].Action)
	assert.Contains(t, decided.kept[0].Detail, "was not Ready")
	twice(t, m, func(in kubecluster.NodeOfClusterInput) kubecluster.DeleteNodeOutput {
		return activitytest.Must(t, cluster.DeleteNode, in)
	}, s.leaving(leaving))
	require.NoError(t, m.Delete(t.Context(), leaving.ServerID))
	assert.Empty(t, m.cluster().Violations)
	assert.True(t, activitytest.Must(t, cluster.DrainNode, s.drain(leaving)).Absent)
}

func TestDrainNode_obeysItsPolicy(t *testing.T) {
	pod := func(node string) fake.Pod {
		return fake.Pod{Name: "web", Node: node, Budget: "web", Volume: "pv-1", Stuck: true}
	}
	s, m, _ := newMachines(t, 1, 2, nil)
	decided := &drains{}
	cluster := &kubecluster.Activities{Reach: s.Reach, Drains: decided}
	activitytest.BuildCluster(t, s.Site)
	activitytest.Must(t, cluster.DrainNode, s.drain(s.Nodes[2]))
	assert.Empty(t, decided.kept, "a node that goes in time needs no decision")
	require.NoError(t, m.AddPod(machinesCluster, pod(s.Nodes[1].Name)))
	for range 2 {
		_, err := activitytest.Do(t, cluster.DrainNode, s.drain(s.Nodes[1]))
		activitytest.AssertKind(t, err, lcm.KindBroken,
			"these pods are still on worker-00000015: default/web (the PodDisruptionBudget web lets no pod go). "+
				"Make room for them or ease the budgets, then retry; or set drain_policy to force")
	}
	twice(t, m, func(in kubecluster.NodeOfClusterInput) kubecluster.UncordonNodeOutput {
		return activitytest.Must(t, cluster.UncordonNode, in)
	}, s.leaving(s.Nodes[1]))
	assert.False(t, m.cluster().Members[1].Cordoned)
	in := s.drain(s.Nodes[1])
	in.Force = true
	out := activitytest.Must(t, cluster.DrainNode, in)
	assert.Equal(t, kubecluster.DrainNodeOutput{Forced: true, Attached: "pv-1"}, out)
	require.Len(t, decided.kept, 2)
	assert.Equal(t, lcm.DrainDecision{
		Node: s.Nodes[1].Name, Phase: lcm.PhaseForward, Action: lcm.DrainForced,
		Detail: "After 1 s there were still pods on the node; a rollback waits no longer, so Windlass deleted them. " +
			"After 1 s these volumes were still attached to it: pv-1.",
	}, decided.kept[1])
	assert.Equal(t, lcm.DrainFailed, decided.kept[0].Action)
	assert.Contains(t, decided.kept[0].Detail, "the PodDisruptionBudget web lets no pod go")

	s, m, _ = newMachines(t, 1, 2, func(p *k8s.Params) { p.DrainPolicy = k8s.DrainForce })
	decided = &drains{}
	cluster = &kubecluster.Activities{Reach: s.Reach, Drains: decided}
	activitytest.BuildCluster(t, s.Site)
	require.NoError(t, m.AddPod(machinesCluster, pod(s.Nodes[1].Name)))
	assert.True(t, activitytest.Must(t, cluster.DrainNode, s.drain(s.Nodes[1])).Forced)
	require.Len(t, decided.kept, 1)
	assert.Contains(t, decided.kept[0].Detail, "as drain_policy or the stopType says")
}

func TestRemoveMember_refusesWhatCostsTheQuorum(t *testing.T) {
	s, m, _ := newMachines(t, 3, 0, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	activitytest.BuildCluster(t, s.Site)
	require.NoError(t, m.Kill(t.Context(), s.Nodes[2].ServerID))
	health := activitytest.Must(t, cluster.ClusterHealth, s.Cluster())
	assert.Contains(t, health.Reason, "the etcd member cp-0000000d does not answer")
	assert.Contains(t, health.Refusal(s.Nodes[1:2]),
		"etcd would lose its quorum without cp-0000000c: 1 of the other 2 members work and 2 must")
	assert.Empty(t, health.Refusal(s.Nodes[1:3]))
	assert.Contains(t, health.Refusal(s.Nodes), "is the last member of etcd")
	_, err := activitytest.Do(t, cluster.RemoveMember, s.members(s.Nodes[1]))
	activitytest.AssertKind(t, err, lcm.KindInvalid, "etcd would lose its quorum without cp-0000000c")
	_, err = activitytest.Do(t, cluster.RemoveMember, s.members(s.Nodes...))
	activitytest.AssertKind(t, err, lcm.KindInvalid, "The operation would remove all control planes")
	twice(t, m, func(in kubecluster.RemoveMemberInput) kubecluster.RemoveMemberOutput {
		return activitytest.Must(t, cluster.RemoveMember, in)
	}, s.members(s.Nodes[1:]...))
	_, members := m.names()
	assert.Equal(t, []string{"cp-0000000b"}, members)
}

func TestClusterHealth_tellsThatTheQuorumIsLost(t *testing.T) {
	s, m, _ := newMachines(t, 3, 0, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	activitytest.BuildCluster(t, s.Site)
	for _, n := range s.Nodes[1:] {
		require.NoError(t, m.Kill(t.Context(), n.ServerID))
	}
	health := activitytest.Must(t, cluster.ClusterHealth, s.Cluster())
	assert.Contains(t, health.Reason, "etcd has no quorum, as cp-0000000b reports")
	assert.Equal(t, health.Reason, health.Refusal(s.Nodes[1:2]))
	_, err := activitytest.Do(t, cluster.RemoveMember, s.members(s.Nodes[1]))
	activitytest.AssertKind(t, err, lcm.KindExhausted, "etcd has no quorum")
	require.NoError(t, m.Kill(t.Context(), s.Nodes[0].ServerID))
	_, err = activitytest.Do(t, cluster.ClusterHealth, s.Cluster())
	activitytest.AssertKind(t, err, lcm.KindUnavailable, "")
}

func TestTellHosts_writesNoMoreThanTheNeighbours(t *testing.T) {
	s, m, _ := newMachines(t, 1, 2, nil)
	activitytest.BuildCluster(t, s.Site)
	in := kubenode.TellHostsInput{NodeInput: s.Tracked(s.Nodes[0]), Hosts: reach.HostEntries(s.Nodes[:2])}
	for range 2 {
		activitytest.Must(t, (&kubenode.Activities{Reach: s.Reach}).TellHosts, in)
	}
	host, err := m.Dial(t.Context(), activitytest.OpOcc, s.Nodes[0])
	require.NoError(t, err)
	hosts, err := host.Get(t.Context(), "/etc/hosts", 1000)
	require.NoError(t, err)
	require.NoError(t, host.Close())
	assert.Contains(t, string(hosts), s.Nodes[1].Address+" "+s.Nodes[1].Name)
	assert.NotContains(t, string(hosts), s.Nodes[2].Name)
}
