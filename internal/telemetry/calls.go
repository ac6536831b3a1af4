package telemetry

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// VimMetrics time the calls to VIMs.
type VimMetrics struct{ seconds *prometheus.HistogramVec }

// NewVimMetrics registers the metrics of calls to VIMs.
func NewVimMetrics(reg prometheus.Registerer) *VimMetrics {
	m := &VimMetrics{prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "windlass_vim_request_seconds",
		Help:    "Time until a VIM's answer begins, by its service, the method and the status; \"error\" is no answer.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 30, 60},
	}, []string{"service", "method", "status"})}
	reg.MustRegister(m.seconds)
	return m
}

// Transport times the calls of next, and makes a span of each call that belongs to a span. It can be combined with any
// other RoundTripper; inside of others it sees the traffic on the wire. It records URLs without their ids and queries,
// and never bodies or headers.
func (m *VimMetrics) Transport(next http.RoundTripper) http.RoundTripper {
	return &observed{next, m}
}

type observed struct {
	next    http.RoundTripper
	metrics *VimMetrics
}

// RoundTrip implements http.RoundTripper.
func (o *observed) RoundTrip(r *http.Request) (*http.Response, error) {
	service, resource := resourceOf(r.URL.Path)
	ctx := r.Context()
	var span trace.Span
	if trace.SpanFromContext(ctx).IsRecording() {
		ctx, span = Begin(ctx, service+" "+r.Method+" "+resource, trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(
				attribute.String("http.request.method", r.Method), attribute.String("server.address", r.URL.Hostname()),
				attribute.String("windlass.vim.service", service), attribute.String("windlass.vim.resource", resource)))
		r = r.WithContext(ctx)
	}
	begun := time.Now()
	resp, err := o.next.RoundTrip(r)
	status := noAnswer
	if err == nil {
		status = statusText(resp.StatusCode)
	}
	o.metrics.seconds.WithLabelValues(service, knownMethod(r.Method), status).Observe(time.Since(begun).Seconds())
	if span != nil {
		endCall(span, resp, err)
	}
	return resp, err
}

const noAnswer = "error"

// statusTexts are made once: calls are many.
var statusTexts = func() (all [600]string) {
	for code := range all {
		all[code] = strconv.Itoa(code)
	}
	return all
}()

// statusText is the label of a status; all statuses that no server should answer share a label.
func statusText(code int) string {
	if code < 100 || code >= len(statusTexts) {
		return "other"
	}
	return statusTexts[code]
}

// endCall ends the span of an HTTP call. It records only the kind of an error: the error's text may quote the URL.
func endCall(span trace.Span, resp *http.Response, err error) {
	switch {
	case err != nil:
		span.SetStatus(codes.Error, "no answer")
	case resp.StatusCode >= http.StatusBadRequest:
		span.SetAttributes(attribute.Int("http.response.status_code", resp.StatusCode))
		span.SetStatus(codes.Error, http.StatusText(resp.StatusCode))
	default:
		span.SetAttributes(attribute.Int("http.response.status_code", resp.StatusCode))
	}
	span.End()
}

// services maps words in paths of VIMs' APIs to their services. Other words count as "other": ids and names make no
// labels.
var services = map[string]string{
	"tokens": "keystone", "projects": "keystone", "users": "keystone", "application_credentials": "keystone",
	"stacks": "heat", "validate": "heat", "servers": "nova", "flavors": "nova", "os-hypervisors": "nova",
	"os-quota-sets": "nova", "os-services": "nova", "os-availability-zone": "nova", "ports": "neutron",
	"networks": "neutron", "subnets": "neutron", "floatingips": "neutron", "routers": "neutron", "quotas": "neutron",
	"security-groups": "neutron", "volumes": "cinder", "types": "cinder", "snapshots": "cinder", "images": "glance",
	"apis": "kubernetes", "api": "kubernetes",
}

// resourceOf finds the service of a path, and the last known resource in it.
func resourceOf(path string) (service, resource string) {
	service, resource = "other", "other"
	for len(path) > 0 {
		var part string
		part, path, _ = strings.Cut(path, "/")
		if of, ok := services[part]; ok && (service == "other" || service == of) {
			service, resource = of, part
		}
	}
	return service, resource
}
