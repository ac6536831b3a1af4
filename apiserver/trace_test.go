package apiserver_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
	"github.com/windlass-nfv/windlass/internal/telemetry/collector"
)

const (
	clientTrace = "0af7651916cd43dd8448eb211c80319c"
	clientSpan  = "b7ad6b7169203331"
	traceparent = "traceparent: 00-" + clientTrace + "-" + clientSpan + "-01"
)

// tracing returns a bench that exports traces to a collector; flush sends the remaining spans.
func tracing(t *testing.T) (b *servertest.Bench, to *collector.Collector, flush func()) {
	t.Helper()
	to = collector.New(t)
	e, err := telemetry.NewExport(t.Context(), telemetry.Settings{
		Traces: true, Endpoint: to.GRPC, SampleRatio: 1, Interval: time.Hour, Service: "test",
	}, nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return servertest.New(
		t,
		func(o *apiserver.Options) { o.Tracing = e.Tracing },
	), to, func() { require.NoError(t, e.Close()) }
}

func TestTraceOfTheClientGoesOn(t *testing.T) {
	b, to, flush := tracing(t)
	instance, request := b.Ready("/vnflcm/v1")
	op := b.Do("POST", instance+"/instantiate", request, traceparent)
	op.Want(http.StatusAccepted)
	refused := b.Do("POST", "/vnflcm/v1/vnf_instances?marker=secret", map[string]any{"vnfdId": 7},
		traceparent).Want(http.StatusBadRequest)
	require.Equal(t, clientTrace, refused["traceId"])
	b.Enter(op.Path(), lcm.Processing)
	b.Enter(op.Path(), lcm.FailedTemp, func(r *lcm.OperationRecord) {
		r.Error = lcm.Errorf(lcm.KindBroken, "It broke.")
		r.Error.TraceID = clientTrace // the worker's store does the same
	})
	require.Equal(t, clientTrace, b.Do("GET", op.Path(), nil).Want(http.StatusOK)["error"].(map[string]any)["traceId"])
	id := b.Operation(op.Path()).ID
	require.NoError(t, b.Store.RecordPlan(t.Context(), id, []lcm.Step{{Title: "One"}}))
	steps := b.Do("GET", "/windlass/v1/vnf_lcm_op_occs/"+string(id)+"/steps", nil).List()
	require.Equal(t, clientTrace, steps[0]["traceId"])
	b.Do("GET", "/healthz", nil, traceparent)
	flush()

	names := map[string]collector.Span{}
	for _, s := range to.Trace(clientTrace) {
		names[s.Name] = s
	}
	asked := names["POST /vnflcm/v1/vnf_instances/:vnfInstanceId/instantiate"]
	require.Equal(t, clientSpan, asked.Parent)
	require.Equal(t, string(id), asked.Attributes["windlass.op_occ_id"])
	require.Equal(t, "INSTANTIATE", asked.Attributes["windlass.operation"])
	const status = "http.response.status_code"
	require.Contains(t, asked.Attributes[status], "202")
	require.Contains(t, names["POST /vnflcm/v1/vnf_instances"].Attributes[status], "400",
		"as it was answered, errors included")
	require.NotContains(t, names, "GET /healthz")
	require.NotContains(t, to.Raw(), "marker=secret", "no query is told")
	require.NotContains(t, to.Raw(), servertest.Marker)

	kept, err := b.Store.TraceParent(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "00-"+clientTrace+"-"+asked.ID+"-01", kept, "whoever goes on with the operation finds its trace")
	var first map[string]any
	events, err := b.Store.Events(t.Context(), id, 0, 1)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(events[0].Data, &first))
	require.Equal(t, kept, first["traceParent"])
}

func TestTraceGoesOnWithTheReconciler(t *testing.T) {
	b, to, flush := tracing(t)
	instance, request := b.Ready("/vnflcm/v1")
	b.Starter.Down = lcm.Errorf(lcm.KindUnavailable, "Temporal is away.")
	op := b.Do("POST", instance+"/instantiate", request, traceparent)
	op.Want(http.StatusAccepted)
	b.Starter.Down = nil
	require.NoError(t, reconciler(b, knownWorkflows{b.Operation(op.Path()).ID: true}).Once(t.Context()))
	flush()
	asked := slices.DeleteFunc(to.Trace(clientTrace), func(s collector.Span) bool { return s.Parent != clientSpan })
	require.Len(t, asked, 1)
	require.Equal(t, []string{"00-" + clientTrace + "-" + asked[0].ID + "-01"}, b.Starter.Traces)
}

func TestNothingOfATraceWithoutTelemetry(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	op := b.Do("POST", instance+"/instantiate", request, traceparent)
	op.Want(http.StatusAccepted)
	require.NotContains(t, b.Do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": 7},
		traceparent).Want(http.StatusBadRequest), "traceId")
	kept, err := b.Store.TraceParent(t.Context(), b.Operation(op.Path()).ID)
	require.NoError(t, err)
	require.Empty(t, kept)
	require.Equal(t, []string{""}, b.Starter.Traces)
}
