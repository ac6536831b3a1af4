package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry/collector"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
	"github.com/windlass-nfv/windlass/workflows"
)

// The client's request has clientTrace, and its request for a retry has retryTrace.
const (
	clientTrace = "0af7651916cd43dd8448eb211c80319c"
	clientSpan  = "b7ad6b7169203331"
	retryTrace  = "1bf7651916cd43dd8448eb211c80319d"
)

// TestTraceOnFakeMachines compares the trace of an operation with its steps. The operation loses its worker, fails and
// is retried.
func TestTraceOnFakeMachines(t *testing.T) {
	to := collector.New(t)
	t.Setenv("WINDLASS_TELEMETRY_ENDPOINT", to.GRPC)
	t.Setenv("WINDLASS_TELEMETRY_METRICS_INTERVAL", "1s")
	b := newBed(t, "fake")
	told := newSubscriber(t)
	b.subscribe(t, "/vnflcm/v1", told)
	require.Equal(t, clientTrace, b.problemTrace(t, "00-"+clientTrace+"-"+clientSpan+"-01"))

	b.Pace(t, 0, 300*time.Millisecond)
	b.ScriptFault(t, map[string]any{"script": "kubeadm-join", "times": 1, "exit_code": 1, "output": "windlass: not yet."})
	vnf := b.Create(t, "traced")
	a := b.callTraced(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/instantiate",
		b.InstantiateRequest(t, "traced", nil), "00-"+clientTrace+"-"+clientSpan+"-01")
	require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
	op := strings.TrimPrefix(a.Header.Get("Location"), b.URL)
	b.AwaitNode(t, op, "Prepare every node", "RUNNING")
	awaitSpan(t, to, clientTrace, "Check every node") // a killed worker does not send its remaining spans
	killed := time.Now()
	b.KillWorker(t)
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, clientTrace, failed["error"].(map[string]any)["traceId"])
	passing := b.Unsealed(t)
	b.Pace(t, 0, 0)
	retried := b.callTraced(t, http.MethodPost, op+"/retry", nil, "00-"+retryTrace+"-"+clientSpan+"-01")
	require.Equal(t, http.StatusAccepted, retried.Status, "%s", retried.Body)
	b.Await(t, op, quick, "COMPLETED")
	awaitSpan(t, to, clientTrace, "INSTANTIATE")
	awaitSpan(t, to, clientTrace, "Notify VnfLcmOperationOccurrenceNotification")

	trace := rooted(t, to, killed)
	trace.requireSteps(t, b.Steps(t, op), b.tracesOfSteps(t, op), killed)
	trace.requireCalls(t)
	decision := trace.one(t, "Decision: retry")
	require.Equal(t, []string{retryTrace}, decision.Links, "the request for the retry has a trace of its own")
	awaitSpan(t, to, retryTrace, "POST /vnflcm/v1/vnf_lcm_op_occs/:vnfLcmOpOccId/retry")
	b.requireLogged(t)

	b.requireReplays(t, op)
	b.requireMetrics(t, to)
	secrets := map[string]string{
		"the nodes' password": testbed.NodePassword, "the subscriber's": subscriberPassword,
		"the VIM's": b.Cloud.Login().Password,
	}
	maps.Copy(secrets, passing)
	maps.Copy(secrets, b.Unsealed(t))
	for name, value := range secrets {
		require.False(t, strings.Contains(to.Raw(), value), "%s was exported", name)
	}
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// callTraced does the same as Call, but sends the headers of a client that traces.
func (b *bed) callTraced(t *testing.T, method, path string, body any, parent string) testbed.Answer {
	t.Helper()
	data, err := json.Marshal(body)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), method, b.URL+path, bytes.NewReader(data))
	require.NoError(t, err)
	req.Header.Set("Version", "1.3.0")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("traceparent", parent)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	var out bytes.Buffer
	_, err = out.ReadFrom(res.Body)
	require.NoError(t, err)
	return testbed.Answer{Status: res.StatusCode, Header: res.Header, Body: out.Bytes()}
}

// problemTrace returns the trace id in the answer to a refused request.
func (b *bed) problemTrace(t *testing.T, parent string) string {
	t.Helper()
	a := b.callTraced(t, http.MethodPost, "/vnflcm/v1/vnf_instances", map[string]any{}, parent)
	require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
	var p struct {
		TraceID string `json:"traceId"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &p))
	return p.TraceID
}

// requireLogged checks that log lines of both processes about the operation contain the trace id.
func (b *bed) requireLogged(t *testing.T) {
	t.Helper()
	lines := strings.Split(b.logs(t), "\n")
	for _, message := range []string{"Request", "Activity done.", "Activity failed."} {
		require.True(t, slices.ContainsFunc(lines, func(line string) bool {
			return strings.Contains(line, `"msg":"`+message+`"`) && strings.Contains(line, `"traceId":"`+clientTrace+`"`)
		}), "no line %q tells the trace", message)
	}
}

// requireReplays checks that a history that was recorded with tracing replays without tracing.
func (b *bed) requireReplays(t *testing.T, op string) {
	t.Helper()
	r := worker.NewWorkflowReplayer()
	r.RegisterWorkflowWithOptions(workflows.Instantiate, workflow.RegisterOptions{Name: string(lcm.WorkflowInstantiate)})
	made := b.history(t, lcm.WorkflowID(lcm.OpOccID(filepath.Base(op))))
	require.NotEmpty(t, made.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetHeader().GetFields(),
		"it was made without traces")
	require.NoError(t, r.ReplayWorkflowHistory(nil, made))
}

// tracesOfSteps returns the different trace ids of the steps.
func (b *bed) tracesOfSteps(t *testing.T, op string) []string {
	t.Helper()
	a := b.Call(t, http.MethodGet, "/windlass/v1"+strings.TrimPrefix(op, "/vnflcm/v1")+"/steps", nil)
	var steps []struct {
		TraceID string `json:"traceId"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &steps))
	var out []string
	for _, s := range steps {
		out = append(out, s.TraceID)
	}
	return slices.Compact(out)
}

func (b *bed) requireMetrics(t *testing.T, to *collector.Collector) {
	t.Helper()
	for service, at := range map[string]struct {
		url   string
		names []string
	}{
		"windlass-apiserver": {b.URL, []string{
			"windlass_operations_in_flight", "windlass_notifications_waiting", "windlass_notifications_oldest_seconds",
			"windlass_vim_request_seconds",
			"windlass_http_request_seconds",
		}},
		"windlass-worker": {"http://" + b.workerMetrics(t), []string{
			"windlass_operations_total", "windlass_operation_seconds", "windlass_step_seconds", "windlass_retries_total",
			"windlass_queue_lag_seconds",
			"windlass_vim_request_seconds", "windlass_notifications_total",
		}},
	} {
		shown := string(testbed.Request(t, http.MethodGet, at.url+"/metrics", nil).Body)
		for _, name := range at.names {
			require.True(t, strings.Contains(shown, "# TYPE "+name+" "), "%s does not show %s", service, name)
			require.Eventually(t, func() bool { return to.HasMetric(service, name) }, time.Minute, 50*time.Millisecond,
				"%s has not sent %s", service, name)
		}
		if service == "windlass-worker" {
			for _, line := range []string{
				`windlass_operations_total{operation="INSTANTIATE",result="FAILED_TEMP"} 1`,
				`windlass_retries_total{what="step"} 1`,
				`windlass_operations_total{operation="INSTANTIATE",result="COMPLETED"} 1`,
				`windlass_step_seconds_count{result="FAILED",step="` + joinStep + `"} 1`,
			} {
				require.True(t, strings.Contains(shown, line+"\n"), line)
			}
		}
	}
}

// workerMetrics returns the address at which the worker serves its metrics.
func (b *bed) workerMetrics(t *testing.T) string {
	t.Helper()
	info, err := b.Info()
	require.NoError(t, err)
	env, err := os.ReadFile(filepath.Join(filepath.Dir(info.KeyFile), "dev.env"))
	require.NoError(t, err)
	found := regexp.MustCompile(`WINDLASS_WORKER_METRICS='?([0-9.:]+)`).FindSubmatch(env)
	require.NotNil(t, found)
	return string(found[1])
}

func awaitSpan(t *testing.T, to *collector.Collector, trace, name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(to.Trace(trace), func(s collector.Span) bool { return s.Name == name })
	}, time.Minute, 50*time.Millisecond, "the span %q has not come", name)
}
