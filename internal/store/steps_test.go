package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

func onlyStep(t *testing.T, s *store.Store, id lcm.OpOccID) lcm.Step {
	t.Helper()
	steps, err := s.Steps(t.Context(), id)
	require.NoError(t, err)
	require.Len(t, steps, 1)
	return steps[0]
}

func TestSteps_areOrderedByIndexPhaseAndNode(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	plan := []lcm.Step{
		{Index: 1, Title: "Join the workers", Node: "worker-b"},
		{Index: 1, Title: "Join the workers", Node: "worker-a"},
		{Index: 0, Title: "Create the stack", Phase: lcm.PhaseCompensation},
		{Index: 0, Title: "Create the stack"},
		{Index: 1, Title: "Join the workers"},
	}
	require.NoError(t, s.RecordPlan(t.Context(), op.ID, plan))
	require.NoError(t, s.RecordStep(t.Context(), lcm.Step{OpOccID: op.ID, Index: 0, State: lcm.StepRunning, Attempt: 1}))
	require.NoError(t, s.RecordPlan(t.Context(), op.ID, append(plan, lcm.Step{Index: 2, Title: "Wait"})))
	require.NoError(t, s.RecordPlan(t.Context(), op.ID, nil))

	steps, err := s.Steps(t.Context(), op.ID)
	require.NoError(t, err)
	var got []string
	for _, step := range steps {
		got = append(got, strings.Join([]string{
			fmt.Sprint(step.Index), string(step.Phase), step.Node, string(step.State),
			step.Title,
		}, "|"))
	}
	assert.Equal(t, []string{
		"0|FORWARD||RUNNING|Create the stack",
		"0|COMPENSATION||PENDING|Create the stack",
		"1|FORWARD||PENDING|Join the workers",
		"1|FORWARD|worker-a|PENDING|Join the workers",
		"1|FORWARD|worker-b|PENDING|Join the workers",
		"2|FORWARD||PENDING|Wait",
	}, got)
}

func TestRecordSteps_recordsAllOrNone(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	steps := []lcm.Step{
		{OpOccID: op.ID, Index: 0, Title: "Create the stack", State: lcm.StepDone, Started: time.Now().Add(-time.Second)},
		{OpOccID: op.ID, Index: 1, Title: "Join the workers", State: lcm.StepRunning},
	}
	require.NoError(t, s.RecordSteps(t.Context(), nil))
	for range 2 { // the second call changes nothing
		require.NoError(t, s.RecordSteps(t.Context(), steps))
		stored, err := s.Steps(t.Context(), op.ID)
		require.NoError(t, err)
		require.Len(t, stored, 2)
		assert.Equal(t, lcm.StepDone, stored[0].State)
		assert.Equal(t, lcm.StepRunning, stored[1].State)
		assert.Equal(t, "Join the workers", stored[1].Title)
	}
	events, err := s.Events(t.Context(), op.ID, 0, 0)
	require.NoError(t, err)

	broken := []lcm.Step{
		{OpOccID: op.ID, Index: 1, State: lcm.StepDone},
		{OpOccID: "missing", Index: 0, State: lcm.StepDone},
	}
	require.Equal(t, lcm.KindNotFound, lcm.KindOf(s.RecordSteps(t.Context(), broken)))
	stored, err := s.Steps(t.Context(), op.ID)
	require.NoError(t, err)
	assert.Equal(t, lcm.StepRunning, stored[1].State)
	after, err := s.Events(t.Context(), op.ID, 0, 0)
	require.NoError(t, err)
	assert.Equal(t, events, after)
}

func TestRecordStep_keepsEveryField(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	want := lcm.Step{
		OpOccID: op.ID, Index: 3, Phase: lcm.PhaseCompensation, Title: "Join the workers", Node: "worker-1",
		State: lcm.StepFailed, Attempt: 2,
		Started: time.Date(2025, 1, 2, 3, 4, 5, 6000, time.UTC), Ended: time.Date(2025, 1, 2, 3, 5, 5, 0, time.UTC),
		Error: lcm.Errorf(lcm.KindBroken, "worker-1: disk full"), LastLine: "no space left",
	}
	require.NoError(t, s.RecordStep(t.Context(), want))
	assert.Equal(t, want, onlyStep(t, s, op.ID))

	events, err := s.Events(t.Context(), op.ID, 0, 0)
	require.NoError(t, err)
	require.Len(t, events, 2)
	assert.Equal(t, lcm.EventStep, events[1].Type)
	var e lcm.StepEvent
	require.NoError(t, json.Unmarshal(events[1].Data, &e))
	assert.True(t, want.Started.Equal(*e.Started))
	assert.True(t, want.Ended.Equal(*e.Ended))
	e.Started, e.Ended = nil, nil
	assert.Equal(t, lcm.StepEvent{
		Index: 3, Phase: want.Phase, Title: want.Title, Node: want.Node, State: want.State,
		Attempt: 2, Error: want.Error, LastLine: want.LastLine,
	}, e)
}

func TestRecordStep_neverGoesBack(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	record := func(attempt int, state lcm.StepState) lcm.Step {
		t.Helper()
		require.NoError(t, s.RecordStep(t.Context(), lcm.Step{OpOccID: op.ID, Title: "x", State: state, Attempt: attempt}))
		return onlyStep(t, s, op.ID)
	}
	first := record(1, lcm.StepRunning)
	assert.False(t, first.Started.IsZero(), "the database's time where none is given")
	assert.True(t, first.Ended.IsZero())
	failed := record(1, lcm.StepFailed)
	assert.Equal(t, first.Started, failed.Started)
	assert.False(t, failed.Ended.IsZero())

	assert.Equal(t, failed, record(1, lcm.StepRunning), "an earlier state of the same attempt")
	assert.Equal(t, failed, record(1, lcm.StepDone), "an attempt ends once")
	assert.Equal(t, failed, record(0, lcm.StepDone), "an older attempt")

	second := record(2, lcm.StepRunning)
	assert.Equal(t, lcm.StepRunning, second.State)
	assert.True(t, second.Started.After(first.Started))
	assert.True(t, second.Ended.IsZero())
	assert.Equal(t, lcm.StepDone, record(2, lcm.StepDone).State)

	events, err := s.Events(t.Context(), op.ID, 0, 0)
	require.NoError(t, err)
	assert.Len(t, events, 1+4, "what changed nothing makes no event")
}

func TestRecordStep_clearsTheErrorOfTheFormerAttempt(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	require.NoError(t, s.RecordStep(t.Context(), lcm.Step{
		OpOccID: op.ID, Title: "Join", State: lcm.StepFailed, Attempt: 1,
		Error: lcm.Errorf(lcm.KindBroken, "no"), LastLine: "old",
	}))
	require.NoError(t, s.RecordStep(t.Context(), lcm.Step{OpOccID: op.ID, State: lcm.StepRunning, Attempt: 2}))
	step := onlyStep(t, s, op.ID)
	assert.Nil(t, step.Error)
	assert.Empty(t, step.LastLine)
	assert.Equal(t, "Join", step.Title)
}

func TestRecordStep_countsTheAttemptsOfThoseWhoDoNot(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	clock := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	record := func(state lcm.StepState, started time.Time) lcm.Step {
		t.Helper()
		require.NoError(t, s.RecordStep(t.Context(), lcm.Step{
			OpOccID: op.ID, Title: "Join", Node: "cp-1", State: state, Started: started,
		}))
		return onlyStep(t, s, op.ID)
	}
	first := record(lcm.StepRunning, clock)
	assert.Equal(t, 1, first.Attempt)
	assert.Equal(t, first, record(lcm.StepRunning, clock), "a repeated record changes nothing")
	assert.Equal(t, lcm.StepFailed, record(lcm.StepFailed, clock).State)

	behind := clock.Add(-time.Minute)
	second := record(lcm.StepRunning, behind)
	assert.Equal(t, 2, second.Attempt, "the clock of another worker may be behind")
	assert.Equal(t, second, record(lcm.StepCancelled, clock), "the end of an attempt that was given up")
	require.NoError(t, s.AppendOutput(t.Context(), lcm.StepRef{OpOccID: op.ID, Node: "cp-1"}, 0, []string{"joined"}))
	done := record(lcm.StepDone, behind)
	assert.Equal(t, lcm.StepDone, done.State)
	assert.Equal(t, 2, done.Attempt)
	assert.Equal(t, "joined", done.LastLine)
	assert.Equal(t, 2, output(t, s, lcm.StepRef{OpOccID: op.ID})[0].Attempt)

	killed := record(lcm.StepRunning, clock.Add(time.Hour))
	assert.Equal(t, 3, killed.Attempt)
	assert.Equal(t, 4, record(lcm.StepRunning, clock.Add(2*time.Hour)).Attempt, "after a worker that told no end")
	assert.Equal(t, lcm.StepDone, record(lcm.StepDone, time.Time{}).State,
		"an end without a beginning is that of the present attempt")
}

func TestRecordStep_countsFromThePlan(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	require.NoError(t, s.RecordPlan(t.Context(), op.ID, []lcm.Step{{Title: "Join the workers"}}))
	require.NoError(t, s.RecordStep(t.Context(), lcm.Step{OpOccID: op.ID, State: lcm.StepRunning, Started: time.Now()}))
	step := onlyStep(t, s, op.ID)
	assert.Equal(t, 1, step.Attempt)
	require.NoError(t, s.RecordStep(t.Context(), lcm.Step{OpOccID: op.ID, State: lcm.StepDone, Ended: time.Now()}))
	assert.Equal(t, step.Started, onlyStep(t, s, op.ID).Started)

	require.NoError(t, s.RecordStep(t.Context(), lcm.Step{
		OpOccID: op.ID, Node: "worker-1", State: lcm.StepRunning, Started: time.Now(),
	}))
	steps, err := s.Steps(t.Context(), op.ID)
	require.NoError(t, err)
	assert.Equal(t, "Join the workers", steps[1].Title, "a node's part carries the title of its step")
}

func TestRecordStep_fiftyNodesAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	var group errgroup.Group
	for i := range 50 {
		node := fmt.Sprintf("worker-%02d", i)
		group.Go(func() error {
			ref := lcm.StepRef{OpOccID: op.ID, Step: 6, Node: node}
			for _, state := range []lcm.StepState{lcm.StepRunning, lcm.StepDone} {
				if err := s.RecordStep(t.Context(), lcm.Step{
					OpOccID: op.ID, Index: 6, Title: "Join", Node: node, State: state, Attempt: 1,
				}); err != nil {
					return err
				}
				if err := s.AppendOutput(t.Context(), ref, 1, []string{node, "joined"}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	steps, err := s.Steps(t.Context(), op.ID)
	require.NoError(t, err)
	require.Len(t, steps, 50)
	for _, step := range steps {
		assert.Equal(t, lcm.StepDone, step.State)
		assert.Equal(t, "joined", step.LastLine)
	}
	events, err := s.Events(t.Context(), op.ID, 0, 0)
	require.NoError(t, err)
	assert.Len(t, events, 1+50*4)
}

func TestRecordStep_ofAbsentOperation(t *testing.T) {
	t.Parallel()
	s := open(t)
	requireKind(t, lcm.KindNotFound, s.RecordStep(t.Context(), lcm.Step{OpOccID: "absent", State: lcm.StepRunning}))
	requireKind(t, lcm.KindNotFound, s.RecordPlan(t.Context(), "absent", []lcm.Step{{Title: "x"}}))
	requireKind(t, lcm.KindNotFound, s.AppendOutput(t.Context(), lcm.StepRef{OpOccID: "absent"}, 1, []string{"x"}))
}

func TestOutput_isReadInOrderOfEachNode(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	a, b := lcm.StepRef{OpOccID: op.ID, Step: 1, Node: "a"}, lcm.StepRef{OpOccID: op.ID, Step: 1, Node: "b"}
	undo := lcm.StepRef{OpOccID: op.ID, Step: 1, Node: "a", Undo: true}
	require.NoError(t, s.RecordStep(t.Context(), lcm.Step{
		OpOccID: op.ID, Index: 1, Node: "a", State: lcm.StepRunning, Attempt: 2,
	}))
	require.NoError(t, s.AppendOutput(t.Context(), a, 1, []string{"late line of attempt 1"}))
	many := make([]string, 2500)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	require.NoError(t, s.AppendOutput(t.Context(), a, 2, many))
	require.NoError(t, s.AppendOutput(t.Context(), b, 1, []string{"odd \xff\x00 bytes", strings.Repeat("x", 20_000)}))
	require.NoError(t, s.AppendOutput(t.Context(), a, 2, []string{"last", "", " "}))
	require.NoError(t, s.AppendOutput(t.Context(), a, 2, nil))
	require.NoError(t, s.AppendOutput(t.Context(), undo, 1, []string{"undone"}))

	lines := output(t, s, a)
	require.Len(t, lines, 1+2500+3)
	assert.Equal(t, 1, lines[0].Attempt)
	for i, line := range lines[1:2501] {
		require.Equal(t, fmt.Sprint(i), line.Line)
	}
	of := output(t, s, b)
	assert.Equal(t, "odd \uFFFD bytes", of[0].Line)
	assert.Len(t, of[1].Line, 16<<10)
	assert.Len(t, output(t, s, lcm.StepRef{OpOccID: op.ID, Step: 1}), len(lines)+2, "all nodes")
	assert.Equal(t, "undone", output(t, s, undo)[0].Line)
	for _, err := range s.Output(t.Context(), a) {
		require.NoError(t, err)
		break // the iterator may be ended early
	}
	assert.Equal(t, "last", onlyStep(t, s, op.ID).LastLine, "the last line that shows anything, of the present attempt")
}

func output(t *testing.T, s *store.Store, ref lcm.StepRef) []store.OutputLine {
	t.Helper()
	var lines []store.OutputLine
	for line, err := range s.Output(t.Context(), ref) {
		require.NoError(t, err)
		lines = append(lines, line)
	}
	return lines
}

// TestRecordRetry_isOfTheStepThatRuns tells how an activity for a whole step is tried again.
func TestRecordRetry_isOfTheStepThatRuns(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	op := begun(t, s)
	ref := lcm.StepRef{OpOccID: op.ID}
	next := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	away := lcm.Errorf(lcm.KindUnavailable, "OpenStack did not answer.")
	failed := func(attempt int) *lcm.StepRetry {
		return &lcm.StepRetry{Attempt: attempt, Attempts: 10, Error: away, Next: &next, Activity: "7"}
	}
	says := func(want *lcm.StepRetry) {
		t.Helper()
		assert.Equal(t, want, onlyStep(t, s, op.ID).Retry)
	}
	whole := lcm.Step{OpOccID: op.ID, Title: "Look", State: lcm.StepRunning, Started: next}
	require.NoError(t, s.RecordRetry(ctx, ref, "7", failed(1)), "there is no row yet, and this is no error")
	require.NoError(t, s.RecordStep(ctx, whole))
	says(nil)
	require.NoError(t, s.RecordRetry(ctx, ref, "7", failed(2)))
	says(failed(2))
	events, err := s.Events(ctx, op.ID, 0, 0)
	require.NoError(t, err)
	var e lcm.StepEvent
	require.NoError(t, json.Unmarshal(events[len(events)-1].Data, &e))
	assert.Equal(t, failed(2), e.Retry)
	assert.Equal(t, lcm.StepRunning, e.State)

	require.NoError(t, s.RecordRetry(ctx, ref, "7", failed(1)), "a worker that was given up comes late")
	says(failed(2))
	require.NoError(t, s.RecordRetry(ctx, ref, "7", &lcm.StepRetry{Attempt: 3, Attempts: 10, Activity: "7"}))
	says(&lcm.StepRetry{Attempt: 3, Attempts: 10, Error: away, Activity: "7"}) // the last error stays
	require.NoError(t, s.RecordStep(ctx, whole), "the workflow repeats its record")
	assert.NotNil(t, onlyStep(t, s, op.ID).Retry)
	require.NoError(t, s.RecordRetry(ctx, ref, "8", nil), "another activity of the step has ended")
	assert.NotNil(t, onlyStep(t, s, op.ID).Retry)
	require.NoError(t, s.RecordRetry(ctx, ref, "8", &lcm.StepRetry{Attempt: 2, Activity: "8"}))
	says(&lcm.StepRetry{Attempt: 2, Activity: "8"}) // not with the error of the other activity
	require.NoError(t, s.RecordRetry(ctx, ref, "8", nil))
	says(nil)

	require.NoError(t, s.RecordRetry(ctx, ref, "9", failed(4)))
	whole.State = lcm.StepDone
	require.NoError(t, s.RecordStep(ctx, whole))
	says(nil)
	require.NoError(t, s.RecordRetry(ctx, ref, "9", failed(5)))
	says(nil)
}

// TestRecordStep_keepsTheRetryOfANode has a node whose attempts follow each other, and the end of its step.
func TestRecordStep_keepsTheRetryOfANode(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	op := begun(t, s)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	away := lcm.Errorf(lcm.KindUnavailable, "cp-1 does not answer.")
	part := func(state lcm.StepState, retry *lcm.StepRetry) {
		t.Helper()
		require.NoError(t, s.RecordStep(ctx, lcm.Step{OpOccID: op.ID, Node: "cp-1", State: state, Started: at, Retry: retry}))
	}
	says := func(want *lcm.StepRetry) {
		t.Helper()
		steps, err := s.Steps(ctx, op.ID)
		require.NoError(t, err)
		require.Len(t, steps, 2)
		assert.Equal(t, want, steps[1].Retry)
	}
	whole := lcm.Step{OpOccID: op.ID, Title: "Join", State: lcm.StepRunning, Started: at}
	require.NoError(t, s.RecordStep(ctx, whole))
	failed := &lcm.StepRetry{Attempt: 1, Attempts: 10, Error: away, Next: &at, Activity: "7"}
	part(lcm.StepRunning, nil)
	part(lcm.StepFailed, failed)
	says(failed)
	at = at.Add(time.Second)
	part(lcm.StepRunning, &lcm.StepRetry{Attempt: 2, Attempts: 10, Activity: "7"})
	says(&lcm.StepRetry{Attempt: 2, Attempts: 10, Error: away, Activity: "7"})
	part(lcm.StepFailed, &lcm.StepRetry{Attempt: 2, Attempts: 10, Error: away, Next: &at, Activity: "7"})
	whole.State = lcm.StepCancelled
	require.NoError(t, s.RecordStep(ctx, whole))
	says(nil) // nobody tries it again
}
