package workflows

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/orchestrator"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// fetchRun runs the workflow with a source whose attempts return these errors, one after another, and then succeed.
func fetchRun(t *testing.T, errs ...error) (fetched int, given *lcm.Error) {
	t.Helper()
	env := newEnvironment()
	env.RegisterActivity(&orchestrator.Packages{
		Fetch: func(context.Context, lcm.VnfPkgID) error {
			fetched++
			if fetched <= len(errs) {
				return errs[fetched-1]
			}
			return nil
		},
		GiveUp: func(_ context.Context, _ lcm.VnfPkgID, cause *lcm.Error) error {
			given = cause
			return nil
		},
	})
	env.ExecuteWorkflow(FetchPackage, lcm.FetchInput{VnfPkgID: "pkg"})
	require.NoError(t, env.GetWorkflowError())
	return fetched, given
}

func TestFetchPackage_triesAgainWhatWaitingCanFix(t *testing.T) {
	away := lcm.Errorf(lcm.KindUnavailable, "The package's source answers 503.")
	fetched, given := fetchRun(t, away, away)
	require.Equal(t, 3, fetched)
	require.Nil(t, given)

	var forever []error
	for range 20 {
		forever = append(forever, away)
	}
	fetched, given = fetchRun(t, forever...)
	require.Equal(t, 10, fetched)
	require.Equal(t, away.Detail, given.Detail)
}

func TestFetchPackage_givesUpWhatWaitingCannotFix(t *testing.T) {
	fetched, given := fetchRun(t, lcm.InvalidAll("the VNF package cannot be used",
		[]lcm.Problem{{Path: "a.yaml", Detail: "is odd"}}))
	require.Equal(t, 1, fetched)
	require.Equal(t, "a.yaml", given.Problems[0].Path)
}
