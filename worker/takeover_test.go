package worker

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/temporal"
)

func TestLostActivities_areThoseThatADeadWorkerHasBegun(t *testing.T) {
	own := ownForTest(t)
	dead := own
	dead.start = "1"
	pending := func(id, worker string, state enums.PendingActivityState) *workflow.PendingActivityInfo {
		return &workflow.PendingActivityInfo{ActivityId: id, LastWorkerIdentity: worker, State: state}
	}
	lost := lostActivities([]*workflow.PendingActivityInfo{
		pending("of the dead", dead.String(), enums.PENDING_ACTIVITY_STATE_STARTED),
		pending("of the dead, cancelled", dead.String(), enums.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED),
		pending("waits for its next attempt", dead.String(), enums.PENDING_ACTIVITY_STATE_SCHEDULED),
		pending("ours", own.String(), enums.PENDING_ACTIVITY_STATE_STARTED),
		pending("of another kind of worker", "1@host@", enums.PENDING_ACTIVITY_STATE_STARTED),
	}, own)
	require.Len(t, lost, 2)
	require.Equal(t, "of the dead", lost[0].GetActivityId())
	require.Equal(t, "of the dead, cancelled", lost[1].GetActivityId())
}

func TestLostError_isRetriedAtOnce(t *testing.T) {
	var app *temporal.ApplicationError
	require.True(t, errors.As(lostError(), &app))
	require.False(t, app.NonRetryable())
	require.Positive(t, app.NextRetryDelay())
}
