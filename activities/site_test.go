package activities_test

import (
	"context"
	"testing"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// These types and functions are shared with the tests on machines.
type (
	site          struct{ activitytest.Site }
	memorySecrets = activitytest.Secrets
	logOutput     = activitytest.Output
	fixedVnf      = activitytest.FixedVnf
)

const opOcc = activitytest.OpOcc

func do[In, Out any](t *testing.T, act func(context.Context, In) (Out, error), in In) (Out, error) {
	t.Helper()
	return activitytest.Do(t, act, in)
}

func must[In, Out any](t *testing.T, act func(context.Context, In) (Out, error), in In) Out {
	t.Helper()
	return activitytest.Must(t, act, in)
}

func assertKind(t *testing.T, err error, kind lcm.Kind, says string) {
	t.Helper()
	activitytest.AssertKind(t, err, kind, says)
}
