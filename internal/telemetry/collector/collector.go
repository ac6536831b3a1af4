// Package collector is a collector of OpenTelemetry for tests: it takes traces and metrics by OTLP, over gRPC and HTTP,
// and keeps them in memory.
package collector

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Collector receives exported telemetry.
type Collector struct {
	// GRPC and HTTP are its URLs.
	GRPC, HTTP string

	mu      sync.Mutex
	spans   []Span
	metrics map[string]bool // service and name
	raw     strings.Builder
}

// New begins to listen; the collector ends with the test.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{metrics: map[string]bool{}}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	tracepb.RegisterTraceServiceServer(server, traceService{collector: c})
	metricspb.RegisterMetricsServiceServer(server, metricsService{collector: c})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	web := httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(web.Close)
	c.GRPC, c.HTTP = "http://"+listener.Addr().String(), web.URL
	return c
}

type traceService struct {
	tracepb.UnimplementedTraceServiceServer
	collector *Collector
}

// Export implements tracepb.TraceServiceServer.
func (s traceService) Export(
	_ context.Context, in *tracepb.ExportTraceServiceRequest,
) (*tracepb.ExportTraceServiceResponse, error) {
	s.collector.takeSpans(in)
	return &tracepb.ExportTraceServiceResponse{}, nil
}

type metricsService struct {
	metricspb.UnimplementedMetricsServiceServer
	collector *Collector
}

// Export implements metricspb.MetricsServiceServer.
func (s metricsService) Export(
	_ context.Context, in *metricspb.ExportMetricsServiceRequest,
) (*metricspb.ExportMetricsServiceResponse, error) {
	s.collector.takeMetrics(in)
	return &metricspb.ExportMetricsServiceResponse{}, nil
}

func (c *Collector) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	traces, metrics := &tracepb.ExportTraceServiceRequest{}, &metricspb.ExportMetricsServiceRequest{}
	switch {
	case r.URL.Path == "/v1/traces" && proto.Unmarshal(body, traces) == nil:
		c.takeSpans(traces)
	case r.URL.Path == "/v1/metrics" && proto.Unmarshal(body, metrics) == nil:
		c.takeMetrics(metrics)
	default:
		http.Error(w, "what is this?", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *Collector) takeSpans(in *tracepb.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.WriteString(protojson.Format(in))
	for _, from := range in.GetResourceSpans() {
		service := serviceOf(from.GetResource())
		for _, scope := range from.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, spanOf(service, s))
			}
		}
	}
}

func (c *Collector) takeMetrics(in *metricspb.ExportMetricsServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.WriteString(protojson.Format(in))
	for _, from := range in.GetResourceMetrics() {
		for _, scope := range from.GetScopeMetrics() {
			for _, m := range scope.GetMetrics() {
				c.metrics[serviceOf(from.GetResource())+" "+m.GetName()] = true
			}
		}
	}
}

// Spans is how many spans have come.
func (c *Collector) Spans() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.spans)
}

// HasMetric tells whether a service has sent a metric.
func (c *Collector) HasMetric(service, name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.metrics[service+" "+name]
}

// Raw is everything received, as text, to search for data that must not be in it.
func (c *Collector) Raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}
