package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/driftcheck"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// watch is what the activities of a check see and record.
type watch struct {
	sights   []driftcheck.LookForDriftOutput // one after the other; the last one stays
	follows  []driftcheck.ActOnDriftOutput
	looks    int
	acts     int
	fail     int // the number of looks that fail
	recorded []driftcheck.RecordDriftInput
	onLook   func(n int)
}

func (w *watch) look(context.Context, driftcheck.LookForDriftInput) (driftcheck.LookForDriftOutput, error) {
	w.looks++
	if w.onLook != nil {
		w.onLook(w.looks)
	}
	if w.looks <= w.fail {
		return driftcheck.LookForDriftOutput{}, broken("The database is away.")
	}
	return w.sights[min(w.looks, len(w.sights))-1], nil
}

func (w *watch) record(_ context.Context, in driftcheck.RecordDriftInput) (lcm.DriftReport, error) {
	w.recorded = append(w.recorded, in)
	return in.Report, nil
}

func (w *watch) act(context.Context, driftcheck.ActOnDriftInput) (driftcheck.ActOnDriftOutput, error) {
	w.acts++
	return w.follows[min(w.acts, len(w.follows))-1], nil
}

func follows(action lcm.DriftAction) driftcheck.ActOnDriftOutput {
	return driftcheck.ActOnDriftOutput{Decision: lcm.DriftDecision{Action: action}, Agreeing: 3}
}

func newCheck(t *testing.T, w *watch) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := newEnvironment()
	env.SetTestTimeout(time.Minute)
	env.RegisterWorkflow(CheckDrift)
	for name, act := range map[string]any{"LookForDrift": w.look, "RecordDrift": w.record, "ActOnDrift": w.act} {
		env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name})
	}
	return env
}

func check(env *testsuite.TestWorkflowEnvironment, trigger lcm.DriftTrigger) {
	env.ExecuteWorkflow(CheckDrift, lcm.DriftInput{VnfInstanceID: "vnf", Trigger: trigger})
}

func TestCheckDrift_bySchedule(t *testing.T) {
	t.Parallel()
	found := driftcheck.LookForDriftOutput{Findings: []lcm.DriftFinding{{Kind: lcm.DriftNodeNotReady}}}
	for name, c := range map[string]struct {
		sight driftcheck.LookForDriftOutput
		acts  int
	}{
		"looks once and leaves the rest to the next check": {found, 1},
		"leaves a busy VNF alone":                          {driftcheck.LookForDriftOutput{Busy: "HEAL is under way."}, 0},
		"leaves a terminated VNF alone":                    {driftcheck.LookForDriftOutput{Gone: true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &watch{
				sights:  []driftcheck.LookForDriftOutput{c.sight},
				follows: []driftcheck.ActOnDriftOutput{follows(lcm.DriftWaits)},
			}
			env := newCheck(t, w)
			check(env, lcm.DriftBySchedule)
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, 1, w.looks)
			require.Equal(t, c.acts, w.acts)
			require.Len(t, w.recorded, c.acts)
		})
	}
}

// TestCheckDrift_byNotificationWaitsForTheOperation checks that a notification during an operation causes a check after
// its end.
func TestCheckDrift_byNotificationWaitsForTheOperation(t *testing.T) {
	t.Parallel()
	busy := driftcheck.LookForDriftOutput{Busy: "HEAL is under way."}
	w := &watch{
		sights:  []driftcheck.LookForDriftOutput{busy, busy, busy, {}},
		follows: []driftcheck.ActOnDriftOutput{{Busy: true}, follows(lcm.DriftHeals)},
	}
	env := newCheck(t, w)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(lcm.SignalServerNotified, "server-1") }, 0)
	check(env, lcm.DriftByNotification)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 5, w.looks, "three times busy, once overtaken by an operation, and done")
	require.Equal(t, 2, w.acts)
	require.Equal(t, []string{"server-1"}, w.recorded[1].Notified)
	require.NotEqual(t, w.recorded[0].Report.ID, w.recorded[1].Report.ID)
}

// TestCheckDrift_byNotificationLooksUntilChecksAgree checks that the workflow looks again by itself after a
// notification until several looks agree, because a schedule may not exist.
func TestCheckDrift_byNotificationLooksUntilChecksAgree(t *testing.T) {
	t.Parallel()
	w := &watch{
		sights:  []driftcheck.LookForDriftOutput{{}},
		follows: []driftcheck.ActOnDriftOutput{follows(lcm.DriftWaits), follows(lcm.DriftHeals)},
	}
	env := newCheck(t, w)
	check(env, lcm.DriftByNotification)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 2, w.acts)

	w = &watch{sights: w.sights, follows: []driftcheck.ActOnDriftOutput{follows(lcm.DriftWaits)}}
	env = newCheck(t, w)
	check(env, lcm.DriftByNotification)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 3, w.acts, "not more often than the policy wants")
}

// TestCheckDrift_aLateNotificationIsLookedAt sends a notification during a check. It may be about a change that the
// check has not seen.
func TestCheckDrift_aLateNotificationIsLookedAt(t *testing.T) {
	t.Parallel()
	w := &watch{
		sights:  []driftcheck.LookForDriftOutput{{}},
		follows: []driftcheck.ActOnDriftOutput{follows(lcm.DriftNothing)},
	}
	env := newCheck(t, w)
	w.onLook = func(n int) {
		if n == 1 {
			env.SignalWorkflow(lcm.SignalServerNotified, "server-2")
		}
	}
	check(env, lcm.DriftByNotification)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 2, w.looks)
	require.Equal(t, []string{"server-2"}, w.recorded[1].Notified)
}

func TestCheckDrift_aNotificationOutlivesFailures(t *testing.T) {
	t.Parallel()
	w := &watch{
		sights:  []driftcheck.LookForDriftOutput{{}},
		follows: []driftcheck.ActOnDriftOutput{follows(lcm.DriftNothing)}, fail: 5,
	}
	env := newCheck(t, w)
	check(env, lcm.DriftByNotification)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 6, w.looks)

	w = &watch{fail: 1000}
	env = newCheck(t, w)
	check(env, lcm.DriftByNotification)
	require.ErrorContains(t, env.GetWorkflowError(), "The database is away.")
	require.Equal(t, manyFailures, w.looks, "not for ever")

	w = &watch{fail: 1}
	env = newCheck(t, w)
	check(env, lcm.DriftBySchedule)
	require.ErrorContains(t, env.GetWorkflowError(), "The database is away.", "the next check is another one")
}

// TestCheckDrift_beginsANewHistoryWhileItWaitsLong has an operation that waits for a decision for days. The check must
// continue as new and keep the notifications.
func TestCheckDrift_beginsANewHistoryWhileItWaitsLong(t *testing.T) {
	t.Parallel()
	w := &watch{sights: []driftcheck.LookForDriftOutput{{Busy: "HEAL is FAILED_TEMP."}}}
	env := newCheck(t, w)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(lcm.SignalServerNotified, "server-3") }, 0)
	check(env, lcm.DriftByNotification)
	require.ErrorContains(t, env.GetWorkflowError(), "continue as new")
	require.Equal(t, manyRounds, w.looks)
}

// TestCheckDrift_beginsANewHistoryWhenManyNotificationsHaveCome sends thousands of notifications about one server
// during a check. The check must continue as new before its history is too long.
func TestCheckDrift_beginsANewHistoryWhenManyNotificationsHaveCome(t *testing.T) {
	t.Parallel()
	w := &watch{
		sights:  []driftcheck.LookForDriftOutput{{}},
		follows: []driftcheck.ActOnDriftOutput{follows(lcm.DriftNothing)},
	}
	env := newCheck(t, w)
	w.onLook = func(n int) {
		for range 3000 {
			env.SignalWorkflow(lcm.SignalServerNotified, "server-4")
		}
		env.SetCurrentHistoryLength(n * 3000)
	}
	check(env, lcm.DriftByNotification)
	var anew *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &anew)
	require.Equal(t, 2, w.looks)
	var in lcm.DriftInput
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(anew.Input, &in))
	require.Equal(t, []string{"server-4"}, in.Servers, "what was notified is looked at in the next run, and is one server")
}
