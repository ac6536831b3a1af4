package worker

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// observer makes the spans and the metrics of operations, steps and activities. Workflows do not know it. It sees their
// records, but only new ones, not those of a replay.
//
// It makes the spans of an operation and of its steps when these have ended. Their ids follow from the workflow's run.
// So the activities of a killed worker have the same parents as those of its successor.
type observer struct {
	interceptor.WorkerInterceptorBase
	tracing *telemetry.Tracing          // nil: no spans
	metrics *telemetry.OperationMetrics // nil: no metrics
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (o *observer) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	return &observedActivity{interceptor.ActivityInboundInterceptorBase{Next: next}, o}
}

// InterceptWorkflow implements interceptor.WorkerInterceptor.
func (o *observer) InterceptWorkflow(
	ctx workflow.Context, next interceptor.WorkflowInboundInterceptor,
) interceptor.WorkflowInboundInterceptor {
	return &observedWorkflow{
		WorkflowInboundInterceptorBase: interceptor.WorkflowInboundInterceptorBase{Next: next},
		observer:                       o, info: workflow.GetInfo(ctx), steps: map[stepKey]*stepTime{},
	}
}

type observedActivity struct {
	interceptor.ActivityInboundInterceptorBase
	*observer
}

// ExecuteActivity implements interceptor.ActivityInboundInterceptor.
func (a *observedActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	if !info.IsLocalActivity {
		a.metrics.Activity(info.Attempt, info.StartedTime.Sub(info.ScheduledTime))
	}
	if !a.tracing.On() {
		return a.Next.ExecuteActivity(ctx, in)
	}
	parent, title := telemetry.ReadHeader(interceptor.Header(ctx))
	if !parent.IsValid() {
		return a.Next.ExecuteActivity(ctx, in)
	}
	name := title
	if name == "" {
		name = info.ActivityType.Name
	}
	ctx, span := a.tracing.Start(trace.ContextWithRemoteSpanContext(ctx, parent), name)
	defer span.End()
	if span.IsRecording() {
		span.SetAttributes(telemetry.AttrActivity.String(info.ActivityType.Name),
			telemetry.AttrAttempt.Int(int(info.Attempt)))
		if ref, ok := refOf(in.Args); ok {
			span.SetAttributes(attributesOf(ref)...)
		}
	}
	result, err := a.Next.ExecuteActivity(ctx, in)
	if err != nil {
		span.SetStatus(codes.Error, textOf(errorOf(err), err))
	}
	return result, err
}

func attributesOf(ref lcm.StepRef) []attribute.KeyValue {
	out := []attribute.KeyValue{
		telemetry.AttrOpOcc.String(string(ref.OpOccID)), telemetry.AttrStep.Int(ref.Step),
		telemetry.AttrPhase.String(string(ref.Phase())),
	}
	if ref.Node != "" {
		out = append(out, telemetry.AttrNode.String(ref.Node))
	}
	return out
}

// textOf is the text of an error in a span.
func textOf(known *lcm.Error, err error) string {
	switch {
	case known != nil:
		return telemetry.ErrorText(known)
	case temporal.IsCanceledError(err) || stateOf(err) == lcm.StepCancelled:
		return "cancelled"
	}
	return telemetry.ErrorText(err)
}
