package extensions

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestStepLooksAsClientsExpect(t *testing.T) {
	apitest.Golden(t, "step", viewOfStep(lcm.Step{
		Index: 6, Phase: lcm.PhaseForward, Title: "Join the workers", Node: "worker-1", State: lcm.StepFailed,
		Attempt: 2, Started: apitest.At, Ended: apitest.At.Add(time.Minute),
		Error: lcm.Errorf(lcm.KindExhausted, "worker-1: the disk is full"), LastLine: "no space left",
	}))
}

func TestStep_tellsHowItIsTriedAgain(t *testing.T) {
	step := lcm.Step{Index: 2, Phase: lcm.PhaseForward, Title: "Look at the infrastructure", State: lcm.StepRunning, Attempt: 1}
	step.Started = apitest.At
	step.Retry = &lcm.StepRetry{
		Attempt: 6, Attempts: 10, Next: new(apitest.At.Add(time.Minute)), Activity: "7",
		Error: lcm.Errorf(lcm.KindUnavailable, "OpenStack did not answer."),
	}
	apitest.Golden(t, "step-retried", viewOfStep(step))
	require.Equal(t, viewOfStep(step).Retry, viewOfOperation(lcm.OperationSummary{Retry: step.Retry}).Retry)
}

func TestAuditRecord_hasNoOtherMembers(t *testing.T) {
	doc, err := json.Marshal(auditView{ProjectID: lcm.DefaultProject})
	require.NoError(t, err)
	require.JSONEq(t, `{"id":0,"timeStamp":"0001-01-01T00:00:00Z","client":"","projectId":"default","method":"","path":"","status":0,"requestId":"","remote":""}`, string(doc))
}
