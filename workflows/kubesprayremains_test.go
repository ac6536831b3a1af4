package workflows

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// playWorld has one control plane and two workers, on which an Ansible server runs playbooks.
type playWorld struct {
	begun, ready []string // by kubeadm, and as Kubernetes says
	silent       bool     // no API server answers
	looks        int      // at the cluster
	readyAfter   int      // looks after which all nodes are Ready; 0 for never
	played       []string
	known        lcm.Nodes // to the last playbook
	err          error     // of the part
}

var playedNodes = lcm.Nodes{
	{Name: "cp-1", Role: lcm.ControlPlane, ServerID: "s1"},
	{Name: "worker-1", Role: lcm.Worker, ServerID: "s2"},
	{Name: "worker-2", Role: lcm.Worker, ServerID: "s3"},
}

// run runs a part of a step as an operation does that has found these nodes already.
func (w *playWorld) run(t *testing.T, before lcm.Nodes, do func(*kubesprayWork, workflow.Context) error) {
	t.Helper()
	env := newEnvironment()
	register := func(name string, act any) { env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name}) }
	register(
		"FindRemains",
		func(_ context.Context, in pkgplaybook.AnsibleInput) (out pkgplaybook.FindRemainsOutput, _ error) {
			out.Nodes = slices.DeleteFunc(in.Nodes, func(n lcm.Node) bool { return !slices.Contains(w.begun, n.Name) })
			return out, nil
		},
	)
	register("ClusterHealth", func(context.Context, reach.ClusterInput) (out kubecluster.ClusterHealthOutput, _ error) {
		if w.looks++; w.silent {
			return out, errors.New("no API server answers")
		}
		for _, n := range playedNodes {
			ready := slices.Contains(w.ready, n.Name) || w.readyAfter > 0 && w.looks >= w.readyAfter
			out.Nodes = append(out.Nodes, kubecluster.NodeHealth{Name: n.Name, Ready: ready})
		}
		return out, nil
	})
	register(
		"RunPlaybook",
		func(_ context.Context, in pkgplaybook.RunPlaybookInput) (out pkgplaybook.RunPlaybookOutput, _ error) {
			words := []string{in.Playbook}
			w.known = in.Nodes
			for _, n := range in.On {
				words = append(words, n.Name)
			}
			w.played = append(w.played, strings.Join(words, " "))
			return out, nil
		},
	)
	register(
		"PointToSelf",
		func(_ context.Context, in pkgplaybook.PointToSelfInput) (out pkgplaybook.PointToSelfOutput, _ error) {
			w.played = append(w.played, in.Node.Name+" asks itself, not "+in.Gone[0].Name)
			return out, nil
		},
	)
	env.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
		v := newVnf(lcm.OperationInput{OpOccID: "op", Operation: lcm.OpInstantiate})
		v.made.Nodes, v.what.Nodes = playedNodes, before
		ctx = workflow.WithValue(ctx, stepKey{}, &running{title: "Play"})
		return do(&kubesprayWork{&clusterWork{vnf: v}}, ctx)
	}, workflow.RegisterOptions{Name: "Part"})
	env.ExecuteWorkflow("Part")
	w.err = env.GetWorkflowError()
}

func TestInstall_resetsWhatAnEarlierTryHasBegun(t *testing.T) {
	for name, c := range map[string]struct {
		world  playWorld
		played []string
		looks  int
	}{
		"clean nodes":               {playWorld{}, []string{"cluster"}, 0},
		"no API server":             {playWorld{begun: []string{"cp-1"}, silent: true}, []string{"reset", "cluster"}, 1},
		"no pod network":            {playWorld{begun: []string{"cp-1"}}, []string{"reset", "cluster"}, 4},
		"a worker that never joins": {playWorld{begun: []string{"cp-1", "worker-1"}, ready: []string{"cp-1"}}, []string{"reset", "cluster"}, 4},
		"a cluster that works":      {playWorld{begun: []string{"cp-1"}, ready: []string{"cp-1"}}, []string{"cluster"}, 1},
		"a node that needs time":    {playWorld{begun: []string{"cp-1"}, readyAfter: 3}, []string{"cluster"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			c.world.run(t, nil, (*kubesprayWork).install)
			require.NoError(t, c.world.err)
			require.Equal(t, c.played, c.world.played)
			require.Equal(t, c.looks, c.world.looks)
		})
	}
}

func TestPlayScale_resetsOnlyNewWorkersThatAreHalfMade(t *testing.T) {
	w := playWorld{begun: []string{"cp-1", "worker-1", "worker-2"}, ready: []string{"worker-1"}}
	w.run(t, playedNodes[:1], (*kubesprayWork).playScale)
	require.NoError(t, w.err)
	require.Equal(t, []string{"reset worker-2", "scale worker-1 worker-2"}, w.played)
}

// TestPlayScale_resetsNothingThatItCannotAskAbout has pods on a new worker, and no API server that answers for a moment.
func TestPlayScale_resetsNothingThatItCannotAskAbout(t *testing.T) {
	w := playWorld{begun: []string{"cp-1", "worker-1"}, silent: true}
	w.run(t, playedNodes[:1], (*kubesprayWork).playScale)
	require.ErrorContains(t, w.err, "no API server answers")
	require.Empty(t, w.played)
}

// TestPlayFacts_knowsTheControlPlanesThatAreGone checks that Ansible gets the passwords of all hosts in the inventory.
func TestPlayFacts_knowsTheControlPlanesThatAreGone(t *testing.T) {
	gone := lcm.Node{Name: "cp-0", Role: lcm.ControlPlane, ServerID: "s0"}
	var w playWorld
	w.run(t, append(lcm.Nodes{gone}, playedNodes[1:]...), func(k *kubesprayWork, ctx workflow.Context) error {
		k.in.Operation = lcm.OpHeal
		k.change.Leaving = []lcm.LeavingVnfc{{ServerID: gone.ServerID}}
		return k.playFacts(ctx)
	})
	require.NoError(t, w.err)
	require.Equal(t, append(slices.Clone(playedNodes), gone), w.known)
}

// TestPlayRecover_firstHasControlPlanesThatStayAskThemselves heals the control plane that kubeadm has told all others of.
func TestPlayRecover_firstHasControlPlanesThatStayAskThemselves(t *testing.T) {
	gone := lcm.Node{Name: "cp-0", Role: lcm.ControlPlane, ServerID: "s0"}
	var w playWorld
	w.run(t, append(lcm.Nodes{gone}, playedNodes...), func(k *kubesprayWork, ctx workflow.Context) error {
		k.in.Operation = lcm.OpHeal
		k.change.Leaving = []lcm.LeavingVnfc{{ServerID: gone.ServerID}}
		return k.playRecover(ctx)
	})
	require.NoError(t, w.err)
	require.Equal(t, []string{"cp-1 asks itself, not cp-0", "recover-control-plane"}, w.played)
}
