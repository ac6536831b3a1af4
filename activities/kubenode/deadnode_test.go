package kubenode_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestTellHosts_passesOverAnotherDeadNodeOnly(t *testing.T) {
	s := activitytest.NewFakeSite(t, lcm.Nodes{{Name: "cp-1", ServerID: "s1"}})
	n := &kubenode.Activities{Reach: reach.Runner{Hosts: s, Vnfs: &activitytest.FixedVnf{}, Output: &activitytest.Output{}}}
	in := kubenode.TellHostsInput{
		NodeInput: reach.NodeInput{
			Tracked: activities.Tracked{
				Step: lcm.StepRef{OpOccID: activitytest.OpOcc, Node: "cp-1"},
			}, Node: lcm.Node{Name: "cp-1"},
		},
	}
	dead := lcm.Wrap(lcm.KindBroken, reach.ErrServerOff, "cp-1: its server is SHUTOFF")
	s.Fail["dial cp-1"] = []error{dead, dead, dead}
	_, err := activitytest.Do(t, n.TellHosts, in)
	require.ErrorContains(t, err, "SHUTOFF")
	in.WasBroken = true
	for range 2 {
		activitytest.Must(t, n.TellHosts, in)
	}
}

func TestObstacle_isADeadMemberThatStays(t *testing.T) {
	health := kubecluster.ClusterHealthOutput{Members: []kubecluster.MemberHealth{
		{Name: "cp-1", Healthy: true},
		{Name: "cp-2"},
		{Name: "cp-3"},
		{Name: "cp-4", Healthy: true},
		{Name: "cp-5", Healthy: true},
	}}
	require.Contains(t, health.Obstacle(lcm.Nodes{{Name: "cp-2"}}), "cp-3")
	require.Empty(t, health.Obstacle(lcm.Nodes{{Name: "cp-2"}, {Name: "cp-3"}}))
}

// serversOff are the VIM's words for the states of servers that are off, by id.
type serversOff map[string]string

func (s serversOff) Off(ctx context.Context, _ lcm.OpOccID, node lcm.Node) string {
	if _, bounded := ctx.Deadline(); !bounded {
		return "asked without a limit"
	}
	return s[node.ServerID]
}

// TestRetireNode_ofANodeWhoseServerIsOffIsDoneAtOnce checks that the activity does not try to log in to a control plane
// that is off, because it would wait until this fails.
func TestRetireNode_ofANodeWhoseServerIsOffIsDoneAtOnce(t *testing.T) {
	s := activitytest.NewFakeSite(t, lcm.Nodes{{Name: "cp-1", ServerID: "s1"}})
	cluster := &kubecluster.Activities{
		Reach: reach.Runner{
			Hosts:  s,
			Vnfs:   &activitytest.FixedVnf{},
			Output: &activitytest.Output{},
		}, Servers: serversOff{"s1": "SHUTOFF"},
	}
	in := reach.NodeInput{
		Tracked: activities.Tracked{Step: lcm.StepRef{OpOccID: activitytest.OpOcc, Node: "cp-1"}},
		Node:    lcm.Node{Name: "cp-1", ServerID: "s1"},
	}
	s.Fail["dial cp-1"] = []error{lcm.Errorf(lcm.KindBug, "It was dialled.")}
	for range 2 {
		for _, do := range []func(context.Context, reach.NodeInput) (kubecluster.RetireNodeOutput,
			error){cluster.RetireNode, cluster.ReleaseVirtualIP} {
			out := activitytest.Must(t, do, in)
			assert.Equal(t, kubecluster.RetireNodeOutput{NotReachable: true, Reason: "cp-1: its server is SHUTOFF."}, out)
		}
	}
	require.Len(t, s.Fail["dial cp-1"], 1)
}
