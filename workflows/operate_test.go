package workflows

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// powerWorld is the world of an OPERATE: three control planes, two workers and a VM that is not a node.
type powerWorld struct {
	world
	plan lcm.Plan
	// graceful is set for a graceful request; cordoned is set when nodes were drained before they were stopped.
	graceful, cordoned bool
	health             kubecluster.ClusterHealthOutput
	asked              []string // the control planes of the last check of the cluster's health
}

func newPowerWorld(to lcm.VnfState, stopped ...string) *powerWorld {
	w := &powerWorld{plan: lcm.Plan{Operation: lcm.OpOperate, ChangeStateTo: to, Whole: true}}
	w.what = lifecycle.Description{
		Cluster: true, HighlyAvailable: true, ChangeStateTo: to, ControlPlanes: true, Whole: true,
	}
	add := func(name string, role lcm.Role) {
		v := lcm.OperatedVnfc{VnfcID: "vnfc-" + name, VduID: "vdu", ServerID: name, Was: lcm.VnfStarted}
		if slices.Contains(stopped, name) {
			v.Was = lcm.VnfStopped
			w.what.Stopped = append(w.what.Stopped, name)
		}
		if role != "" {
			v.Node = name
			w.what.Nodes = append(w.what.Nodes, lcm.Node{Name: name, Role: role, ServerID: name})
		}
		w.plan.Operated = append(w.plan.Operated, v)
	}
	for i := range 3 {
		add(fmt.Sprintf("cp-%d", i), lcm.ControlPlane)
	}
	add("worker-0", lcm.Worker)
	add("worker-1", lcm.Worker)
	add("nfs", "")
	return w
}

// only restricts the operation to these VMs.
func (w *powerWorld) only(names ...string) *powerWorld {
	w.plan.Whole, w.what.Whole = false, false
	w.plan.Operated = slices.DeleteFunc(w.plan.Operated,
		func(v lcm.OperatedVnfc) bool { return !slices.Contains(names, v.ServerID) })
	has := func(role lcm.Role) bool {
		return slices.ContainsFunc(w.what.Nodes.With(role), func(n lcm.Node) bool { return slices.Contains(names, n.Name) })
	}
	w.what.ControlPlanes = has(lcm.ControlPlane)
	return w
}

// steps lists the steps of the operation.
func (w *powerWorld) steps() []lifecycle.Step {
	info := &lcm.InstantiatedVnfInfo{Nodes: w.what.Nodes}
	var vnfcs []string
	for _, v := range w.plan.Operated {
		info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{ID: v.VnfcID, VduID: v.VduID})
		vnfcs = append(vnfcs, v.VnfcID)
	}
	if w.cordoned {
		info.Switch(lcm.VnfStopped, vnfcs, vnfcs)
	}
	f := lifecycle.Facts{
		Instance: lcm.VnfInstance{Instantiated: info}, Flavour: &descriptor.Flavour{}, Graceful: w.graceful,
	}
	if w.what.Cluster {
		f.Drivers = []lifecycle.VnfDriver{&kubeadm.Installer{}}
	}
	return lifecycle.Steps(f, w.plan)
}

func (w *powerWorld) run(t *testing.T, before func(*testsuite.TestWorkflowEnvironment)) error {
	t.Helper()
	w.what.Steps = w.steps()
	env := newRun(t, &w.world)
	env.RegisterWorkflow(Operate)
	register := func(name string, act any) { env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name}) }
	work := func(ctx context.Context, name string, tracked activities.Tracked) error {
		_, err := w.work(ctx, workInput{Tracked: tracked, Name: name})
		return err
	}
	register("PlanOperation", func(context.Context, records.PlanInput) (lcm.Plan, error) { return w.plan, nil })
	register("ClusterHealth", func(_ context.Context, in reach.ClusterInput) (kubecluster.ClusterHealthOutput, error) {
		w.asked = in.ControlPlanes.Servers()
		return w.health, nil
	})
	register("SwitchServer", func(ctx context.Context, in resources.SwitchServerInput) (out resources.SwitchServerOutput,
		err error,
	) {
		return out, work(ctx, map[lcm.VnfState]string{lcm.VnfStarted: "start ", lcm.VnfStopped: "stop "}[in.To]+in.ServerID,
			in.Tracked)
	})
	register("AwaitHealth", func(ctx context.Context, in kubecluster.AwaitHealthInput) (out kubecluster.AwaitHealthOutput,
		err error,
	) {
		return out, work(ctx, fmt.Sprintf("await %v through %v", in.Nodes, in.ControlPlanes.Servers()), in.Tracked)
	})
	register("WaitForSSH", func(ctx context.Context, in reach.NodeInput) (out kubenode.WaitForSSHOutput,
		err error,
	) {
		return out, work(ctx, "log in to "+in.Node.Name, in.Tracked)
	})
	register("TellHosts", func(ctx context.Context, in kubenode.TellHostsInput) (out kubenode.TellHostsOutput,
		err error,
	) {
		return out, work(ctx, "tell "+in.Node.Name, in.Tracked)
	})
	register("DrainNode", func(ctx context.Context, in kubecluster.DrainNodeInput) (out kubecluster.DrainNodeOutput,
		err error,
	) {
		return out, work(ctx, fmt.Sprintf("drain %s through %v", in.Leaving.Name, in.ControlPlanes.Servers()), in.Tracked)
	})
	register("UncordonNode", func(ctx context.Context,
		in kubecluster.NodeOfClusterInput,
	) (out kubecluster.UncordonNodeOutput, err error) {
		return out, work(ctx, "uncordon "+in.Leaving.Name, in.Tracked)
	})
	if before != nil {
		before(env)
	}
	env.ExecuteWorkflow(Operate, lcm.OperationInput{OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpOperate})
	return env.GetWorkflowError()
}

// at returns the position of an action in the list of what was done.
func (w *powerWorld) at(t *testing.T, name string) int {
	t.Helper()
	i := slices.Index(w.done, name)
	require.GreaterOrEqual(t, i, 0, "%s was not done: %v", name, w.done)
	return i
}

func (w *powerWorld) inOrder(t *testing.T, names ...string) {
	t.Helper()
	for i := 1; i < len(names); i++ {
		require.Less(t, w.at(t, names[i-1]), w.at(t, names[i]), "%v", w.done)
	}
}

func TestOperate_stopsAClusterFromItsEdgeInwards(t *testing.T) {
	t.Parallel()
	w := newPowerWorld(lcm.VnfStopped)
	require.NoError(t, w.run(t, nil))
	require.Equal(t, lcm.Completed, w.states[len(w.states)-1])
	w.inOrder(t, "stop worker-0", "stop cp-0", "stop cp-1", "stop cp-2", "stop nfs")
	w.inOrder(t, "stop worker-1", "stop cp-0")
	require.Len(t, w.done, 6, "nothing is drained and nobody is asked when all of it stops")
	require.Len(t, w.last.Outcome.Operated.Vnfcs, 6)
	require.Equal(t, lcm.VnfStopped, w.last.Outcome.Operated.ChangeStateTo)
}

func TestOperate_startsInTheReverseAndWaitsUntilTheClusterWorks(t *testing.T) {
	t.Parallel()
	w := newPowerWorld(lcm.VnfStarted, "cp-0", "cp-1", "cp-2", "worker-0", "worker-1", "nfs")
	require.NoError(t, w.run(t, nil))
	w.inOrder(t, "start nfs", "start cp-0", "start worker-0", "log in to cp-0", "tell worker-1",
		"await [cp-0 cp-1 cp-2 worker-0 worker-1] through [cp-0 cp-1 cp-2]")
	require.NotContains(t, w.done, "uncordon worker-0", "it was not drained")
}

func TestOperate_drainsWhatStopsGracefullyWhileOthersGoOn(t *testing.T) {
	t.Parallel()
	w := newPowerWorld(lcm.VnfStopped, "cp-2").only("worker-0", "cp-1")
	w.graceful = true
	w.health = kubecluster.ClusterHealthOutput{Members: []kubecluster.MemberHealth{{Name: "cp-0", Healthy: true}}}
	require.NoError(t, w.run(t, nil))
	require.Equal(t, []string{"cp-0", "cp-1"}, w.asked, "cp-2 is off")
	w.inOrder(t, "drain cp-1 through [cp-0]", "stop worker-0", "stop cp-1", "await [cp-0] through [cp-0]")
	require.Equal(t, []string{"vnfc-cp-1", "vnfc-worker-0"},
		slices.Sorted(slices.Values(w.last.Outcome.Operated.Cordoned)))

	w = newPowerWorld(lcm.VnfStarted, "worker-0").only("worker-0")
	w.cordoned = true
	require.NoError(t, w.run(t, nil))
	w.inOrder(t, "start worker-0", "await [worker-0] through [cp-0 cp-1 cp-2]", "uncordon worker-0")
}

func TestOperate_refusesToStopWithoutAQuorumBeforeAnythingIsTouched(t *testing.T) {
	t.Parallel()
	w := newPowerWorld(lcm.VnfStopped).only("cp-0")
	w.health.Reason = "etcd has no quorum."
	require.NoError(t, w.run(t, nil))
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.RolledBack}, w.states)
	require.Equal(t, "etcd has no quorum.", w.last.Status.Error.Detail)
}

func TestOperate_isRetriedAtItsStep(t *testing.T) {
	t.Parallel()
	w := newPowerWorld(lcm.VnfStopped)
	w.fail = map[string][]error{"stop cp-1": {broken("Nova refused.")}}
	require.NoError(t, w.run(t, func(env *testsuite.TestWorkflowEnvironment) { decide(env, time.Hour, lcm.Retry) }))
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.Processing, lcm.Completed},
		w.states)
	require.Len(t, w.last.Outcome.Operated.Vnfcs, 6, "each of them once")
}

func TestOperate_rolledBackRunsAgainWhatRanBefore(t *testing.T) {
	t.Parallel()
	w := newPowerWorld(lcm.VnfStopped, "worker-1")
	w.fail = map[string][]error{"stop cp-1": {broken("Nova refused.")}}
	require.NoError(t, w.run(t, func(env *testsuite.TestWorkflowEnvironment) { decide(env, time.Hour, lcm.Rollback) }))
	require.Equal(t, lcm.RolledBack, w.states[len(w.states)-1])
	w.inOrder(t, "stop cp-0", "start cp-0", "log in to cp-2", "await [cp-0 cp-1 cp-2] through [cp-0 cp-1 cp-2]",
		"start worker-0",
		"await [worker-0] through [cp-0 cp-1 cp-2]")
	require.NotContains(t, w.done, "start worker-1", "it was off before")
	require.NotContains(t, w.done, "start nfs", "its step was not reached")
}

func TestOperate_aStartRolledBackStopsWhatWasStopped(t *testing.T) {
	t.Parallel()
	w := newPowerWorld(lcm.VnfStarted, "cp-0", "worker-0", "nfs")
	w.fail = map[string][]error{"start worker-0": {broken("Nova refused.")}}
	require.NoError(t, w.run(t, func(env *testsuite.TestWorkflowEnvironment) { decide(env, time.Hour, lcm.Rollback) }))
	require.Equal(t, lcm.RolledBack, w.states[len(w.states)-1])
	w.inOrder(t, "start nfs", "start cp-0", "stop worker-0", "stop cp-0", "stop nfs")
	require.NotContains(t, w.done, "stop cp-1", "it ran before")
}

func TestOperate_failedTellsWhatItHasStopped(t *testing.T) {
	t.Parallel()
	w := newPowerWorld(lcm.VnfStopped)
	w.fail = map[string][]error{"stop cp-1": {broken("Nova refused.")}}
	require.Error(t, w.run(t, func(env *testsuite.TestWorkflowEnvironment) { decide(env, time.Hour, lcm.Fail) }))
	require.Equal(t, lcm.Failed, w.last.Status.State)
	require.Equal(t, []string{"vnfc-cp-0", "vnfc-worker-0", "vnfc-worker-1"},
		slices.Sorted(slices.Values(w.last.Outcome.Operated.Vnfcs)))
}

func TestOperate_isCancelled(t *testing.T) {
	t.Parallel()
	w := newPowerWorld(lcm.VnfStopped)
	w.hang = map[string]bool{"stop cp-0": true}
	require.NoError(t, w.run(t, func(env *testsuite.TestWorkflowEnvironment) {
		decideWhen(env, w.hanging.Load, lcm.Cancel, lcm.CancelRequest{Mode: lcm.Forceful})
		decide(env, time.Hour, lcm.Rollback)
	}))
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack},
		w.states)
}

func TestOperate_ofMachinesThatAreNoClusterIsOneStep(t *testing.T) {
	t.Parallel()
	w := newPowerWorld(lcm.VnfStopped)
	w.what.Cluster, w.what.Nodes, w.what.ControlPlanes = false, nil, false
	require.NoError(t, w.run(t, nil))
	require.Len(t, w.done, 6)
	require.Equal(t, "Stop the servers", w.last.Status.Step)
}
