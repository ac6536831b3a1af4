package remote

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestSpans_tellTheMachineAndNoSecret(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	ctx, parent := tracer.Start(t.Context(), "work")
	target := Target{Node: "cp-1", Address: "10.0.0.1", User: "u", Password: "hunter2", PrivateKey: "hunter2"}
	_, span := beginSpan(ctx, "run", target, "op-1-join")
	endSpan(span, lcm.Wrap(lcm.KindBroken, errors.New("hunter2"), "The script says hunter2."))
	_, span = beginSpan(ctx, "connect", target, "")
	endSpan(span, nil)
	parent.End()
	ended := recorder.Ended()
	require.Len(t, ended, 3)
	require.Equal(t, "SSH run", ended[0].Name())
	require.Equal(t, codes.Error, ended[0].Status().Code)
	require.Equal(t, "Broken", ended[0].Status().Description)
	require.Equal(t, "SSH connect", ended[1].Name())
	require.Equal(t, codes.Unset, ended[1].Status().Code)
	for _, s := range ended[:2] {
		require.Equal(t, parent.SpanContext().SpanID(), s.Parent().SpanID())
		require.NotEmpty(t, s.Attributes())
		require.NotContains(t, fmt.Sprint(s.Attributes(), s.Events(), s.Status()), "hunter2")
	}
}

func TestSpans_costNothingWhereNothingIsTraced(t *testing.T) {
	ctx, target := context.Background(), Target{Node: "cp-1"}
	require.Zero(t, testing.AllocsPerRun(200, func() {
		_, span := beginSpan(ctx, "run", target, "x")
		endSpan(span, nil)
	}))
}
