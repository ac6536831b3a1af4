package workflows

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/windlass-nfv/windlass/internal/driver/memory"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// TestInstantiate_givenUpSaysWhenItHasLeftNothing checks that only an INSTANTIATE that may be sure of it does so.
func TestInstantiate_givenUpSaysWhenItHasLeftNothing(t *testing.T) {
	withMemory(t)
	remember := lifecycle.Step{ID: memory.Remember, Title: "Remember", Undo: "it is forgotten"}
	list := func(before ...lifecycle.Step) []lifecycle.Step {
		return append(append([]lifecycle.Step{{ID: "ask-for-grant", Title: "Ask for a grant"}}, before...),
			lifecycle.Step{ID: lifecycle.StepCreateStack, Title: "Create", Undo: "it is deleted"}, remember)
	}
	lost := lifecycle.Description{State: lcm.Processing, Sequence: 3}
	for name, c := range map[string]struct {
		what                     lifecycle.Description
		fail                     string
		resumed, looked, nothing bool
		unanswered               bool
	}{
		"the VIM made nothing":           {fail: "create", looked: true, nothing: true},
		"the VIM does not answer":        {fail: "create", looked: true},
		"it did not answer at creation":  {fail: "create", unanswered: true},
		"a later step has begun":         {fail: "remember"},
		"a step before has to be undone": {what: lifecycle.Description{Steps: list(remember)}, fail: "create"},
		"an earlier one was given up":    {what: lifecycle.Description{LeftBehind: true}, fail: "create"},
		"an earlier run was lost":        {what: lost, resumed: true},
		"its retry stopped earlier":      {what: lost, resumed: true, fail: "create"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{what: c.what, fail: map[string][]error{c.fail: {broken("no")}}}
			if c.unanswered {
				e := lcm.Errorf(lcm.KindUnavailable, "no answer")
				w.fail["create"] = []error{temporal.NewNonRetryableApplicationError(e.Detail, string(e.Kind), nil, *e)}
			}
			if !c.nothing {
				w.fail["look for leftovers"] = []error{broken("the VIM does not answer")}
			}
			if w.what.Steps == nil {
				w.what.Steps = list()
			}
			decided := func(env *testsuite.TestWorkflowEnvironment) {
				if c.resumed && c.fail != "" {
					decide(env, time.Hour, lcm.Retry)
				}
				decide(env, 2*time.Hour, lcm.Fail)
			}
			err := runIt(t, w, lcm.OperationInput{Operation: lcm.OpInstantiate, Resumed: c.resumed}, lcm.Plan{}, decided)
			require.Error(t, err)
			require.Equal(t, lcm.Failed, w.last.Status.State)
			require.Equal(t, c.looked, c.nothing || len(w.fail["look for leftovers"]) == 0, "it has looked")
			require.Equal(t, c.nothing, w.last.Outcome.NothingLeft)
		})
	}
}
