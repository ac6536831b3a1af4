package worker

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// TestScoper_everyActivityTellsWhatItIsAbout checks all activities that a worker registers, so that a new activity
// cannot be forgotten.
func TestScoper_everyActivityTellsWhatItIsAbout(t *testing.T) {
	t.Parallel()
	subjective := reflect.TypeFor[activities.Subjective]()
	seen := 0
	for _, noun := range activityStructs(Options{}, &operations.Resolver{}, &connections{}) {
		of := reflect.TypeOf(noun)
		for method := range of.Methods() {
			require.Equal(t, 3, method.Type.NumIn(), method.Name) // with the receiver
			require.True(t, method.Type.In(2).Implements(subjective), "the input of %s has no method Subject", method.Name)
			seen++
		}
	}
	require.Greater(t, seen, 60)
}

// lookups returns the project of op-edge, unless the database is down, and counts its calls.
type lookups struct {
	n    int
	away bool
}

func (l *lookups) projectOf(_ context.Context, of lcm.Subject) (lcm.ProjectID, error) {
	l.n++
	switch {
	case l.away:
		return "", lcm.Errorf(lcm.KindUnavailable, "The database does not answer.")
	case of.OpOccID == "op-edge":
		return "edge", nil
	default:
		return "", lcm.Errorf(lcm.KindNotFound, "It is gone.")
	}
}

// runScoped runs an activity with this input as a worker does, and returns the scopes of its runs.
func runScoped(t *testing.T, l *lookups, times int, in any) (scopes []lcm.Scope, err error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{&scoper{projectOf: l.projectOf}}})
	note := func(ctx context.Context) error {
		scopes = append(scopes, lcm.ScopeOf(ctx))
		return nil
	}
	env.RegisterActivityWithOptions(func(ctx context.Context, _ records.DescribeInput) error { return note(ctx) },
		activity.RegisterOptions{Name: "describe"})
	env.RegisterActivityWithOptions(func(ctx context.Context, _ string) error { return note(ctx) },
		activity.RegisterOptions{Name: "text"})
	name := "describe"
	if _, ok := in.(string); ok {
		name = "text"
	}
	for range times {
		_, err = env.ExecuteActivity(name, in)
	}
	return scopes, err
}

func TestScoper_limitsAnActivityToItsProject(t *testing.T) {
	t.Parallel()
	l := &lookups{}
	scopes, err := runScoped(t, l, 2, records.DescribeInput{OpOccID: "op-edge"})
	require.NoError(t, err)
	require.Equal(t, []lcm.Scope{{Project: "edge"}, {Project: "edge"}}, scopes)
	require.Equal(t, 1, l.n, "a project never changes")
}

func TestScoper_whatIsGoneIsOfNoProject(t *testing.T) {
	t.Parallel()
	l := &lookups{}
	scopes, err := runScoped(t, l, 2, records.DescribeInput{OpOccID: "gone"})
	require.NoError(t, err)
	require.Equal(t, []lcm.Scope{{}, {}}, scopes, "it sees nothing")
	require.Equal(t, 2, l.n)
}

func TestScoper_runsNothingWithoutASubject(t *testing.T) {
	t.Parallel()
	for _, in := range []any{records.DescribeInput{}, "op-edge"} {
		scopes, err := runScoped(t, &lookups{}, 1, in)
		require.Empty(t, scopes)
		require.ErrorContains(t, err, "does not say what it is about")
		require.Equal(t, lcm.KindBug, errorOf(err).Kind)
	}
}

func TestScoper_waitsForTheDatabase(t *testing.T) {
	t.Parallel()
	scopes, err := runScoped(t, &lookups{away: true}, 1, records.DescribeInput{OpOccID: "op-edge"})
	require.Empty(t, scopes)
	require.Equal(t, lcm.KindUnavailable, errorOf(err).Kind, "it is tried again")
}
