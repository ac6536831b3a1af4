package nfvo_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
)

func TestSubscribers_letTheOtherSideGoOnWithTheTrace(t *testing.T) {
	t.Parallel()
	var got []string
	status := http.StatusNoContent
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("traceparent"))
		w.WriteHeader(status)
	}))
	defer there.Close()
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	s := nfvo.NewSubscribers(nfvo.Options{})
	to, event := nfvo.Subscriber{URI: there.URL + "/hunter2?token=hunter2"}, lcm.VnfEvent{Type: lcm.NotifyOperation}
	require.NoError(t, s.Notify(t.Context(), to, lcm.Subscription{APIVersion: 1}, event))
	ctx, span := tracer.Start(t.Context(), "work")
	require.NoError(t, s.Notify(ctx, to, lcm.Subscription{APIVersion: 1}, event))
	status = http.StatusTeapot
	require.Error(t, s.Notify(ctx, to, lcm.Subscription{APIVersion: 1}, event))
	span.End()

	ended := recorder.Ended()
	require.Len(t, ended, 3)
	require.Equal(t, "POST subscriber", ended[0].Name())
	require.Equal(t, []string{"", "00-" + span.SpanContext().TraceID().String() + "-" +
		ended[0].SpanContext().SpanID().String() + "-01"}, got[:2])
	require.Equal(t, http.StatusText(http.StatusTeapot), ended[1].Status().Description)
	for _, s := range ended {
		for _, a := range s.Attributes() {
			require.NotContains(t, a.Value.String(), "hunter2")
		}
	}
}
