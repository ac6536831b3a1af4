package machines

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func (s site) awaited(nodes ...lcm.Node) kubecluster.AwaitHealthInput {
	in := kubecluster.AwaitHealthInput{ClusterInput: s.Cluster()}
	for _, n := range nodes {
		in.Nodes = append(in.Nodes, n.Name)
	}
	return in
}

func TestAwaitHealth_waitsForAMajorityThatStarts(t *testing.T) {
	s, m, output := newMachines(t, 3, 1, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	activitytest.BuildCluster(t, s.Site)
	for range 2 {
		activitytest.Must(t, cluster.AwaitHealth, s.awaited(s.Nodes...))
	}
	for _, n := range s.Nodes {
		require.NoError(t, m.Kill(t.Context(), n.ServerID))
	}
	started := make(chan error, 1)
	go func() {
		var err error
		for _, n := range s.Nodes {
			if e := m.Start(context.WithoutCancel(t.Context()), n.ServerID); e != nil {
				err = e
			}
		}
		started <- err
	}()
	activitytest.Must(t, cluster.AwaitHealth, s.awaited(s.Nodes...))
	require.NoError(t, <-started)
	assert.Contains(t, strings.Join(output.Shown, "\n"), "4 nodes work.")
}

func TestAwaitHealth_saysWhatDoesNotWork(t *testing.T) {
	s, m, _ := newMachines(t, 3, 1, func(p *k8s.Params) { p.Timeouts.NodeReady = 1 })
	cluster := &kubecluster.Activities{Reach: s.Reach}
	activitytest.BuildCluster(t, s.Site)
	require.NoError(t, m.Kill(t.Context(), s.Nodes[2].ServerID))
	activitytest.Must(t, cluster.AwaitHealth, s.awaited(s.Nodes[0], s.Nodes[1], s.Nodes[3])) // these three work
	_, err := activitytest.Do(t, cluster.AwaitHealth, s.awaited(s.Nodes...))
	activitytest.AssertKind(t, err, lcm.KindBroken, "The cluster does not work after 1s: the node cp-0000000d is not Ready")
	activitytest.AssertKind(t, err, lcm.KindBroken, "the etcd member cp-0000000d does not answer")
	require.NoError(t, m.Kill(t.Context(), s.Nodes[1].ServerID))
	_, err = activitytest.Do(t, cluster.AwaitHealth, s.awaited(s.Nodes[0]))
	activitytest.AssertKind(t, err, lcm.KindBroken, "etcd has no quorum")
}
