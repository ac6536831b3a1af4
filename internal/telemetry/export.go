package telemetry

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	promsource "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// Settings say where to send traces and metrics. Without Traces and Metrics, nothing is made or sent.
type Settings struct {
	Traces, Metrics bool
	// Endpoint is the URL of the collector; "" leaves it to the standard's own variables, OTEL_EXPORTER_OTLP_ENDPOINT
	// and the like.
	Endpoint string
	// HTTP sends protobuf over HTTP instead of gRPC.
	HTTP bool
	// TLS has the authorities that the collector's certificate comes from, now; nil leaves them to the standard's own
	// variables.
	TLS func() *tls.Config
	// SampleRatio is the share of kept traces among the traces that begin here.
	SampleRatio float64
	// Interval is how often metrics are sent.
	Interval time.Duration
	// Service and Version identify the sender.
	Service, Version string
}

// Export sends traces and metrics to a collector.
type Export struct {
	// Tracing makes spans; nil when no traces are sent.
	Tracing *Tracing
	stops   []func(context.Context) error
}

// The times of the export. A span is sent soon, so that a killed process loses few. A shutdown waits for the collector
// only for a moment.
const (
	spanDelay    = time.Second
	spanQueue    = 8192
	shutdownTime = 5 * time.Second
	complainMost = time.Minute
	longestValue = 512 // of an attribute
)

// NewExport begins to export. Close ends it. It is no error if the collector is away: the log reports the losses. log
// must not be nil if anything is exported.
func NewExport(ctx context.Context, s Settings, reg prometheus.Gatherer, log *slog.Logger) (*Export, error) {
	e := &Export{}
	if !s.Traces && !s.Metrics {
		return e, nil
	}
	otel.SetErrorHandler(&complaints{log: log})
	from, err := s.resource(ctx)
	if err != nil {
		return nil, err
	}
	if s.Traces {
		if err := e.traces(ctx, s, from); err != nil {
			return nil, err
		}
	}
	if s.Metrics {
		if err := e.metrics(ctx, s, from, reg); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// resource identifies the sender; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override our values.
func (s Settings) resource(ctx context.Context) (*resource.Resource, error) {
	host, _ := os.Hostname()
	from, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", s.Service), attribute.String("service.version", s.Version),
		attribute.String("host.name", host), attribute.Int("process.pid", os.Getpid()),
	), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "OTEL_RESOURCE_ATTRIBUTES cannot be read.")
	}
	return from, nil
}

func (e *Export) traces(ctx context.Context, s Settings, from *resource.Resource) error {
	exporter, err := s.spanExporter(ctx)
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The export of traces cannot begin; look at telemetry.endpoint.")
	}
	limits := sdktrace.NewSpanLimits()
	limits.AttributeValueLengthLimit = longestValue
	sampler := sdktrace.ParentBased(sdktrace.TraceIDRatioBased(s.SampleRatio))
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithResource(from), sdktrace.WithSampler(sampler), sdktrace.WithIDGenerator(idGenerator{}),
		sdktrace.WithRawSpanLimits(limits),
		sdktrace.WithBatcher(exporter, sdktrace.WithBatchTimeout(spanDelay), sdktrace.WithMaxQueueSize(spanQueue)),
	)
	e.Tracing = newTracing(provider, sampler)
	e.stops = append(e.stops, provider.Shutdown)
	return nil
}

func (s Settings) spanExporter(ctx context.Context) (sdktrace.SpanExporter, error) {
	if s.HTTP {
		opts := []otlptracehttp.Option{}
		if s.Endpoint != "" {
			opts = append(opts, otlptracehttp.WithEndpointURL(s.signalURL("/v1/traces")))
		}
		if s.TLS != nil {
			opts = append(opts, otlptracehttp.WithHTTPClient(s.client()))
		}
		return otlptracehttp.New(ctx, opts...)
	}
	opts := []otlptracegrpc.Option{}
	if s.Endpoint != "" {
		opts = append(opts, otlptracegrpc.WithEndpointURL(s.Endpoint))
	}
	if s.TLS != nil {
		opts = append(opts, otlptracegrpc.WithTLSCredentials(outbound.Credentials(s.TLS, "")))
	}
	return otlptracegrpc.New(ctx, opts...)
}

// metrics sends the metrics of /metrics: one set of metrics, under the names that people know.
func (e *Export) metrics(
	ctx context.Context, s Settings, from *resource.Resource, reg prometheus.Gatherer,
) error {
	exporter, err := s.metricExporter(ctx)
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The export of metrics cannot begin; look at telemetry.endpoint.")
	}
	reader := sdkmetric.NewPeriodicReader(exporter, sdkmetric.WithInterval(s.Interval),
		sdkmetric.WithProducer(promsource.NewMetricProducer(promsource.WithGatherer(reg))))
	e.stops = append(e.stops, sdkmetric.NewMeterProvider(sdkmetric.WithResource(from),
		sdkmetric.WithReader(reader)).Shutdown)
	return nil
}

func (s Settings) metricExporter(ctx context.Context) (sdkmetric.Exporter, error) {
	if s.HTTP {
		opts := []otlpmetrichttp.Option{}
		if s.Endpoint != "" {
			opts = append(opts, otlpmetrichttp.WithEndpointURL(s.signalURL("/v1/metrics")))
		}
		if s.TLS != nil {
			opts = append(opts, otlpmetrichttp.WithHTTPClient(s.client()))
		}
		return otlpmetrichttp.New(ctx, opts...)
	}
	opts := []otlpmetricgrpc.Option{}
	if s.Endpoint != "" {
		opts = append(opts, otlpmetricgrpc.WithEndpointURL(s.Endpoint))
	}
	if s.TLS != nil {
		opts = append(opts, otlpmetricgrpc.WithTLSCredentials(outbound.Credentials(s.TLS, "")))
	}
	return otlpmetricgrpc.New(ctx, opts...)
}

// signalURL is the collector's URL for one kind of data, derived from the common endpoint as the standard says.
func (s Settings) signalURL(path string) string {
	u, err := url.Parse(s.Endpoint)
	if err != nil {
		return s.Endpoint // refused by the exporter
	}
	return u.JoinPath(strings.TrimPrefix(path, "/")).String()
}

// Close sends the remaining data, within a short time.
func (e *Export) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	var errs []error
	for _, stop := range e.stops {
		errs = append(errs, stop(ctx))
	}
	return errors.Join(errs...)
}

// complaints logs the export's failures once in a while: if the collector is away, the export fails every second.
type complaints struct {
	log  *slog.Logger
	mu   sync.Mutex
	last time.Time
}

// Handle implements otel.ErrorHandler.
func (c *complaints) Handle(err error) {
	c.mu.Lock()
	told := time.Since(c.last) < complainMost
	if !told {
		c.last = time.Now()
	}
	c.mu.Unlock()
	if !told {
		c.log.Warn("Traces or metrics were not exported", "error", err)
	}
}
