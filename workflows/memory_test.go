package workflows

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/memory"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// memoryWork does and undoes the steps of the driver memory. A driver needs nothing else in this package.
type memoryWork struct{ *vnf }

func (m *memoryWork) table() table {
	return table{
		memory.Remember: {do: m.remember, undo: m.forget},
		memory.Forget:   {do: m.forget, undo: m.remember},
	}
}

func (m *memoryWork) remember(ctx workflow.Context) error { return m.tell(ctx, "remember") }
func (m *memoryWork) forget(ctx workflow.Context) error   { return m.tell(ctx, "forget") }

func (m *memoryWork) tell(ctx workflow.Context, what string) error {
	var w *world
	_, err := call(onNode(ctx), w.work, workInput{Tracked: track(ctx, ""), Name: what})
	return err
}

// withMemory registers the driver for the duration of a test.
func withMemory(t *testing.T) driver.Set {
	before := drivers
	drivers = append(slices.Clone(drivers), func(v *vnf) tables { return tables{(&memoryWork{v}).table()} })
	t.Cleanup(func() { drivers = before })
	return driver.Set{memory.Driver{}}
}

// memoryFacts returns the facts of a VNF whose VNFD names the driver.
func memoryFacts(t *testing.T, known driver.Set, additional string) lifecycle.Facts {
	t.Helper()
	f := someFacts(t, "simple", false)
	flavour := *f.Flavour
	flavour.Hooks = map[string]descriptor.Hook{"instantiate_end": {Implementation: memory.Name, Driver: memory.Name}}
	f.Flavour = &flavour
	var err error
	f.Drivers, err = driver.Usable(known.Bind(f.Flavour, json.RawMessage(additional)))
	require.NoError(t, err)
	return f
}

// TestDriver_takesPartInEveryOperation checks that a minimal driver takes part in every operation: forward, in a retry
// and in a rollback.
func TestDriver_takesPartInEveryOperation(t *testing.T) {
	f := memoryFacts(t, withMemory(t), `{}`)
	for name, c := range map[string]struct {
		op             lcm.Operation
		body           string
		done, rollback []string
	}{
		"instantiate": {lcm.OpInstantiate, `{}`, []string{"create", "remember"}, []string{"create", "forget", "delete"}},
		"scale out": {
			lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"worker_instance"}`,
			[]string{"change", "remember"},
			[]string{"change", "forget", "change"},
		},
		"scale in": {
			lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance"}`, []string{"forget", "change"}, []string{"remember"},
		},
		"heal": {
			lcm.OpHeal, `{"vnfcInstanceId":["worker-0"]}`,
			[]string{"forget", "change", "remember"},
			[]string{"remember"},
		},
		"terminate": {lcm.OpTerminate, `{"terminationType":"FORCEFUL"}`, []string{"forget", "delete"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := planOf(f, c.op, c.body)
			require.NoError(t, err)
			steps := lifecycle.Steps(f, p)

			w := &world{what: lifecycle.Description{Steps: steps}}
			require.NoError(t, runOn(t, w, c.op, p, nil))
			require.Equal(t, c.done, w.done)

			own := c.done[slices.IndexFunc(c.done, func(s string) bool { return s == "remember" || s == "forget" })]
			for action, want := range map[lcm.Action][]string{lcm.Retry: c.done, lcm.Rollback: c.rollback} {
				if want == nil { // a termination has no rollback
					continue
				}
				w = &world{what: lifecycle.Description{Steps: steps}, fail: map[string][]error{own: {broken("it has no room")}}}
				require.NoError(t, runOn(t, w, c.op, p,
					func(env *testsuite.TestWorkflowEnvironment) { decide(env, time.Hour, action) }))
				require.Equal(t, want, w.done, "%s", action)
			}
		})
	}
}

// runOn runs an operation on an infrastructure on which every activity succeeds.
func runOn(
	t *testing.T, w *world, op lcm.Operation, p lcm.Plan, before func(*testsuite.TestWorkflowEnvironment),
) error {
	t.Helper()
	return runIt(t, w, lcm.OperationInput{Operation: op}, p, before)
}

func runIt(
	t *testing.T, w *world, in lcm.OperationInput, p lcm.Plan, before func(*testsuite.TestWorkflowEnvironment),
) error {
	t.Helper()
	run := map[lcm.Operation]func(workflow.Context, lcm.OperationInput) error{
		lcm.OpInstantiate: Instantiate, lcm.OpScale: Scale, lcm.OpHeal: Heal, lcm.OpTerminate: Terminate,
	}[in.Operation]
	env := newRun(t, w)
	env.RegisterWorkflow(run)
	register := func(name string, act any) { env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name}) }
	does := func(ctx context.Context, in activities.Tracked, name string) error {
		_, err := w.work(ctx, workInput{Tracked: in, Name: name})
		return err
	}
	register("PlanOperation", func(context.Context, records.PlanInput) (lcm.Plan, error) { return p, nil })
	register("CreateStack", func(ctx context.Context, in resources.DeploymentInput) (out resources.CreateStackOutput,
		err error,
	) {
		return out, does(ctx, in.Tracked, "create")
	})
	register("ChangeStack", func(ctx context.Context, in resources.ChangeStackInput) (out resources.ChangeStackOutput,
		err error,
	) {
		return out, does(ctx, in.Tracked, "change")
	})
	register("DeleteStack", func(ctx context.Context, in resources.DeploymentInput) (out resources.DeleteStackOutput,
		err error,
	) {
		return out, does(ctx, in.Tracked, "delete")
	})
	register("LookForLeftovers", func(ctx context.Context, in resources.DeploymentInput) (
		out resources.LookForLeftoversOutput, err error,
	) {
		out.Nothing = true
		return out, does(ctx, in.Tracked, "look for leftovers")
	})
	register("FindNodes", func(context.Context, kubenode.FindNodesInput) (kubenode.FindNodesOutput, error) {
		return kubenode.FindNodesOutput{DeploymentID: "stack", Vnfcs: []record.Vnfc{{ServerID: "s"}}}, nil
	})
	register("FreeVolumes", func(context.Context, resources.FreeVolumesInput) (out resources.FreeVolumesOutput,
		err error,
	) {
		return out, nil
	})
	register("ForgetNodes", func(context.Context, kubecluster.ForgetNodesInput) (out kubecluster.ForgetNodesOutput,
		err error,
	) {
		return out, nil
	})
	if before != nil {
		before(env)
	}
	in.OpOccID, in.VnfInstanceID = "op", "vnf"
	env.ExecuteWorkflow(run, in)
	return env.GetWorkflowError()
}

// TestDriver_refuses checks that a driver can refuse a plan, and reports all mistakes in a request at once.
func TestDriver_refuses(t *testing.T) {
	known := withMemory(t)
	f := memoryFacts(t, known, `{"memory":{"limit":1}}`)
	_, err := planOf(f, lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"worker_instance"}`)
	require.ErrorContains(t, err, "The memory has room for 1 servers")

	_, err = driver.Usable(known.Bind(f.Flavour, json.RawMessage(`{"memory":{"limit":"many"}}`)))
	require.ErrorContains(t, err, "$.additionalParams.memory.limit")

	var found driver.Findings
	r := driver.Request{Flavour: f.Flavour, Capacity: map[string]int{"workerNode": 4}, Found: &found}
	bound, wrong := memory.Driver{}.Bind(r.AdditionalParams)
	require.NoError(t, bound.CheckRequest(t.Context(), r, wrong))
	require.ErrorContains(t, found.Err(), "is less than the number of servers of workerNode")
}

// TestDrivers_standInTheOrderOfTheVnfd checks that a VNF may have several drivers, whose steps are in the order of the
// drivers in the VNFD.
func TestDrivers_standInTheOrderOfTheVnfd(t *testing.T) {
	f := memoryFacts(t, withMemory(t), `{}`)
	first, second := named("first"), named("second")
	for _, order := range [][]lifecycle.VnfDriver{{first, second}, {second, first}} {
		f.Drivers = order
		var got []string
		for _, s := range lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpInstantiate}) {
			if s.Title == "its own" {
				got = append(got, string(s.ID))
			}
		}
		require.Equal(t, []string{order[0].Name(), order[1].Name()}, got)
	}
}

// named is a driver with one step at the end of an instantiation.
type named string

func (n named) Name() string { return string(n) }

func (n named) Steps(at lifecycle.Hook, _ lifecycle.Facts, _ lcm.Plan) []lifecycle.Step {
	return lifecycle.When(at == lifecycle.InstantiateEnd, lifecycle.Step{ID: lifecycle.StepID(n), Title: "its own"})
}

func (named) Check(lifecycle.Facts, lcm.Plan) error { return nil }
