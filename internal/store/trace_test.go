package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

func TestTrace_ofQueriesBelongsToWhatNeedsThem(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, err := store.OpenTraced(t.Context(), url, store.DefaultConnections)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	op := instantiate(newInstance(t, s))
	require.Empty(t, recorder.Ended(), "what belongs to nothing is not traced")

	ctx, span := tracer.Start(t.Context(), "work")
	require.NoError(t, s.BeginOperation(ctx, op))
	require.NoError(t, s.RecordSteps(ctx, []lcm.Step{{OpOccID: op.ID, Title: "hunter2", State: lcm.StepRunning}}))
	requireKind(t, lcm.KindNotFound, s.RecordStep(ctx,
		lcm.Step{OpOccID: "nope", Title: "hunter2", State: lcm.StepRunning}))
	kept, err := s.TraceParent(ctx, op.ID)
	require.NoError(t, err)
	require.Equal(t, telemetry.TraceParent(ctx), kept)
	record := lcm.OperationRecord{OpOccID: op.ID, Sequence: 1, State: lcm.Processing}
	require.NoError(t, s.RecordOperation(ctx, record))
	record.Sequence, record.State, record.Error = 2, lcm.FailedTemp, lcm.Errorf(lcm.KindBroken, "It broke.")
	require.NoError(t, s.RecordOperation(ctx, record))
	span.End()
	failed, err := s.Operation(context.Background(), op.ID)
	require.NoError(t, err)
	require.Equal(t, telemetry.TraceID(ctx), failed.Error.TraceID)

	var names, failures []string
	for _, q := range recorder.Ended() {
		names = append(names, q.Name())
		if q.Status().Description != "" {
			failures = append(failures, q.Status().Description)
		}
		for _, a := range q.Attributes() {
			require.NotContains(t, a.Value.String(), "hunter2")
		}
	}
	for _, name := range []string{
		"SQL insert vnf_lcm_op_occ", "SQL update vnf_lcm_op_occ", "SQL batch insert op_step",
		"SQL insert op_step", "SQL select event", "SQL begin", "SQL commit",
	} {
		require.Contains(t, names, name)
	}
	require.Equal(t, []string{"SQLSTATE 23503"}, failures)
}

func TestLoad_countsWhatThereIsToDo(t *testing.T) {
	t.Parallel()
	s := open(t)
	empty, err := s.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, telemetry.Load{
		InFlight: map[lcm.Operation]map[lcm.OperationState]int{}, Slow: map[lcm.Operation]int{},
	}, empty)
	first := begun(t, s)
	begun(t, s)
	recorder(s, t, first.ID)(lcm.Processing)
	_, err = s.CreateSubscription(in(t, lcm.DefaultProject),
		lcm.Subscription{ID: "s-1", API: lcm.APILcm, APIVersion: 1, CallbackURI: "http://nfvo.example"}, 0, false)
	require.NoError(t, err)
	begun(t, s)
	load, err := s.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[lcm.Operation]map[lcm.OperationState]int{lcm.OpInstantiate: {lcm.Starting: 2, lcm.Processing: 1}},
		load.InFlight)
	require.Positive(t, load.Notifications)
	require.Less(t, load.Oldest, time.Minute)
}
