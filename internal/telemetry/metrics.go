package telemetry

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// NewRegistry makes a registry that tells about the process, the Go runtime and the program's version.
func NewRegistry(version string) *prometheus.Registry {
	reg := prometheus.NewRegistry()
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "windlass_build_info", Help: "Always 1; the label has the version.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	info.Set(1)
	reg.MustRegister(info, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return reg
}

// Handler serves /metrics.
func Handler(reg *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{Registry: reg})
}

// HTTPMetrics counts and times requests. A middleware of the server calls Begin and the function that
// it returns.
type HTTPMetrics struct {
	requests *prometheus.HistogramVec
	inFlight prometheus.Gauge
}

// NewHTTPMetrics registers the metrics of an HTTP server.
func NewHTTPMetrics(reg prometheus.Registerer) *HTTPMetrics {
	m := &HTTPMetrics{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "windlass_http_request_seconds", Help: "Time to answer a request.",
			// From a look into memory to an upload.
			Buckets: []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60},
		}, []string{"method", "route", "status"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "windlass_http_requests_in_flight", Help: "Requests being answered, event streams included.",
		}),
	}
	reg.MustRegister(m.requests, m.inFlight)
	return m
}

// Begin counts a request as in progress until done is called. route is the pattern, not the path: each id would make a
// time series. Unknown methods share a label for the same reason.
func (m *HTTPMetrics) Begin() (done func(method, route string, status int)) {
	start := time.Now()
	m.inFlight.Inc()
	return func(method, route string, status int) {
		m.inFlight.Dec()
		m.requests.WithLabelValues(knownMethod(method), route, strconv.Itoa(status)).Observe(time.Since(start).Seconds())
	}
}

func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	default:
		return "other"
	}
}
