package apiserver_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// knownWorkflows are the running workflows.
type knownWorkflows map[lcm.OpOccID]bool

func (k knownWorkflows) Running(_ context.Context, id lcm.OpOccID) (bool, error) { return k[id], nil }

func reconciler(b *servertest.Bench, running knownWorkflows) *apiserver.Reconciler {
	r := b.Server.Reconciler()
	r.Watcher, r.StartAfter = running, time.Nanosecond
	return r
}

func TestReconcilerStartsWhatACrashLeftUnstarted(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	b.Starter.Down = lcm.Errorf(lcm.KindUnavailable, "Temporal is away.")
	a := b.Do("POST", instance+"/instantiate", request)
	a.Want(http.StatusAccepted)
	id := b.Operation(a.Path()).ID

	r := reconciler(b, knownWorkflows{id: true})
	require.Error(t, r.Once(t.Context()), "Temporal is still away")
	b.Starter.Down = nil
	require.NoError(t, r.Once(t.Context()))
	require.Len(t, b.Starter.Starts, 1)
	require.Equal(t, id, b.Starter.Starts[0].OpOccID)
	require.False(t, b.Starter.Starts[0].Resumed)
}

func TestReconcilerLeavesYoungOperationsToWhoeverMadeThem(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
	r := reconciler(b, knownWorkflows{})
	r.StartAfter = time.Hour
	require.NoError(t, r.Once(t.Context()))
	require.Len(t, b.Starter.Starts, 1)
}

func TestReconcilerResumesAnOperationWhoseWorkflowWasTerminated(t *testing.T) {
	b := servertest.New(t)
	path := b.FailedOperation("/vnflcm/v1")
	id := b.Operation(path).ID
	running := knownWorkflows{id: true}
	r := reconciler(b, running)
	require.NoError(t, r.Once(t.Context()))
	require.Len(t, b.Starter.Starts, 1, "its workflow runs: nothing to do")

	running[id] = false
	require.NoError(t, r.Once(t.Context()))
	require.Len(t, b.Starter.Starts, 2)
	require.True(t, b.Starter.Starts[1].Resumed)

	b.Do("POST", path+"/fail", nil).Want(http.StatusOK)
	require.NoError(t, r.Once(t.Context()))
	require.Len(t, b.Starter.Starts, 2, "an operation that is over stays over")
}

func TestReconcilerGoesOnAfterAnOperationThatFails(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	request := servertest.ClusterRequest(b.RegisterVim("lab", true))
	b.Starter.Down = lcm.Errorf(lcm.KindUnavailable, "Temporal is away.")
	var ids []lcm.OpOccID
	for i := range 4 {
		request["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any)["vim_name"] = fmt.Sprintf(
			"edge-%d",
			i,
		)
		a := b.Do("POST", b.Create("/vnflcm/v1", vnfdID)+"/instantiate", request)
		a.Want(http.StatusAccepted)
		ids = append(ids, b.Operation(a.Path()).ID)
	}
	resumed := ids[3] // it had recorded a state before its workflow was lost
	require.NoError(t, b.Store.RecordOperation(t.Context(),
		lcm.OperationRecord{OpOccID: resumed, Sequence: 1, State: lcm.Processing}))
	b.Starter.Down = nil
	b.Starter.DownFor = ids[0]

	r := reconciler(b, knownWorkflows{ids[1]: true, ids[2]: true})
	err := r.Once(t.Context())
	require.ErrorContains(t, err, string(ids[0]))
	require.NotContains(t, err.Error(), string(ids[1]))
	var started []lcm.OpOccID
	for _, in := range b.Starter.Starts {
		started = append(started, in.OpOccID)
	}
	require.Equal(t, []lcm.OpOccID{ids[1], ids[2], resumed}, started)
}

func TestReconcilerRunsUntilItsContextEnds(t *testing.T) {
	b := servertest.New(t)
	path := b.FailedOperation("/vnflcm/v1")
	r := reconciler(b, knownWorkflows{})
	r.Every = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	servertest.Soon(t, func() bool { return b.Starter.Started() > 1 })
	cancel()
	require.NoError(t, <-done)
	require.Equal(t, b.Operation(path).ID, b.Starter.Starts[1].OpOccID)
}
