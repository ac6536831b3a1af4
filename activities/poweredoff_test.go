package activities_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// servers are the VIM's words for servers that are off, by id.
type servers map[string]string

func (s servers) Off(ctx context.Context, _ lcm.OpOccID, node lcm.Node) string {
	if _, bounded := ctx.Deadline(); !bounded {
		return "asked without a limit"
	}
	return s[node.ServerID]
}

// Kubernetes believes in the node yet: its kubelet was there a moment ago, and a budget holds its pod.
func TestDrainNode_ofANodeWhoseServerIsOffWaitsForNothing(t *testing.T) {
	s, m, _ := newMachines(t, 1, 2, func(p *k8s.Params) { p.Timeouts.Drain = 7200 })
	decided := &drains{}
	leaving := s.nodes[1]
	cluster := &activities.Cluster{Reach: s.reach, Drains: decided, Servers: servers{leaving.ServerID: "SHUTOFF"}}
	buildCluster(t, s)
	require.NoError(t, m.AddPod(machinesCluster, fake.Pod{Name: "web", Node: leaving.Name, Budget: "web"}))
	out := twice(t, m, func(in activities.DrainNodeInput) activities.DrainNodeOutput {
		return must(t, cluster.DrainNode,
			in)
	}, s.drain(leaving))
	assert.Equal(t, activities.DrainNodeOutput{Forced: true, NotReachable: true, Off: "SHUTOFF"}, out)
	require.NotEmpty(t, decided.kept)
	assert.Equal(t, lcm.DrainNotWaited, decided.kept[0].Action)
	assert.Contains(t, decided.kept[0].Detail, "server was SHUTOFF")
}

// Nobody logs in to a control plane that is off, and waits until that fails.
func TestRetireNode_ofANodeWhoseServerIsOffIsDoneAtOnce(t *testing.T) {
	s := newFakeSite(t, lcm.Nodes{{Name: "cp-1", ServerID: "s1"}})
	cluster := &activities.Cluster{
		Reach: activities.Reach{Hosts: s, Clusters: &fixedCluster{}, Output: &logOutput{}}, Servers: servers{"s1": "SHUTOFF"},
	}
	in := activities.NodeInput{
		Tracked: activities.Tracked{Step: lcm.StepRef{OpOccID: opOcc, Node: "cp-1"}},
		Node:    lcm.Node{Name: "cp-1", ServerID: "s1"},
	}
	s.fail["dial cp-1"] = []error{lcm.Errorf(lcm.KindBug, "It was dialled.")}
	for range 2 {
		for _, do := range []func(context.Context, activities.NodeInput) (activities.RetireNodeOutput,
			error){cluster.RetireNode, cluster.ReleaseVirtualIP} {
			out := must(t, do, in)
			assert.Equal(t, activities.RetireNodeOutput{NotReachable: true, Reason: "cp-1: its server is SHUTOFF."}, out)
		}
	}
	require.Len(t, s.fail["dial cp-1"], 1)
}
