package fake_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// made returns a lab with a cluster of these control planes and one worker.
func made(t *testing.T, o fake.Options, controlPlanes ...string) *lab {
	l := newLab(t, o)
	for _, id := range append(controlPlanes, "worker-1", "worker-2") {
		l.boot(id)
	}
	endpoint := l.address["cp-1"] + ":6443"
	l.initialise("cp-1", endpoint)
	l.mint("cp-1")
	for _, id := range append(controlPlanes[1:], "worker-1", "worker-2") {
		require.NoError(t, l.join(t.Context(), id, endpoint))
	}
	l.must("cp-1", scripts.ApplyManifest{Member: l.member("cp-1"), Manifest: "cni.yaml"},
		scripts.Input{Name: "manifest", Value: "kind: List"})
	return l
}

func (l *lab) peers(nodes ...string) (leaving []scripts.LeavingMember) {
	for _, id := range nodes {
		leaving = append(leaving, scripts.LeavingMember{Name: id, PeerURL: "https://" + l.address[id] + ":2380"})
	}
	return leaving
}

func (l *lab) remove(from string, nodes ...string) error {
	_, err := l.run(l.t.Context(), from, scripts.RemoveMembers{
		Member: l.member(from), Leaving: l.peers(nodes...), Timeout: 1,
	})
	return err
}

func TestNodes_thatLeaveInOrderBreakNoRule(t *testing.T) {
	l := made(t, fake.Options{Dir: t.TempDir()}, "cp-1", "cp-2", "cp-3")
	for _, id := range []string{"cp-2", "worker-1"} {
		l.must("cp-1", scripts.DrainNode{Member: l.member("cp-1"), Leaving: id, DrainFor: 1, DetachFor: 1})
	}
	require.NoError(t, l.remove("cp-1", "cp-2"))
	for _, id := range []string{"cp-2", "worker-1"} {
		l.must("cp-1", scripts.DeleteNode{Member: l.member("cp-1"), Leaving: id, Timeout: 1})
		l.must(id, scripts.RetireNode{Member: l.member(id)})
		require.NoError(t, l.hypervisor.Delete(t.Context(), id))
	}
	c := l.cluster()
	require.Empty(t, c.Violations)
	require.Len(t, c.Members, 3)
	require.Len(t, c.EtcdMembers, 2)
	l.restart()
	require.NoError(t, l.remove("cp-1", "cp-2"), "absent is fine, and the API serves after a restart")
	require.Equal(t, c, l.cluster())
}

func TestNodes_thatLeaveOutOfOrderBreakRules(t *testing.T) {
	l := made(t, fake.Options{}, "cp-1", "cp-2", "cp-3")
	require.NoError(t, l.hypervisor.Delete(t.Context(), "worker-1"))
	l.must("cp-1", scripts.DeleteNode{Member: l.member("cp-1"), Leaving: "worker-2", Timeout: 1})
	l.must("cp-1", scripts.DrainNode{Member: l.member("cp-1"), Leaving: "cp-2", DrainFor: 1, DetachFor: 1})
	l.must("cp-1", scripts.DeleteNode{Member: l.member("cp-1"), Leaving: "cp-2", Timeout: 1})
	require.NoError(t, l.hypervisor.Delete(t.Context(), "cp-2"))
	l.must("cp-3", scripts.RetireNode{Member: l.member("cp-3")})
	require.Equal(t, []string{
		"worker-1 was deleted without having been drained",
		"the node worker-2 was deleted without having been cordoned",
		"the node cp-2 was deleted while it was a member of etcd",
		"cp-2 was deleted while it was a member of etcd",
		"etcd lost its quorum when cp-3 was reset",
	}, l.cluster().Violations)
}

func TestRemoveMembers_refusesWhatCostsTheQuorum(t *testing.T) {
	l := made(t, fake.Options{}, "cp-1", "cp-2", "cp-3")
	require.NoError(t, l.hypervisor.Kill(t.Context(), "cp-2"))
	err := l.remove("cp-1", "cp-3")
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err))
	require.EqualError(t, err, "cp-1: etcd would lose its quorum without cp-3: 1 of the other 2 members work and 2 must. Bring cp-2 back first")
	require.NoError(t, l.remove("cp-1", "cp-3", "cp-2"), "together with the one that is down, that goes first")
	require.ErrorContains(t, l.remove("cp-1", "cp-1"), "last member of etcd")
}

func TestClusterHealth_tellsThatEtcdHasNoMajority(t *testing.T) {
	l := made(t, fake.Options{}, "cp-1", "cp-2", "cp-3")
	health := scripts.ClusterHealth{Member: l.member("cp-1"), Timeout: 1}
	require.NoError(t, l.hypervisor.Kill(t.Context(), "cp-2"))
	found := l.must("cp-1", health)
	require.Contains(t, found.Texts("member"), "1|cp-2|https://"+l.address["cp-2"]+":2380|yes|no|no")
	require.Contains(t, found.Texts("node"), `cp-2|Unknown|no|NodeStatusUnknown|"Kubelet stopped posting node status."`)
	require.NoError(t, l.hypervisor.Kill(t.Context(), "cp-3"))
	health.Timeout = 2
	require.Equal(t, "lost", l.must("cp-1", health).Get("quorum"))
}

func TestDrainNode_respectsBudgetsAndWaitsForVolumes(t *testing.T) {
	l := made(t, fake.Options{}, "cp-1")
	drain := scripts.DrainNode{Member: l.member("cp-1"), Leaving: "worker-1", DrainFor: 0, DetachFor: 0}
	for _, pod := range []fake.Pod{
		{Name: "free", Node: "worker-1"},
		{Name: "daemon", Node: "worker-1", DaemonSet: true},
		{Name: "held", Node: "worker-1", Budget: "web", Volume: "pv-1", Stuck: true},
	} {
		require.NoError(t, l.hypervisor.AddPod("c1", pod))
	}
	_, err := l.run(t.Context(), "cp-1", drain)
	require.Equal(t, lcm.KindBroken, lcm.KindOf(err))
	require.ErrorContains(t, err, "default/held (the PodDisruptionBudget web lets no pod go)")
	require.NotContains(t, err.Error(), "default/free")
	drain.Force = true
	found := l.must("cp-1", drain)
	require.Equal(t, "yes", found.Get("forced"))
	attached, _ := base64.StdEncoding.DecodeString(found.Get("attached"))
	require.Equal(t, "pv-1", string(attached))
	for _, pod := range l.cluster().Pods {
		if !pod.DaemonSet {
			require.Equal(t, "worker-2", pod.Node, pod.Name)
		}
	}
}

func TestRetireNode_letsANodeJoinAgain(t *testing.T) {
	l := made(t, fake.Options{}, "cp-1", "cp-2", "cp-3")
	require.NoError(t, l.remove("cp-1", "cp-2"))
	for _, id := range []string{"cp-2", "worker-1"} {
		l.must("cp-1", scripts.DrainNode{Member: l.member("cp-1"), Leaving: id, DrainFor: 1, DetachFor: 1})
		l.must("cp-1", scripts.DeleteNode{Member: l.member("cp-1"), Leaving: id, Timeout: 1})
		l.must(id, scripts.RetireNode{Member: l.member(id)})
		require.Equal(t, "new", l.must(id, scripts.CheckMember{Member: l.member(id), Timeout: 1}).Get("state"))
		require.Equal(t, "connection refused", strings.TrimSpace(l.refused(id)))
	}
	// The machines know the commands of the first joins. A new join has another id.
	for _, id := range []string{"cp-2", "worker-1"} {
		script, config := l.joinScript(id, l.address["cp-1"]+":6443")
		join := script.(scripts.KubeadmJoin)
		join.Timeout++
		_, err := l.run(t.Context(), id, join, config)
		require.NoError(t, err)
	}
	c := l.cluster()
	require.Empty(t, c.Violations)
	require.Len(t, c.EtcdMembers, 3)
	for _, m := range c.Members {
		require.Equal(t, 1, m.Joins, m.Node)
		require.True(t, m.Ready, m.Node)
		require.False(t, m.Cordoned, m.Node)
	}
}

// refused returns the error for a request to the API server of a node.
func (l *lab) refused(id string) string {
	m := l.member(id)
	_, err := l.run(l.t.Context(), id, scripts.RevokeJoin{Member: m, Operation: "op9"})
	if lcm.Is(err, lcm.KindUnavailable) {
		return "connection refused"
	}
	return "it answers"
}
