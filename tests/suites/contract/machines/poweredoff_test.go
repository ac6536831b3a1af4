package machines

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// servers are the states that the VIM reports for servers that are off, by server id.
type servers map[string]string

func (s servers) Off(ctx context.Context, _ lcm.OpOccID, node lcm.Node) string {
	if _, bounded := ctx.Deadline(); !bounded {
		return "asked without a limit"
	}
	return s[node.ServerID]
}

// TestDrainNode_ofANodeWhoseServerIsOffWaitsForNothing: Kubernetes still reports the node as Ready because its kubelet
// ran a moment ago, and a PodDisruptionBudget protects its Pod.
func TestDrainNode_ofANodeWhoseServerIsOffWaitsForNothing(t *testing.T) {
	s, m, _ := newMachines(t, 1, 2, func(p *k8s.Params) { p.Timeouts.Drain = 7200 })
	decided := &drains{}
	leaving := s.Nodes[1]
	cluster := &kubecluster.Activities{Reach: s.Reach, Drains: decided, Servers: servers{leaving.ServerID: "SHUTOFF"}}
	activitytest.BuildCluster(t, s.Site)
	require.NoError(t, m.AddPod(machinesCluster, fake.Pod{Name: "web", Node: leaving.Name, Budget: "web"}))
	out := twice(t, m, func(in kubecluster.DrainNodeInput) kubecluster.DrainNodeOutput {
		return activitytest.Must(t, cluster.DrainNode,
			in)
	}, s.drain(leaving))
	assert.Equal(t, kubecluster.DrainNodeOutput{Forced: true, NotReachable: true, Off: "SHUTOFF"}, out)
	require.NotEmpty(t, decided.kept)
	assert.Equal(t, lcm.DrainNotWaited, decided.kept[0].Action)
	assert.Contains(t, decided.kept[0].Detail, "server was SHUTOFF")
}
