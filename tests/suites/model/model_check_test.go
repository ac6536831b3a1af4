package model

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestModel_seesWhatMustNotBe checks that the model finds errors: a model that never finds one protects nothing.
func TestModel_seesWhatMustNotBe(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	event := func(state lcm.OperationState, after time.Duration) lcm.OperationEvent {
		return lcm.OperationEvent{State: state, StateEnteredTime: at.Add(after)}
	}
	failed := event(lcm.RolledBack, 2)
	failed.Error = lcm.Errorf(lcm.KindInvalid, "No.")
	pending := failed
	pending.IsCancelPending, pending.CancelMode = true, lcm.Graceful
	require.Empty(t, eventsWrong(lcm.OpModifyInfo, []lcm.OperationEvent{event(lcm.Processing, 1), failed}))
	for name, events := range map[string][]lcm.OperationEvent{
		"no grant is asked for":           {event(lcm.Starting, 1), failed},
		"a rollback without an error":     {event(lcm.Processing, 1), event(lcm.RolledBack, 2)},
		"a cancel after the end":          {event(lcm.Processing, 1), pending},
		"a state of the same time":        {event(lcm.Processing, 2), failed},
		"two times of one state":          {event(lcm.Processing, 0), event(lcm.Processing, 1), failed},
		"nothing":                         {},
		"a failure without a FAILED_TEMP": {event(lcm.Processing, 1), event(lcm.Failed, 2)},
	} {
		require.NotEmpty(t, eventsWrong(lcm.OpModifyInfo, events), name)
	}
	require.NotEmpty(t, eventsWrong(lcm.OpHeal, []lcm.OperationEvent{
		event(lcm.Starting, 0), event(lcm.Processing, 1),
		failed,
	}), "only a modification is rolled back by itself")

	o := opView{
		ID: "op", VnfInstanceID: "vnf", Operation: lcm.OpModifyInfo, State: lcm.Completed, StartTime: at,
		StateEnteredTime: at,
	}
	o.Links = links{"self": {"/vnf_lcm_op_occs/op"}, "vnfInstance": {"/vnf_instances/vnf"}}
	require.Empty(t, o.wrong(""))
	for _, state := range []lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.RolledBack} {
		other := o
		other.State = state
		require.NotEmpty(t, other.wrong(""), "%s without its links or its error", state)
		require.NotEmpty(t, other.follows(o), "%s after COMPLETED", state)
	}
	o.Params.Extensions = map[string]any{"logLevel": misfitting}
	require.Empty(t, o.after(vnf{}, false), "what the VNFD does not allow cannot be COMPLETED")
	require.NotEmpty(t, instView{
		ID: "vnf", State: lcm.Instantiated, Links: links{"self": {"/vnf_instances/vnf"}},
	}.wrong(""))
}
