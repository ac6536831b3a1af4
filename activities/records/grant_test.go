package records

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

func TestRecordState_keepsTheGrantWhenTheOperationLeavesSTARTING(t *testing.T) {
	l := &ledger{op: lcm.VnfLcmOpOcc{ID: "op", VnfInstanceID: "vnf"}}
	ops := &OpOccs{Records: l, Facts: l}
	for i, state := range []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.Processing} {
		in := RecordStateInput{OpOccID: "op", Sequence: int64(i + 1), Status: lcm.OperationStatus{State: state}}
		if state != lcm.Starting {
			in.GrantID = lifecycle.BuiltInGrant("op")
		}
		for range 2 { // a repetition is possible after a lost answer
			require.NoError(t, ops.RecordState(t.Context(), in))
		}
	}
	require.Len(t, l.grants, 1, "it is not changed afterwards")
	require.Equal(t, lcm.Grant{
		ID: lifecycle.BuiltInGrant("op"), VnfInstanceID: "vnf", OpOccID: "op",
		AddResources: []lcm.GrantResource{{ResourceDefinitionID: "add-1"}},
	}, l.grants[0])
}
