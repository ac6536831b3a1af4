package worker

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/telemetry"
	"github.com/windlass-nfv/windlass/internal/telemetry/collector"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/workflows"
)

// exporting returns an observer that exports spans to a collector; flush sends them.
func exporting(t *testing.T, ratio float64) (o *observer, to *collector.Collector, flush func()) {
	t.Helper()
	to = collector.New(t)
	reg := prometheus.NewRegistry()
	e, err := telemetry.NewExport(t.Context(), telemetry.Settings{
		Traces: true, Endpoint: to.GRPC, SampleRatio: ratio, Interval: time.Minute, Service: "test",
	}, reg, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return &observer{tracing: e.Tracing, metrics: telemetry.NewOperationMetrics(reg)}, to,
		func() { require.NoError(t, e.Close()) }
}

func TestObserver_replaysHistoriesWithoutASpan(t *testing.T) {
	o, to, flush := exporting(t, 1)
	r, err := sdkworker.NewWorkflowReplayerWithOptions(sdkworker.WorkflowReplayerOptions{Interceptors: []interceptor.WorkerInterceptor{o}})
	require.NoError(t, err)
	workflows.Register(r)
	files, err := filepath.Glob("../workflows/testdata/histories/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		require.NoError(t, r.ReplayWorkflowHistoryFromJSONFile(nil, file), file)
	}
	flush()
	require.Zero(t, to.Spans(), "a replay reports no span a second time")
}

// stepsOnly returns a workflow that records the given rows and states.
func stepsOnly(
	rows []records.RecordStepInput, states []lcm.OperationState,
) func(workflow.Context, lcm.OperationInput) error {
	return func(ctx workflow.Context, in lcm.OperationInput) error {
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: time.Minute})
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
		})
		for _, row := range rows {
			if err := workflow.ExecuteLocalActivity(ctx, recordSteps, records.RecordStepsInput{row}).Get(ctx,
				nil); err != nil {
				return err
			}
			if row.Step.State == lcm.StepRunning {
				ref := lcm.StepRef{OpOccID: in.OpOccID, Step: row.Step.Index, Node: "cp-1"}
				_ = workflow.ExecuteActivity(
					ctx, "Work", resources.DeploymentInput{Tracked: activities.Tracked{Step: ref}},
				).Get(
					ctx, nil,
				)
			}
		}
		for i, state := range states {
			state := records.RecordStateInput{
				OpOccID: in.OpOccID, Sequence: int64(i + 1), Status: lcm.OperationStatus{State: state},
			}
			if err := workflow.ExecuteLocalActivity(ctx, recordState, state).Get(ctx, nil); err != nil {
				return err
			}
		}
		return nil
	}
}

// observe runs stepsOnly in Temporal's test environment.
func observe(t *testing.T, o *observer, header *commonpb.Header) {
	t.Helper()
	begun := time.Now().Add(-time.Minute)
	row := func(state lcm.StepState) records.RecordStepInput {
		s := lcm.Step{
			OpOccID: "op-1", Index: 3, Phase: lcm.PhaseForward, Title: "Join the nodes", State: state,
			Started: begun, Ended: begun.Add(time.Second),
		}
		if state == lcm.StepFailed {
			s.Error = lcm.Errorf(lcm.KindBroken, "see http://u:hunter2@cp-1")
		}
		return records.RecordStepInput{Step: s}
	}
	suite := testsuite.WorkflowTestSuite{}
	suite.SetHeader(header)
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{
		Interceptors: []interceptor.WorkerInterceptor{o}, DeadlockDetectionTimeout: busy,
	})
	w := stepsOnly(
		[]records.RecordStepInput{row(lcm.StepRunning), row(lcm.StepFailed), row(lcm.StepRunning), row(lcm.StepDone)},
		[]lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.Processing, lcm.Completed})
	env.RegisterWorkflowWithOptions(w, workflow.RegisterOptions{Name: "Test"})
	env.RegisterActivity(recordSteps)
	env.RegisterActivity(recordState)
	env.RegisterActivityWithOptions(func(context.Context,
		resources.DeploymentInput,
	) error {
		return errors.New("stranger's hunter2")
	}, activity.RegisterOptions{Name: "Work"})
	env.ExecuteWorkflow("Test", lcm.OperationInput{OpOccID: "op-1", Operation: lcm.OpInstantiate})
	require.NoError(t, env.GetWorkflowError())
}

func recordSteps(context.Context, records.RecordStepsInput) error { return nil }
func recordState(context.Context, records.RecordStateInput) error { return nil }

func headerOf(t *testing.T, parent string) *commonpb.Header {
	t.Helper()
	p, err := converter.GetDefaultDataConverter().ToPayload(map[string]string{"traceparent": parent})
	require.NoError(t, err)
	return &commonpb.Header{Fields: map[string]*commonpb.Payload{"_tracer-data": p}}
}

const (
	givenTrace = "0af7651916cd43dd8448eb211c80319c"
	givenSpan  = "b7ad6b7169203331"
)

func TestObserver_tellsEachAttemptOfAStepOnce(t *testing.T) {
	o, to, flush := exporting(t, 1)
	observe(t, o, headerOf(t, "00-"+givenTrace+"-"+givenSpan+"-01"))
	flush()
	spans := map[string][]collector.Span{}
	for _, s := range to.Trace(givenTrace) {
		spans[s.Name] = append(spans[s.Name], s)
	}
	require.Len(t, spans["INSTANTIATE"], 1)
	whole := spans["INSTANTIATE"][0]
	require.Equal(t, givenSpan, whole.Parent)
	require.Equal(t, "COMPLETED", whole.Attributes["windlass.state"])
	steps := spans["Join the nodes"]
	require.Len(t, steps, 2)
	for _, s := range steps {
		require.Equal(t, whole.ID, s.Parent)
		require.Equal(t, time.Second, s.End.Sub(s.Start))
	}
	require.NotEqual(t, steps[0].ID, steps[1].ID)
	nodes := spans["cp-1: Join the nodes"]
	require.Len(t, nodes, 2)
	require.ElementsMatch(t, []string{steps[0].ID, steps[1].ID}, []string{nodes[0].Parent, nodes[1].Parent})
	require.NotContains(t, to.Raw(), "hunter2")
}

func TestObserver_keepsTheIdsOfARunInAnotherWorker(t *testing.T) {
	ids := func() (out []string) {
		o, to, flush := exporting(t, 1)
		observe(t, o, headerOf(t, "00-"+givenTrace+"-"+givenSpan+"-01"))
		flush()
		for _, s := range to.Trace(givenTrace) {
			if s.Name == "INSTANTIATE" || s.Name == "Join the nodes" {
				out = append(out, s.ID)
			}
		}
		return out
	}
	first := ids()
	require.Len(t, first, 3)
	require.ElementsMatch(t, first, ids(), "workflow and run are the same")
}

func TestObserver_givesAnOperationWithoutATraceItsOwn(t *testing.T) {
	o, to, flush := exporting(t, 1)
	observe(t, o, nil)
	flush()
	id := telemetry.TraceIDOf("op-1").String()
	require.Len(t, slices.DeleteFunc(to.Trace(id), func(s collector.Span) bool { return s.Name != "INSTANTIATE" }), 1)
}

func TestObserver_tracesChecksForDrift(t *testing.T) {
	o, to, flush := exporting(t, 1)
	suite := testsuite.WorkflowTestSuite{}
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{
		Interceptors: []interceptor.WorkerInterceptor{o}, DeadlockDetectionTimeout: busy,
	})
	env.RegisterWorkflowWithOptions(func(workflow.Context) error { return nil },
		workflow.RegisterOptions{Name: string(lcm.WorkflowDrift)})
	env.ExecuteWorkflow(string(lcm.WorkflowDrift))
	flush()
	require.Equal(t, 1, to.Spans())
}

func TestObserver_leavesOutWhatIsNotSampled(t *testing.T) {
	o, to, flush := exporting(t, 0)
	observe(t, o, nil)
	observe(t, o, headerOf(t, "00-"+givenTrace+"-"+givenSpan+"-00"))
	flush()
	require.Zero(t, to.Spans())
}

func TestObserver_measuresWithoutTraces(t *testing.T) {
	reg := prometheus.NewRegistry()
	observe(t, &observer{metrics: telemetry.NewOperationMetrics(reg)}, nil)
	w := httptest.NewRecorder()
	telemetry.Handler(reg).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		`windlass_operations_total{operation="INSTANTIATE",result="FAILED_TEMP"} 1`,
		`windlass_operations_total{operation="INSTANTIATE",result="COMPLETED"} 1`,
		`windlass_operation_seconds_count{operation="INSTANTIATE",result="COMPLETED"} 1`,
		`windlass_retries_total{what="step"} 1`,
		`windlass_step_seconds_count{result="FAILED",step="Join the nodes"} 1`,
		`windlass_step_seconds_sum{result="DONE",step="Join the nodes"} 1`,
		`windlass_queue_lag_seconds_count 2`, // local activities do not wait for a worker
	} {
		require.Contains(t, w.Body.String(), line+"\n")
	}
	observe(t, &observer{}, nil)
}

// TestObserver_knowsWhatWorkflowsRecord runs a real workflow: the compiler does not check whether the types that
// workflows record are those that the observer expects.
func TestObserver_knowsWhatWorkflowsRecord(t *testing.T) {
	o, to, flush := exporting(t, 1)
	suite := testsuite.WorkflowTestSuite{}
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{
		Interceptors: []interceptor.WorkerInterceptor{o}, DeadlockDetectionTimeout: busy,
	})
	env.RegisterWorkflowWithOptions(workflows.Terminate, workflow.RegisterOptions{Name: "Test"})
	for name, act := range map[string]any{
		"RecordSteps": recordSteps, "RecordState": recordState,
		"RecordPlan":     func(context.Context, records.RecordPlanInput) error { return nil },
		"InterruptSteps": func(context.Context, records.DescribeInput) error { return nil },
		"DescribeOperation": func(context.Context, records.DescribeInput) (lifecycle.Description, error) {
			return lifecycle.Description{
				State: lcm.Starting,
				Steps: lifecycle.Steps(lifecycle.Facts{Flavour: &descriptor.Flavour{}}, lcm.Plan{Operation: lcm.OpTerminate}),
			}, nil
		},
		"DeleteStack": func(context.Context, resources.DeploymentInput) (out resources.DeleteStackOutput, err error) {
			return out, nil
		},
		"ForgetNodes": func(context.Context, kubecluster.ForgetNodesInput) (out kubecluster.ForgetNodesOutput, err error) {
			return out, nil
		},
	} {
		env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name})
	}
	env.ExecuteWorkflow("Test", lcm.OperationInput{OpOccID: "op-1", Operation: lcm.OpTerminate})
	require.NoError(t, env.GetWorkflowError())
	flush()
	states := map[string]any{}
	for _, s := range to.Trace(telemetry.TraceIDOf("op-1").String()) {
		states[s.Name] = s.Attributes["windlass.state"]
	}
	require.Equal(t, "COMPLETED", states["TERMINATE"])
	require.Equal(t, "DONE", states["Delete the infrastructure"])
}
