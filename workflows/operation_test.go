package workflows

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
)

// world is what the activities of a test operation do and record.
type world struct {
	mu     sync.Mutex
	states []lcm.OperationState
	done   []string
	last   records.RecordStateInput
	fail   map[string][]error // by the name of the work: the errors of the next calls, in order
	hang   map[string]bool    // until cancelled
	what   lifecycle.Description
	steps  []lcm.Step
	// interrupted counts how often the steps of an earlier run were ended.
	interrupted int
	// before, if it is not nil, is called before each record is stored.
	before func(lcm.OperationState)
	// hanging is set when an activity has begun to hang.
	hanging atomic.Bool
	// lost is set when a lost run has recorded PROCESSING: the store then refuses ROLLED_BACK.
	lost bool
	// unread is the error when the operation's data cannot be read.
	unread error
	// outage is how often the database does not answer before it stores the record of PROCESSING.
	outage int
}

type workInput struct {
	activities.Tracked
	Name string
}

func (w *world) work(ctx context.Context, in workInput) (struct{}, error) {
	w.mu.Lock()
	hangs := w.hang[in.Name]
	var err error
	if errs := w.fail[in.Name]; len(errs) > 0 {
		err, w.fail[in.Name] = errs[0], errs[1:]
	}
	w.mu.Unlock()
	if hangs {
		w.hanging.Store(true)
		for ctx.Err() == nil {
			activity.RecordHeartbeat(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
		return struct{}{}, ctx.Err()
	}
	if err != nil {
		return struct{}{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done = append(w.done, in.Name)
	return struct{}{}, nil
}

func (w *world) describe(context.Context, records.DescribeInput) (lifecycle.Description, error) {
	return w.what, w.unread
}

func (w *world) recordPlan(context.Context, records.RecordPlanInput) error { return nil }

func (w *world) interruptSteps(context.Context, records.DescribeInput) error {
	w.interrupted++
	return nil
}

func (w *world) recordState(_ context.Context, in records.RecordStateInput) error {
	if w.before != nil {
		w.before(in.Status.State)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.outage > 0 && in.Status.State == lcm.Processing {
		w.outage--
		return temporal.NewApplicationError("The database does not answer.", string(lcm.KindUnavailable))
	}
	if w.lost && in.Status.State == lcm.RolledBack && w.last.Status.State == lcm.Processing {
		e := lcm.Errorf(lcm.KindConflict, "Operation op is PROCESSING; it cannot become ROLLED_BACK.")
		return temporal.NewNonRetryableApplicationError(e.Detail, string(e.Kind), nil, *e)
	}
	if in.Sequence <= w.last.Sequence { // as in the store
		return nil
	}
	if len(w.states) == 0 || w.states[len(w.states)-1] != in.Status.State {
		w.states = append(w.states, in.Status.State)
	}
	w.last = in
	return nil
}

func (w *world) recordSteps(_ context.Context, in []records.RecordStepInput) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range in {
		w.steps = append(w.steps, s.Step)
	}
	return nil
}

func threeLines() []lifecycle.Step {
	return []lifecycle.Step{
		{ID: "ask-for-grant", Title: "Ask for a grant"},
		{ID: "first", Title: "First", Undo: "a is undone"},
		{ID: "second", Title: "Second", Undo: "b is undone"},
		{ID: "third", Title: "Third", Undo: "c is undone"},
	}
}

// threeSteps is an operation with three steps, each of which can be undone.
func threeSteps(ctx workflow.Context, in lcm.OperationInput) error {
	var w *world
	do := func(name string) func(workflow.Context) error {
		return func(ctx workflow.Context) error {
			_, err := call(onNode(ctx), w.work, workInput{Tracked: track(ctx, ""), Name: name})
			return err
		}
	}
	return runOperation(ctx, &operation{
		in:    in,
		learn: func(lifecycle.Description) {},
		tables: tables{{
			"ask-for-grant": {do: do("grant")},
			"first":         {do: do("a"), undo: do("undo a")},
			"second":        {do: do("b"), undo: do("undo b")},
			"third":         {do: do("c"), undo: do("undo c")},
		}},
		outcome: func() *record.Outcome { return &record.Outcome{DeploymentID: "s"} },
		lookBack: func(ctx workflow.Context) error {
			_, err := call(glance(ctx), w.work, workInput{Tracked: track(ctx, ""), Name: "look back"})
			return err
		},
	})
}

func broken(detail string) error {
	e := lcm.Errorf(lcm.KindBroken, "%s", detail)
	return temporal.NewApplicationErrorWithOptions(detail, string(e.Kind),
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{e}})
}

func newRun(t *testing.T, w *world) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := newEnvironment()
	env.SetTestTimeout(time.Minute)
	env.RegisterWorkflow(threeSteps)
	if w.what.State == "" {
		w.what.State = lcm.Starting
	}
	if w.what.Steps == nil {
		w.what.Steps = threeLines()
	}
	for name, act := range map[string]any{
		"InterruptSteps": w.interruptSteps, "work": w.work, "DescribeOperation": w.describe, "RecordPlan": w.recordPlan,
		"RecordState": w.recordState, "RecordSteps": w.recordSteps,
	} {
		env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name})
	}
	return env
}

func run(env *testsuite.TestWorkflowEnvironment, resumed bool) {
	env.ExecuteWorkflow(threeSteps, lcm.OperationInput{
		OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpInstantiate, Resumed: resumed,
	})
}

// decide sends an update after a delay, and records the answer.
func decide(env *testsuite.TestWorkflowEnvironment, after time.Duration, action lcm.Action, args ...any) *answer {
	a := &answer{}
	env.RegisterDelayedCallback(func() { a.ask(env, action, args...) }, after)
	return a
}

// when calls do as soon as a condition is met, also on a busy machine.
func when(env *testsuite.TestWorkflowEnvironment, met func() bool, do func()) {
	env.RegisterDelayedCallback(func() {
		if met() {
			do()
		} else {
			when(env, met, do)
		}
	}, 20*time.Millisecond)
}

// decideWhen sends an update as soon as a condition is met, and records the answer.
func decideWhen(env *testsuite.TestWorkflowEnvironment, met func() bool, action lcm.Action, args ...any) *answer {
	a := &answer{}
	when(env, met, func() { a.ask(env, action, args...) })
	return a
}

func (a *answer) ask(env *testsuite.TestWorkflowEnvironment, action lcm.Action, args ...any) {
	env.UpdateWorkflow(string(action), "", &testsuite.TestUpdateCallback{
		OnAccept:   func() { a.accepted = true },
		OnReject:   func(err error) { a.rejected = err },
		OnComplete: func(_ any, err error) { a.completed, a.err = true, err },
	}, args...)
}

type answer struct {
	accepted, completed bool
	rejected, err       error
}

func TestOperation_completes(t *testing.T) {
	t.Parallel()
	w := &world{}
	env := newRun(t, w)
	run(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.Completed}, w.states)
	require.Equal(t, []string{"grant", "a", "b", "c"}, w.done)
	require.Equal(t, "s", w.last.Outcome.DeploymentID, "the outcome is recorded with COMPLETED")
}

func TestOperation_retryResumesAtTheFailedStep(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"b": {broken("b broke")}}}
	env := newRun(t, w)
	retry := decide(env, time.Hour, lcm.Retry)
	run(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.True(t, retry.completed)
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.Processing, lcm.Completed},
		w.states)
	require.Equal(t, []string{"grant", "a", "b", "c"}, w.done, "a is not repeated")
}

func TestOperation_waitsForTheDatabaseAsLongAsItTakes(t *testing.T) {
	t.Parallel()
	w := &world{outage: 30}
	env := newRun(t, w)
	run(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.Completed}, w.states)
	require.Zero(t, w.outage)
}

// TestOperation_decisionFasterThanTheRecordIsAnsweredWithItsOwnTransition has FAILED_TEMP in the store, and a client
// that decides before the workflow has got the result of this record.
func TestOperation_decisionFasterThanTheRecordIsAnsweredWithItsOwnTransition(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"b": {broken("b broke")}}}
	accepted, answered, early := make(chan struct{}), make(chan struct{}), false
	var failed atomic.Bool
	w.before = func(state lcm.OperationState) {
		switch {
		case state == lcm.FailedTemp:
			failed.Store(true)
			<-accepted
		case slices.Contains(w.states, lcm.FailedTemp) && state == lcm.Processing:
			select {
			case <-answered:
				early = true
			case <-time.After(300 * time.Millisecond):
			}
		}
	}
	env := newRun(t, w)
	var problem error
	when(env, failed.Load, func() {
		env.UpdateWorkflow(string(lcm.Retry), "", &testsuite.TestUpdateCallback{
			OnAccept:   func() { close(accepted) },
			OnReject:   func(err error) { problem = err; close(accepted) },
			OnComplete: func(_ any, err error) { problem = err; close(answered) },
		})
	})
	run(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, problem)
	<-answered
	require.False(t, early, "the answer waits for the decision's own transition, not for the FAILED_TEMP that it decided "+
		"about")
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.Processing, lcm.Completed},
		w.states)
}

func TestOperation_rollbackUndoesTheHalfDoneStepToo(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"b": {broken("b broke")}}}
	env := newRun(t, w)
	decide(env, time.Hour, lcm.Rollback)
	run(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack},
		w.states)
	require.Equal(t, []string{"grant", "a", "undo b", "undo a"}, w.done)
	require.Equal(t, "b broke", w.last.Status.Error.Detail, "why it was rolled back stays readable")
}

func TestOperation_rollbackUndoesWhatOneThatWasGivenUpMayHaveDone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail map[string][]error
		then lcm.Action
		done []string
	}{
		"all of it":       {then: lcm.Rollback, done: []string{"grant", "undo c", "undo b", "undo a"}},
		"retry after all": {map[string][]error{"undo b": {broken("undo broke")}}, lcm.Retry, []string{"grant", "undo c", "a", "b", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{fail: c.fail, what: lifecycle.Description{LeftBehind: true}}
			if w.fail == nil {
				w.fail = map[string][]error{}
			}
			w.fail["a"] = []error{broken("a broke")}
			env := newRun(t, w)
			decide(env, time.Hour, lcm.Rollback)
			if c.then == lcm.Retry {
				decide(env, 2*time.Hour, c.then)
			}
			run(env, false)
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, c.done, w.done)
		})
	}
}

func TestOperation_failedUndoGoesOnWithRollbackOrForwardWithRetry(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		then   lcm.Action
		states []lcm.OperationState
		done   []string
	}{
		"rollback": {lcm.Rollback, []lcm.OperationState{
			lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack,
		}, []string{"grant", "a", "b", "undo c", "undo b", "undo a"}},
		"retry": {lcm.Retry, []lcm.OperationState{
			lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.FailedTemp, lcm.Processing, lcm.Completed,
		}, []string{"grant", "a", "b", "undo c", "b", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{fail: map[string][]error{"c": {broken("c broke")}, "undo b": {broken("undo broke")}}}
			env := newRun(t, w)
			decide(env, time.Hour, lcm.Rollback)
			decide(env, 2*time.Hour, c.then)
			run(env, false)
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, c.states, w.states)
			require.Equal(t, c.done, w.done)
		})
	}
}

func TestOperation_failEndsAsFailedWorkflow(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"a": {broken("a broke")}}}
	env := newRun(t, w)
	decide(env, time.Hour, lcm.Fail)
	run(env, false)
	require.ErrorContains(t, env.GetWorkflowError(), "a broke")
	require.Equal(t, lcm.Failed, w.states[len(w.states)-1])
	require.Equal(t, []string{"grant", "look back"}, w.done)
}

func TestOperation_failNeedsNoCloudThatAnswers(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{
		"b": {broken("b broke")}, "undo b": {broken("the cloud is away")}, "look back": {broken("the cloud is away")},
	}}
	env := newRun(t, w)
	decide(env, time.Hour, lcm.Rollback)
	decide(env, 2*time.Hour, lcm.Fail)
	run(env, false)
	require.ErrorContains(t, env.GetWorkflowError(), "the cloud is away")
	require.Equal(t, []lcm.OperationState{
		lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.FailedTemp,
		lcm.Failed,
	}, w.states)
}

func TestOperation_errorBeforeAnyResourceRollsBackAtOnce(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"grant": {broken("refused")}}}
	env := newRun(t, w)
	run(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.RolledBack}, w.states)
	require.Equal(t, "refused", w.last.Status.Error.Detail)
}

func TestOperation_forcefulCancelInterruptsTheStep(t *testing.T) {
	t.Parallel()
	w := &world{hang: map[string]bool{"b": true}}
	env := newRun(t, w)
	cancel := decideWhen(env, w.hanging.Load, lcm.Cancel, lcm.CancelRequest{Mode: lcm.Forceful})
	decide(env, time.Hour, lcm.Fail)
	run(env, false)
	require.True(t, cancel.completed)
	require.NoError(t, cancel.err)
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.Failed}, w.states)
	require.Equal(t, []string{"grant", "a", "look back"}, w.done)
	require.Contains(t, w.last.Status.Error.Detail, "cancelled (FORCEFUL)")
	require.False(t, w.last.Status.IsCancelPending, "it is over")
	require.Equal(t, lcm.StepCancelled, w.steps[len(w.steps)-1].State)
}

// TestOperation_takesTheSameCancelAgain sends both cancels while no worker runs: the client got no answer to the first.
func TestOperation_takesTheSameCancelAgain(t *testing.T) {
	t.Parallel()
	w := &world{hang: map[string]bool{"b": true}}
	env := newRun(t, w)
	var first, second, other, late, lateOther answer
	forceful, graceful := lcm.CancelRequest{Mode: lcm.Forceful}, lcm.CancelRequest{Mode: lcm.Graceful}
	when(env, w.hanging.Load, func() {
		first.ask(env, lcm.Cancel, forceful)
		second.ask(env, lcm.Cancel, forceful)
		other.ask(env, lcm.Cancel, graceful)
	})
	env.RegisterDelayedCallback(func() {
		late.ask(env, lcm.Cancel, forceful)
		lateOther.ask(env, lcm.Cancel, graceful)
	}, time.Hour)
	decide(env, 2*time.Hour, lcm.Fail)
	run(env, false)
	for _, a := range []answer{first, second, late} {
		require.NoError(t, a.rejected)
		require.True(t, a.completed)
		require.NoError(t, a.err)
	}
	require.Error(t, other.rejected)
	require.ErrorContains(t, lateOther.rejected, "The operation is FAILED_TEMP: cancel is not possible")
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.Failed}, w.states)
}

func TestOperation_cancelWhileStartingEndsIt(t *testing.T) {
	t.Parallel()
	for _, mode := range []lcm.CancelMode{lcm.Forceful, lcm.Graceful} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			w := &world{hang: map[string]bool{"grant": mode == lcm.Forceful}}
			env := newRun(t, w)
			if mode == lcm.Graceful {
				env.OnActivity("work", anyContext, workIs("grant")).After(time.Minute).Return(struct{}{}, nil)
			}
			cancel := decide(env, 100*time.Millisecond, lcm.Cancel, lcm.CancelRequest{Mode: mode})
			run(env, false)
			require.NoError(t, env.GetWorkflowError())
			require.NoError(t, cancel.err)
			require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.RolledBack}, w.states,
				"nothing was touched: SOL003 clause 5.4.17")
			require.Contains(t, w.last.Status.Error.Detail, "cancelled")
			require.Empty(t, w.done)
		})
	}
}

// TestOperation_withoutRollbackSaysNothingOfDeletedServers checks that an operation that never has a rollback does not
// say that it has lost this possibility, because perhaps nothing is deleted yet.
func TestOperation_withoutRollbackSaysNothingOfDeletedServers(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"a": {broken("a broke")}}}
	w.what.Steps = threeLines()
	w.what.Steps[1].Final = true
	env := newRun(t, w)
	decide(env, time.Hour, lcm.Retry)
	env.ExecuteWorkflow(threeSteps, lcm.OperationInput{OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpTerminate})
	require.NoError(t, env.GetWorkflowError())
	require.Contains(t, w.states, lcm.FailedTemp)
	require.False(t, w.last.Status.ForwardOnly)
}

// TestOperation_cancelAfterALostTaskLeadsToFailedTemp simulates a worker that was killed after it had recorded
// PROCESSING, but before Temporal had got the workflow task. The task runs again, and now a cancel comes first.
func TestOperation_cancelAfterALostTaskLeadsToFailedTemp(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{false, true} {
		for _, decision := range []lcm.Action{lcm.Retry, lcm.Rollback, lcm.Fail} {
			t.Run(fmt.Sprint(decision, known), func(t *testing.T) {
				t.Parallel()
				w := &world{lost: true, states: []lcm.OperationState{lcm.Starting, lcm.Processing}}
				w.last.Sequence, w.last.Status.State = 2, lcm.Processing
				if known { // the lost task had already read the operation's state
					w.what.State, w.what.Sequence = lcm.Processing, 2
				}
				env := newRun(t, w)
				env.OnActivity("work", anyContext, workIs("grant")).After(time.Minute).Return(struct{}{}, nil)
				env.OnActivity("work", anyContext, anyWork).Return(w.work)
				cancel := decide(env, time.Second, lcm.Cancel, lcm.CancelRequest{Mode: lcm.Graceful})
				decide(env, time.Hour, decision)
				run(env, false)
				require.True(t, cancel.completed)
				require.NoError(t, cancel.err)
				expected := map[lcm.Action][]lcm.OperationState{
					lcm.Retry:    {lcm.Processing, lcm.Completed},
					lcm.Rollback: {lcm.RollingBack, lcm.RolledBack},
					lcm.Fail:     {lcm.Failed},
				}[decision]
				before := []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp}
				require.Equal(t, append(before, expected...), w.states)
				if decision == lcm.Retry {
					require.Equal(t, []string{"a", "b", "c"}, w.done)
				}
			})
		}
	}
}

func TestOperation_gracefulCancelLetsTheStepEnd(t *testing.T) {
	t.Parallel()
	w := &world{}
	env := newRun(t, w)
	env.OnActivity("work", anyContext, workIs("b")).After(time.Minute).Return(struct{}{}, nil)
	env.OnActivity("work", anyContext, anyWork).Return(w.work)
	decide(env, 30*time.Second, lcm.Cancel, lcm.CancelRequest{Mode: lcm.Graceful})
	decide(env, time.Hour, lcm.Retry)
	run(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.Processing, lcm.Completed},
		w.states)
	require.Equal(t, []string{"grant", "a", "c"}, w.done, "b ended in its mock; c ran after the retry only")
}

func TestOperation_refusesWhatItsStateDoesNotTake(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"b": {broken("b broke")}}}
	env := newRun(t, w)
	cancel := decide(env, time.Hour, lcm.Cancel, lcm.CancelRequest{Mode: lcm.Forceful})
	mode := decide(env, time.Hour, lcm.Cancel, lcm.CancelRequest{Mode: "LATER"})
	retry := decide(env, time.Hour+time.Second, lcm.Retry)
	run(env, false)
	require.ErrorContains(t, cancel.rejected, "The operation is FAILED_TEMP: cancel is not possible")
	require.ErrorContains(t, mode.rejected, "cancelMode must be GRACEFUL or FORCEFUL")
	require.True(t, retry.accepted)
}

func TestOperation_takesSignalsWithoutPayload(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"b": {broken("b broke")}}}
	env := newRun(t, w)
	// It is misplaced and therefore ignored.
	env.RegisterDelayedCallback(func() { env.SignalWorkflow("cancel", nil) }, time.Minute)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow("rollback", nil) }, time.Hour)
	run(env, false)
	require.Equal(t, lcm.RolledBack, w.states[len(w.states)-1])
}

func TestOperation_temporalCancelIsForceful(t *testing.T) {
	t.Parallel()
	w := &world{hang: map[string]bool{"b": true}}
	env := newRun(t, w)
	when(env, w.hanging.Load, env.CancelWorkflow)
	decision := decide(env, time.Hour, lcm.Rollback)
	run(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack},
		w.states)
	require.True(t, decision.completed)
	require.NoError(t, decision.err, "later updates are not cancelled")
}

func TestOperation_terminatedOutsideIsResumedInFailedTemp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		then lcm.Action
		done []string
	}{
		"retry":    {lcm.Retry, []string{"a", "b", "c"}},
		"rollback": {lcm.Rollback, []string{"undo c", "undo b", "undo a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{what: lifecycle.Description{State: lcm.Processing, Sequence: 7}}
			env := newRun(t, w)
			decide(env, time.Hour, c.then)
			run(env, true)
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, lcm.FailedTemp, w.states[0])
			require.Equal(t, 1, w.interrupted)
			require.Equal(t, c.done, w.done)
			require.Greater(t, w.last.Sequence, int64(7), "the earlier run's records are not overtaken by older numbers")
		})
	}
}

// TestOperation_thatCannotBeReadIsOverOnlyWhenItHasNotBegun checks that a resumed operation that cannot be read does
// not become ROLLED_BACK, because it may be partly done.
func TestOperation_thatCannotBeReadIsOverOnlyWhenItHasNotBegun(t *testing.T) {
	t.Parallel()
	for resumed, states := range map[bool][]lcm.OperationState{true: nil, false: {lcm.RolledBack}} {
		w := &world{unread: temporal.NewNonRetryableApplicationError("The VNFD is unreadable.", string(lcm.KindBug), nil)}
		w.last.Sequence = 1 // a run of the same task that was lost has recorded STARTING
		env := newRun(t, w)
		run(env, resumed)
		require.Equal(t, states, w.states)
		require.Equal(t, resumed, env.GetWorkflowError() != nil)
	}
}

func TestOperation_whoseAttributesAreRefusedTouchesNothing(t *testing.T) {
	t.Parallel()
	w := &world{what: lifecycle.Description{Refused: lcm.Errorf(lcm.KindInvalid, "No.")}}
	env := newRun(t, w)
	run(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.RolledBack}, w.states, "STARTING is what it was when it was accepted")
	require.Empty(t, w.done, "not even a grant is asked for")
	require.Equal(t, "No.", w.last.Status.Error.Detail)
}
