package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// knownWorkflows are the running workflows.
type knownWorkflows map[lcm.OpOccID]bool

func (k knownWorkflows) Running(_ context.Context, id lcm.OpOccID) (bool, error) { return k[id], nil }

func (b *bench) reconciler(running knownWorkflows) *Reconciler {
	r := b.server.Reconciler()
	r.Watcher, r.StartAfter = running, time.Nanosecond
	return r
}

func TestReconcilerStartsWhatACrashLeftUnstarted(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	b.starter.down = lcm.Errorf(lcm.KindUnavailable, "Temporal is away.")
	a := b.do("POST", instance+"/instantiate", request)
	a.want(http.StatusAccepted)
	id := b.operation(a.path()).ID

	r := b.reconciler(knownWorkflows{id: true})
	require.Error(t, r.Once(t.Context()), "Temporal is still away")
	b.starter.down = nil
	require.NoError(t, r.Once(t.Context()))
	require.Len(t, b.starter.starts, 1)
	require.Equal(t, id, b.starter.starts[0].OpOccID)
	require.False(t, b.starter.starts[0].Resumed)
}

func TestReconcilerLeavesYoungOperationsToWhoeverMadeThem(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	b.do("POST", instance+"/instantiate", request).want(http.StatusAccepted)
	r := b.reconciler(knownWorkflows{})
	r.StartAfter = time.Hour
	require.NoError(t, r.Once(t.Context()))
	require.Len(t, b.starter.starts, 1)
}

func TestReconcilerResumesAnOperationWhoseWorkflowWasTerminated(t *testing.T) {
	b := newBench(t)
	path := b.failed("/vnflcm/v1")
	id := b.operation(path).ID
	running := knownWorkflows{id: true}
	r := b.reconciler(running)
	require.NoError(t, r.Once(t.Context()))
	require.Len(t, b.starter.starts, 1, "its workflow runs: nothing to do")

	running[id] = false
	require.NoError(t, r.Once(t.Context()))
	require.Len(t, b.starter.starts, 2)
	require.True(t, b.starter.starts[1].Resumed)

	b.do("POST", path+"/fail", nil).want(http.StatusOK)
	require.NoError(t, r.Once(t.Context()))
	require.Len(t, b.starter.starts, 2, "an operation that is over stays over")
}

func TestReconcilerGoesOnAfterAnOperationThatFails(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	request := clusterRequest(b.registerVim("lab", true))
	b.starter.down = lcm.Errorf(lcm.KindUnavailable, "Temporal is away.")
	var ids []lcm.OpOccID
	for i := range 4 {
		request["additionalParams"].(map[string]any)[lcm.ClusterParamsKey].(map[string]any)["vim_name"] = fmt.Sprintf("edge-%d", i)
		a := b.do("POST", b.create("/vnflcm/v1", vnfdID)+"/instantiate", request)
		a.want(http.StatusAccepted)
		ids = append(ids, b.operation(a.path()).ID)
	}
	resumed := ids[3] // it had recorded a state before its workflow was lost
	require.NoError(t, b.store.RecordOperation(t.Context(),
		lcm.OperationRecord{OpOccID: resumed, Sequence: 1, State: lcm.Processing}))
	b.starter.down = nil
	b.starter.downFor = ids[0]

	r := b.reconciler(knownWorkflows{ids[1]: true, ids[2]: true})
	err := r.Once(t.Context())
	require.ErrorContains(t, err, string(ids[0]))
	require.NotContains(t, err.Error(), string(ids[1]))
	var started []lcm.OpOccID
	for _, in := range b.starter.starts {
		started = append(started, in.OpOccID)
	}
	require.Equal(t, []lcm.OpOccID{ids[1], ids[2], resumed}, started)
}

func TestReconcilerRunsUntilItsContextEnds(t *testing.T) {
	b := newBench(t)
	path := b.failed("/vnflcm/v1")
	r := b.reconciler(knownWorkflows{})
	r.Every = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	soon(t, func() bool {
		b.starter.mu.Lock()
		defer b.starter.mu.Unlock()
		return len(b.starter.starts) > 1
	})
	cancel()
	require.NoError(t, <-done)
	require.Equal(t, b.operation(path).ID, b.starter.starts[1].OpOccID)
}
