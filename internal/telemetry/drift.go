package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// DriftMetrics counts the checks for drift of one worker, and the heals that they begin.
type DriftMetrics struct {
	checks *prometheus.CounterVec
	heals  prometheus.Counter
}

// NewDriftMetrics registers the metrics of a worker's checks.
func NewDriftMetrics(reg prometheus.Registerer) *DriftMetrics {
	m := &DriftMetrics{
		checks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "windlass_drift_checks_total",
			Help: "Checks for drift, by trigger and result: done, busy (an operation was under way) or failed.",
		}, []string{"trigger", "result"}),
		heals: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "windlass_drift_heals_total",
			Help: "Heals that Windlass has begun by itself.",
		}),
	}
	reg.MustRegister(m.checks, m.heals)
	return m
}

// Checked counts a check.
func (m *DriftMetrics) Checked(trigger lcm.DriftTrigger, result string) {
	m.checks.WithLabelValues(string(trigger), result).Inc()
}

// Healed counts an automatic heal.
func (m *DriftMetrics) Healed() { m.heals.Inc() }

// driftFindings reads, at every scrape, the findings of the last checks: every API server reports the same numbers.
type driftFindings struct {
	count func(context.Context) (map[lcm.DriftKind]int, error)
	desc  *prometheus.Desc
}

// RegisterDriftFindings registers the gauge of the findings of all VNFs' last checks, by kind.
func RegisterDriftFindings(reg prometheus.Registerer, count func(context.Context) (map[lcm.DriftKind]int, error)) {
	reg.MustRegister(&driftFindings{count, prometheus.NewDesc(
		"windlass_drift_findings", "What the last checks of all instantiated VNFs have found, by kind.", []string{"kind"},
		nil)})
}

// Describe implements prometheus.Collector.
func (f *driftFindings) Describe(to chan<- *prometheus.Desc) { to <- f.desc }

// scrapePatience bounds how long a scrape waits for the database: less than Prometheus waits for a scrape.
const scrapePatience = 3 * time.Second

// Collect implements prometheus.Collector. Every kind has a value, so that an alert sees it go back to 0. No kind has a
// value while the database is away.
func (f *driftFindings) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapePatience)
	defer cancel()
	counts, err := f.count(ctx)
	if err != nil {
		return
	}
	for kind := range lcm.DriftRules {
		to <- prometheus.MustNewConstMetric(f.desc, prometheus.GaugeValue, float64(counts[kind]), string(kind))
	}
}
