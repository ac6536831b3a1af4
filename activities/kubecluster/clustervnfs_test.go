package kubecluster_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// tenants are VNFs on a cluster, with their operations.
type tenants struct {
	instances map[lcm.VnfInstanceID]lcm.VnfInstance
	ops       map[lcm.OpOccID]lcm.VnfLcmOpOcc
	begun     []lcm.OpOccID
	released  []lcm.VnfInstanceID
	// becomes is the state that new operations reach.
	becomes lcm.OperationState
	busy    bool
}

func (n *tenants) VimUsers(context.Context, lcm.VimID) (ids []lcm.VnfInstanceID, err error) {
	for _, id := range []lcm.VnfInstanceID{"cluster", "idle", "one"} {
		if _, ok := n.instances[id]; ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (n *tenants) Instance(_ context.Context, id lcm.VnfInstanceID) (lcm.VnfInstance, error) {
	return n.instances[id], nil
}

func (n *tenants) Operation(_ context.Context, id lcm.OpOccID) (lcm.VnfLcmOpOcc, error) {
	if op, ok := n.ops[id]; ok {
		return op, nil
	}
	return lcm.VnfLcmOpOcc{}, lcm.Errorf(lcm.KindNotFound, "There is no operation %s.", id)
}

func (n *tenants) BeginOperation(_ context.Context, op lcm.VnfLcmOpOcc, _ ...lcm.VimConnectionInfo) error {
	if n.busy {
		return lcm.Errorf(lcm.KindConflict, "The operation X is under way.")
	}
	n.begun = append(n.begun, op.ID)
	n.become(op, n.becomes)
	return nil
}

func (n *tenants) become(op lcm.VnfLcmOpOcc, state lcm.OperationState) {
	op.State, op.Error = state, nil
	switch state {
	case lcm.Completed:
		n.instances[op.VnfInstanceID] = lcm.VnfInstance{ID: op.VnfInstanceID, InstantiationState: lcm.NotInstantiated}
	default:
		op.Error = lcm.Errorf(lcm.KindBroken, "It hangs.")
	}
	n.ops[op.ID] = op
}

func (n *tenants) ReleaseVim(_ context.Context, _ lcm.VimID, of lcm.VnfInstanceID) error {
	n.released = append(n.released, of)
	delete(n.instances, of)
	return nil
}

func TestTerminateVnfs(t *testing.T) {
	n := &tenants{
		instances: map[lcm.VnfInstanceID]lcm.VnfInstance{
			"cluster": {
				ID:                 "cluster",
				InstantiationState: lcm.Instantiated,
			}, "one": {ID: "one", InstantiationState: lcm.Instantiated},
			"idle": {ID: "idle", InstantiationState: lcm.NotInstantiated},
		},
		ops: map[lcm.OpOccID]lcm.VnfLcmOpOcc{
			activitytest.OpOcc: {ID: activitytest.OpOcc, Operation: lcm.OpTerminate, APIVersion: 2, Params: json.RawMessage(
				`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":7,"additionalParams":{"terminate_vnfs":true}}`,
			)},
		},
		busy: true,
	}
	c := &kubecluster.ClusterVnfs{Records: n, Output: &activitytest.Output{}}
	in := kubecluster.TerminateVnfsInput{OpOccID: activitytest.OpOcc, VnfInstanceID: "cluster"}
	in.Step.OpOccID = activitytest.OpOcc
	_, err := activitytest.Do(t, c.TerminateVnfs, in)
	require.ErrorContains(t, err, "The VNF instance one cannot be terminated now: The operation X is under way.")

	n.busy, n.becomes = false, lcm.FailedTemp
	for range 2 { // the VNF's operation waits for an operator's decision
		_, err = activitytest.Do(t, c.TerminateVnfs, in)
		require.Len(t, n.begun, 1)
		require.ErrorContains(
			t,
			err,
			"The VNF instance one: its operation "+string(n.begun[0])+" is FAILED_TEMP: It hangs.",
		)
	}
	require.Empty(t, n.released)
	op := n.ops[n.begun[0]]
	require.JSONEq(t, `{"terminationType":"GRACEFUL","gracefulTerminationTimeout":7}`, string(op.Params))
	require.Equal(t, 2, op.APIVersion)
	require.True(t, op.IsAutomaticInvocation)

	n.become(op, lcm.Failed)
	n.becomes = lcm.Completed
	for range 2 {
		activitytest.Must(t, c.TerminateVnfs, in)
		require.Len(t, n.begun, 2, "one that was given up is begun anew")
		require.Equal(t, []lcm.VnfInstanceID{"idle", "one"}, n.released)
	}
}
