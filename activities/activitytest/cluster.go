// Package activitytest builds clusters with activities, for tests of the activities: on nodes of the test, or on
// machines.
package activitytest

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// OpOcc is the operation of a Site's activities.
const OpOcc lcm.OpOccID = "0f1e2d3c-0000-4000-8000-00000000aaaa"

// Site is the place of a cluster.
type Site struct {
	Reach     reach.Runner
	Nodes     lcm.Nodes
	VirtualIP string
}

// Tracked returns the input of an activity on a node.
func (s Site) Tracked(node lcm.Node) reach.NodeInput {
	return reach.NodeInput{
		Tracked: activities.Tracked{Step: lcm.StepRef{OpOccID: OpOcc, Node: node.Name}}, OpOccID: OpOcc, Node: node,
	}
}

// Cluster returns the input of a step on the control planes.
func (s Site) Cluster() reach.ClusterInput {
	return reach.ClusterInput{
		Tracked: activities.Tracked{Step: lcm.StepRef{OpOccID: OpOcc}}, OpOccID: OpOcc,
		ControlPlanes: s.Nodes.With(lcm.ControlPlane),
	}
}

// Do runs one activity in Temporal's test environment.
func Do[In, Out any](t *testing.T, act func(context.Context, In) (Out, error), in In) (Out, error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(act)
	var out Out
	value, err := env.ExecuteActivity(act, in)
	if err == nil {
		err = value.Get(&out)
	}
	return out, err
}

// Must runs an activity that must succeed.
func Must[In, Out any](t *testing.T, act func(context.Context, In) (Out, error), in In) Out {
	t.Helper()
	out, err := Do(t, act, in)
	require.NoError(t, err)
	return out
}

// BuildCluster builds a new cluster, with the steps in the order of the operation.
func BuildCluster(t *testing.T, s Site) kubecluster.VimAccountOutput {
	t.Helper()
	nodes, cluster := &kubenode.Activities{Reach: s.Reach}, &kubecluster.Activities{Reach: s.Reach}
	balancers := &balancer.Activities{Reach: s.Reach}
	controlPlanes, workers := s.Nodes.With(lcm.ControlPlane), s.Nodes.With(lcm.Worker)
	each(s.Nodes, func(n lcm.Node) { Must(t, nodes.WaitForSSH, s.Tracked(n)) })
	each(s.Nodes, func(n lcm.Node) { Must(t, nodes.CheckNode, s.Tracked(n)) })
	each(s.Nodes, func(n lcm.Node) {
		Must(t, nodes.PrepareNode, kubenode.PrepareNodeInput{
			NodeInput: s.Tracked(n), Hosts: reach.HostEntries(s.Nodes), VirtualIP: s.VirtualIP,
		})
	})
	if s.VirtualIP != "" {
		each(controlPlanes, func(n lcm.Node) {
			Must(t, balancers.ConfigureLoadBalancer, balancer.LoadBalancerInput{
				NodeInput: s.Tracked(n), ControlPlanes: controlPlanes, VirtualIP: s.VirtualIP,
			})
		})
		held := Must(
			t, balancers.WaitForVirtualIP, balancer.VirtualIPInput{ClusterInput: s.Cluster(), VirtualIP: s.VirtualIP},
		)
		assert.Equal(t, controlPlanes[0].Name, held.Holder)
	}
	Must(t, cluster.InitControlPlane, kubecluster.InitControlPlaneInput{
		NodeInput: s.Tracked(controlPlanes[0]), ControlPlanes: controlPlanes, VirtualIP: s.VirtualIP, NodeCount: len(s.Nodes),
	})
	Must(t, cluster.ApplyPodNetwork, s.Cluster())
	join := Must(t, cluster.MintJoin, kubecluster.MintJoinInput{
		ClusterInput:     s.Cluster(),
		ForControlPlanes: len(controlPlanes) > 1,
	})
	for _, n := range controlPlanes[1:] {
		Must(t, cluster.JoinControlPlane, kubecluster.JoinControlPlaneInput{
			NodeInput: s.Tracked(n), ControlPlanes: controlPlanes, VirtualIP: s.VirtualIP, Join: join,
		})
	}
	each(workers, func(n lcm.Node) {
		Must(t, cluster.JoinWorker, kubecluster.JoinWorkerInput{
			NodeInput: s.Tracked(n), VirtualIP: s.VirtualIP, ControlPlane: controlPlanes[0].Address, Join: join,
		})
	})
	Must(t, cluster.RevokeJoin, s.Cluster())
	Must(t, cluster.LabelNodes, kubecluster.LabelNodesInput{
		ClusterInput: s.Cluster(),
		Labels:       kubecluster.NodeLabels(s.Nodes),
	})
	var names []string
	for _, n := range s.Nodes {
		names = append(names, n.Name)
	}
	Must(t, cluster.WaitForNodes, kubecluster.WaitForNodesInput{ClusterInput: s.Cluster(), Nodes: names})
	return Must(
		t, cluster.CreateVimAccount, kubecluster.VimAccountInput{ClusterInput: s.Cluster(), VirtualIP: s.VirtualIP},
	)
}

// each calls do for all nodes in parallel, as the workflows do.
func each(nodes lcm.Nodes, do func(lcm.Node)) {
	var all sync.WaitGroup
	for _, n := range nodes {
		all.Go(func() { do(n) })
	}
	all.Wait()
}
