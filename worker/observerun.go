package worker

import (
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// observedWorkflow is one run of a workflow.
type observedWorkflow struct {
	interceptor.WorkflowInboundInterceptorBase
	*observer
	info      *workflow.Info
	operation lcm.OperationInput // empty: the workflow belongs to no operation
	parent    trace.SpanContext
	self      trace.SpanContext // not valid: the run is not traced
	steps     map[stepKey]*stepTime
	state     lcm.OperationState
	cause     *lcm.Error
}

type stepKey struct {
	index int
	phase lcm.Phase
}

// stepTime is the current or last attempt of a step.
type stepTime struct {
	attempt int
	title   string
	started time.Time
	over    bool
}

// Init implements interceptor.WorkflowInboundInterceptor.
func (w *observedWorkflow) Init(next interceptor.WorkflowOutboundInterceptor) error {
	return w.Next.Init(&observedCalls{interceptor.WorkflowOutboundInterceptorBase{Next: next}, w})
}

// ExecuteWorkflow implements interceptor.WorkflowInboundInterceptor. It must not use defer: when a run leaves a
// worker's memory, its function ends, but the run does not.
func (w *observedWorkflow) ExecuteWorkflow(ctx workflow.Context, in *interceptor.ExecuteWorkflowInput) (any, error) {
	if len(in.Args) > 0 {
		w.operation, _ = in.Args[0].(lcm.OperationInput)
	}
	w.trace(ctx)
	result, err := w.Next.ExecuteWorkflow(ctx, in)
	if !workflow.IsReplaying(ctx) {
		w.ended(workflow.Now(ctx), err)
	}
	return result, err
}

// trace finds the run's trace. An operation may bring none, because it began when there were no traces: it then has a
// trace of its own. So has a check for drift, and the heal that it begins is part of that trace.
func (w *observedWorkflow) trace(ctx workflow.Context) {
	if !w.tracing.On() {
		return
	}
	w.parent, _ = telemetry.ReadHeader(interceptor.WorkflowHeader(ctx))
	config := trace.SpanContextConfig{TraceID: w.parent.TraceID(), TraceFlags: w.parent.TraceFlags()}
	switch {
	case w.parent.IsValid():
	case w.operation.OpOccID != "":
		config.TraceID = telemetry.TraceIDOf(string(w.operation.OpOccID))
	case w.info.WorkflowType.Name == string(lcm.WorkflowDrift):
		config.TraceID = telemetry.TraceIDOf(w.info.WorkflowExecution.ID, w.info.WorkflowExecution.RunID)
	default: // nobody asks for traces of workflows that repeat for ever
		return
	}
	if !w.parent.IsValid() {
		config.TraceFlags = trace.TraceFlags(0).WithSampled(w.tracing.Sampled(config.TraceID))
	}
	config.SpanID = telemetry.SpanIDOf(w.info.WorkflowExecution.ID, w.info.WorkflowExecution.RunID)
	w.self = trace.NewSpanContext(config)
}

// ended records the end of the run as a whole.
func (w *observedWorkflow) ended(at time.Time, err error) {
	if w.operation.OpOccID != "" && w.state.Terminal() {
		w.metrics.Ended(w.operation.Operation, w.state, at.Sub(w.info.WorkflowStartTime))
	}
	if !w.self.IsSampled() {
		return
	}
	name := w.info.WorkflowType.Name
	attributes := []attribute.KeyValue{attribute.String("temporal.workflow_id", w.info.WorkflowExecution.ID)}
	message := ""
	if w.operation.OpOccID != "" {
		name = string(w.operation.Operation)
		attributes = append(attributes, telemetry.AttrOpOcc.String(string(w.operation.OpOccID)),
			telemetry.AttrState.String(string(w.state)),
			telemetry.AttrInstance.String(string(w.operation.VnfInstanceID)),
			telemetry.AttrOperation.String(string(w.operation.Operation)))
	}
	if err != nil || w.cause != nil {
		message = textOf(w.cause, err)
	}
	w.tracing.Emit(telemetry.Done{
		Name: name, Parent: w.parent, Trace: w.self.TraceID(), ID: w.self.SpanID(), Started: w.info.WorkflowStartTime,
		Ended: at, Attributes: attributes, Failed: err != nil || w.cause != nil, ErrorMessage: message,
	})
}

// ExecuteUpdate implements interceptor.WorkflowInboundInterceptor. A person's decision appears in the operation's
// trace, with a link to the request.
func (w *observedWorkflow) ExecuteUpdate(ctx workflow.Context, in *interceptor.UpdateInput) (any, error) {
	begun, replayed := workflow.Now(ctx), workflow.IsReplaying(ctx)
	request := trace.SpanContext{}
	if w.tracing.On() {
		request, _ = telemetry.ReadHeader(interceptor.WorkflowHeader(ctx))
	}
	result, err := w.Next.ExecuteUpdate(ctx, in)
	if !replayed && w.self.IsSampled() {
		d := telemetry.Done{
			Name: "Decision: " + in.Name, Parent: w.self, Trace: w.self.TraceID(), Started: begun, Ended: workflow.Now(ctx),
			ID: telemetry.SpanIDOf(w.info.WorkflowExecution.RunID, "decision", workflow.GetCurrentUpdateInfo(ctx).ID),
		}
		if request.IsValid() {
			d.Links = []trace.SpanContext{request}
		}
		w.tracing.Emit(d)
	}
	return result, err
}

// observedCalls sees the calls of a run.
type observedCalls struct {
	interceptor.WorkflowOutboundInterceptorBase
	run *observedWorkflow
}

// ExecuteActivity implements interceptor.WorkflowOutboundInterceptor.
func (c *observedCalls) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	c.run.mark(ctx, args)
	return c.Next.ExecuteActivity(ctx, name, args...)
}

// ExecuteLocalActivity implements interceptor.WorkflowOutboundInterceptor.
func (c *observedCalls) ExecuteLocalActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	if len(args) > 0 {
		switch in := args[0].(type) {
		case records.RecordStepsInput:
			for _, row := range in {
				c.run.step(row.Step, workflow.IsReplaying(ctx))
			}
		case records.RecordStateInput:
			c.run.entered(in.Status, workflow.IsReplaying(ctx))
		}
	}
	c.run.mark(ctx, args)
	return c.Next.ExecuteLocalActivity(ctx, name, args...)
}

// mark puts the parent span of an activity into its headers: the step's span, else the operation's.
func (w *observedWorkflow) mark(ctx workflow.Context, args []any) {
	if !w.self.IsValid() {
		return
	}
	parent, title := w.self, ""
	if ref, ok := refOf(args); ok {
		key := stepKey{ref.Step, ref.Phase()}
		if s, known := w.steps[key]; known && !s.over {
			parent = w.self.WithSpanID(w.stepID(key, s.attempt))
			if ref.Node != "" {
				title = ref.Node + ": " + s.title
			}
		}
	}
	telemetry.WriteHeader(interceptor.WorkflowHeader(ctx), parent, title)
}

func (w *observedWorkflow) stepID(key stepKey, attempt int) trace.SpanID {
	return telemetry.SpanIDOf(w.info.WorkflowExecution.RunID, "step", strconv.Itoa(key.index), string(key.phase),
		strconv.Itoa(attempt))
}

// step takes the row of a whole step that the workflow has recorded.
func (w *observedWorkflow) step(row lcm.Step, replayed bool) {
	key := stepKey{row.Index, row.Phase}
	s := w.steps[key]
	if row.State == lcm.StepRunning {
		if s == nil {
			s = &stepTime{}
			w.steps[key] = s
		}
		*s = stepTime{attempt: s.attempt + 1, title: row.Title, started: row.Started}
		if s.attempt > 1 && !replayed {
			w.metrics.StepRetried()
		}
		return
	}
	if s == nil || s.over {
		return
	}
	s.over = true
	if replayed {
		return
	}
	w.metrics.Step(row.Title, row.State, row.Ended.Sub(s.started))
	if !w.self.IsSampled() {
		return
	}
	ref := lcm.StepRef{OpOccID: row.OpOccID, Step: row.Index, Undo: row.Phase == lcm.PhaseCompensation}
	message := ""
	if row.Error != nil {
		message = telemetry.ErrorText(row.Error)
	}
	w.tracing.Emit(telemetry.Done{
		Name: row.Title, Parent: w.self, Trace: w.self.TraceID(), ID: w.stepID(key, s.attempt), Started: s.started,
		Ended: row.Ended,
		Attributes: append(attributesOf(ref), telemetry.AttrAttempt.Int(s.attempt),
			telemetry.AttrState.String(string(row.State))),
		Failed: row.Error != nil, ErrorMessage: message,
	})
}

// entered takes the new state of an operation.
func (w *observedWorkflow) entered(status lcm.OperationStatus, replayed bool) {
	if !replayed && status.State != w.state {
		w.metrics.Entered(w.operation.Operation, status.State)
	}
	w.state, w.cause = status.State, status.Error
}
