package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
	"github.com/windlass-nfv/windlass/internal/telemetry/collector"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// export exports traces to a collector of the test.
func export(
	t *testing.T, to *collector.Collector, edit func(*telemetry.Settings),
) (*telemetry.Export, *prometheus.Registry) {
	t.Helper()
	reg := telemetry.NewRegistry("1.2.3")
	s := telemetry.Settings{
		Traces: true, Metrics: true, Endpoint: to.GRPC, SampleRatio: 1, Interval: time.Hour,
		Service: "windlass-test", Version: "1.2.3",
	}
	if edit != nil {
		edit(&s)
	}
	e, err := telemetry.NewExport(t.Context(), s, reg, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return e, reg
}

func TestExport_sendsTracesAndMetrics(t *testing.T) {
	for name, edit := range map[string]func(*telemetry.Settings, *collector.Collector){
		"gRPC": func(*telemetry.Settings, *collector.Collector) {},
		"HTTP": func(s *telemetry.Settings, to *collector.Collector) {
			s.HTTP, s.Endpoint = true,
				to.HTTP
		},
		"HTTP, with a slash at the end": func(s *telemetry.Settings, to *collector.Collector) {
			s.HTTP, s.Endpoint = true,
				to.HTTP+"/"
		},
		"the standard's variable": func(s *telemetry.Settings, to *collector.Collector) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", to.GRPC)
			s.Endpoint = ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			to := collector.New(t)
			e, _ := export(t, to, func(s *telemetry.Settings) { edit(s, to) })
			_, span := e.Tracing.Start(t.Context(), "something")
			id := span.SpanContext().TraceID().String()
			span.End()
			require.NoError(t, e.Close())
			require.Len(t, to.Trace(id), 1)
			assert.Equal(t, "windlass-test", to.Trace(id)[0].Service)
			assert.True(t, to.HasMetric("windlass-test", "windlass_build_info"), "what /metrics shows is sent, too")
		})
	}
}

func TestExport_isNothingByDefault(t *testing.T) {
	t.Parallel()
	e, err := telemetry.NewExport(t.Context(), telemetry.Settings{}, nil, nil)
	require.NoError(t, err)
	require.False(t, e.Tracing.On())
	require.NoError(t, e.Close())
}

// log collects all log lines.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) count(words string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), words)
}

func TestExport_complainsOnceOfACollectorThatIsAway(t *testing.T) {
	const complaint = "Traces or metrics were not exported"
	out := &log{}
	e, err := telemetry.NewExport(t.Context(), telemetry.Settings{
		Traces: true, Endpoint: "http://127.0.0.1:1", HTTP: true, SampleRatio: 1,
	}, nil, telemetry.NewLogger(out, slog.LevelInfo, "json"))
	require.NoError(t, err)
	lose := func() {
		_, span := e.Tracing.Start(t.Context(), "something")
		span.End()
	}
	lose()
	require.Eventually(t, func() bool { return out.count(complaint) > 0 }, time.Minute, 10*time.Millisecond)
	lose()
	_ = e.Close() // it tries to send the rest, and could log the same complaint
	require.Equal(t, 1, out.count(complaint))
}

func TestTracing_tellsTheLogWhereItIs(t *testing.T) {
	t.Parallel()
	to := collector.New(t)
	e, _ := export(t, to, nil)
	ctx, span := e.Tracing.Start(telemetry.WithTraceParent(t.Context(), parent), "something")
	var out bytes.Buffer
	telemetry.NewLogger(&out, slog.LevelInfo, "json").InfoContext(ctx, "here")
	var line map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &line))
	assert.Equal(t, "0af7651916cd43dd8448eb211c80319c", line["traceId"])
	assert.Equal(t, span.SpanContext().SpanID().String(), line["spanId"])
	assert.Equal(t, "0af7651916cd43dd8448eb211c80319c", telemetry.TraceID(ctx))
	assert.Equal(t, ctx.Value("x"), telemetry.WithTraceParent(ctx, "").Value("x"))
	assert.Contains(t, telemetry.TraceParent(ctx), "00-0af7651916cd43dd8448eb211c80319c-")
	span.End()
	require.NoError(t, e.Close())
}

func TestTracing_leavesTheDecisionToTheClient(t *testing.T) {
	t.Parallel()
	to := collector.New(t)
	e, _ := export(t, to, nil)
	ctx, span := e.Tracing.Start(telemetry.WithTraceParent(t.Context(), strings.TrimSuffix(parent, "1")+"0"), "something")
	require.False(t, span.IsRecording())
	require.Empty(t, telemetry.TraceID(ctx), "nobody would find it")
	require.NotEmpty(t, telemetry.TraceParent(ctx), "who goes on must not decide anew")
	require.NoError(t, e.Close())
	require.Zero(t, to.Spans())
}

func TestTracing_tellsOfAnErrorWhatOperatorsMayRead(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "The VIM is away.",
		telemetry.ErrorText(lcm.Wrap(lcm.KindUnavailable, errors.New("dial u:hunter2@h"), "The VIM is away.")))
	assert.NotContains(t, telemetry.ErrorText(errors.New("password=hunter2")), "hunter2")
	assert.NotContains(t, telemetry.ErrorText(lcm.Errorf(lcm.KindBroken, "see http://u:hunter2@h")), "hunter2")
}

// answering is the last of a chain of RoundTrippers.
type answering struct {
	resp *http.Response
	err  error
}

func (a answering) RoundTrip(*http.Request) (*http.Response, error) { return a.resp, a.err }

func TestVimTransport_tellsOfCallsButNotWhatIsInThem(t *testing.T) {
	t.Parallel()
	to := collector.New(t)
	e, reg := export(t, to, nil)
	vims := telemetry.NewVimMetrics(reg)
	ctx, span := e.Tracing.Start(t.Context(), "work")
	call := func(method, url string, a answering) {
		req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(`{"password":"hunter2"}`))
		require.NoError(t, err)
		req.Header.Set("X-Auth-Token", "hunter2")
		_, _ = vims.Transport(a).RoundTrip(req)
	}
	call(http.MethodPost, "http://u:hunter2@vim:5000/v3/auth/tokens?x=hunter2",
		answering{resp: &http.Response{StatusCode: http.StatusCreated}})
	call(http.MethodGet, "http://vim/heat/v1/7f3c/stacks/hunter2/4a1e",
		answering{resp: &http.Response{StatusCode: http.StatusServiceUnavailable}})
	call(http.MethodGet, "http://vim/compute/v2.1/servers/hunter2", answering{err: errors.New("hunter2")})
	call("BREW", "http://vim/who/knows", answering{resp: &http.Response{StatusCode: 999}})
	span.End()
	require.NoError(t, e.Close())
	w := httptest.NewRecorder()
	telemetry.Handler(reg).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		`windlass_vim_request_seconds_count{method="POST",service="keystone",status="201"} 1`,
		`windlass_vim_request_seconds_count{method="GET",service="heat",status="503"} 1`,
		`windlass_vim_request_seconds_count{method="GET",service="nova",status="error"} 1`,
		`windlass_vim_request_seconds_count{method="other",service="other",status="other"} 1`,
	} {
		assert.Contains(t, w.Body.String(), line)
	}
	var names []string
	for _, s := range to.Trace(span.SpanContext().TraceID().String()) {
		names = append(names, s.Name)
		assert.Equal(t, strings.HasPrefix(s.Name, "heat") || strings.HasPrefix(s.Name, "nova") ||
			strings.HasPrefix(s.Name, "other"), s.Failed, s.Name)
	}
	assert.ElementsMatch(t, []string{
		"work", "keystone POST tokens", "heat GET stacks", "nova GET servers",
		"other BREW other",
	}, names)
	assert.NotContains(t, to.Raw()+w.Body.String(), "hunter2")
}

func TestOperationMetrics_loadGoesBackTo0(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	now, away := telemetry.Load{
		InFlight:      map[lcm.Operation]map[lcm.OperationState]int{lcm.OpHeal: {lcm.FailedTemp: 2}},
		Notifications: 3, Oldest: time.Minute,
	}, error(nil)
	telemetry.RegisterLoad(reg, func(context.Context) (telemetry.Load, error) { return now, away })
	scrape := func() string {
		w := httptest.NewRecorder()
		telemetry.Handler(reg).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return w.Body.String()
	}
	for _, line := range []string{
		`windlass_operations_in_flight{operation="HEAL",state="FAILED_TEMP"} 2`,
		`windlass_operations_in_flight{operation="SCALE",state="PROCESSING"} 0`,
		"windlass_notifications_waiting 3", "windlass_notifications_oldest_seconds 60",
	} {
		require.Contains(t, scrape(), line)
	}
	away = errors.New("the database is away")
	require.NotContains(t, scrape(), "windlass_operations_in_flight{", "nothing rather than what is not so")
}

// TestOff_costsNothing checks that there is no span and no further allocation without telemetry.
func TestOff_costsNothing(t *testing.T) {
	ctx := t.Context()
	requireSame := func(what string, before, now func()) {
		t.Helper()
		require.Equal(t, testing.AllocsPerRun(200, before), testing.AllocsPerRun(200, now), what)
	}
	nothing := func() {}
	requireSame("a call of a driver", nothing, func() {
		_, span := telemetry.Begin(ctx, "something")
		telemetry.End(span, nil)
	})
	requireSame("where it is", nothing, func() {
		_, _ = telemetry.TraceID(ctx),
			telemetry.TraceParent(ctx)
		telemetry.About(ctx)
	})
	metrics := telemetry.NewOperationMetrics(prometheus.NewRegistry())
	requireSame("an activity", nothing, func() { metrics.Activity(1, time.Second); metrics.Activity(2, time.Second) })
	requireSame("a step", nothing, func() { metrics.Step("Join the nodes", lcm.StepDone, time.Second) })
	bare, observed, req := transports(t)
	requireSame("a call of a VIM", func() { _, _ = bare.RoundTrip(req) }, func() { _, _ = observed.RoundTrip(req) })
}

func transports(t testing.TB) (bare, observed http.RoundTripper, req *http.Request) {
	t.Helper()
	bare = answering{resp: &http.Response{StatusCode: http.StatusOK}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://vim/heat/v1/7f3c/stacks/x", nil)
	require.NoError(t, err)
	return bare, telemetry.NewVimMetrics(prometheus.NewRegistry()).Transport(bare), req
}

// Run it with go test -run '^$' -bench Off ./internal/telemetry
func BenchmarkOff(b *testing.B) {
	bare, observed, req := transports(b)
	b.Run("call of a VIM, before", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = bare.RoundTrip(req)
		}
	})
	b.Run("call of a VIM", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = observed.RoundTrip(req)
		}
	})
	b.Run("call of another driver", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, span := telemetry.Begin(b.Context(), "something")
			telemetry.End(span, nil)
		}
	})
}
