package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// OperationMetrics measure a worker's part of operations. Labels come from small sets that are known beforehand: no
// ids, no names of nodes. A nil OperationMetrics counts nothing.
type OperationMetrics struct {
	results  *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	steps    *prometheus.HistogramVec
	retries  *prometheus.CounterVec
	lag      prometheus.Histogram
	delivery *prometheus.CounterVec
}

// From an answer of the database to an hour of waiting for a cloud.
var workBuckets = []float64{.1, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}

// NewOperationMetrics registers the metrics of a worker's operations.
func NewOperationMetrics(reg prometheus.Registerer) *OperationMetrics {
	m := &OperationMetrics{
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "windlass_operations_total",
			Help: "States that lifecycle operations have come to: COMPLETED, FAILED_TEMP, FAILED, ROLLED_BACK.",
		}, []string{"operation", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "windlass_operation_seconds",
			Help: "Time from an operation's beginning to its end, waiting for people included.", Buckets: workBuckets,
		}, []string{"operation", "result"}),
		steps: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "windlass_step_seconds", Help: "Time of one attempt of a step, by its title and how it ended.",
			Buckets: workBuckets,
		}, []string{"step", "result"}),
		retries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "windlass_retries_total",
			Help: "Retries: of activities by themselves, of steps by the decision of a person.",
		}, []string{"what"}),
		lag: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "windlass_queue_lag_seconds", Help: "How long activities have waited in Temporal's queue for a worker.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60},
		}),
		delivery: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "windlass_notifications_total", Help: "Attempts to deliver a notification, by result: delivered or failed.",
		}, []string{"result"}),
	}
	for _, what := range []string{retriedActivity, retriedStep} {
		m.retries.WithLabelValues(what)
	}
	for _, op := range lcm.SupportedOperations() { // an alert sees a first increase only if the series exists before
		for _, result := range []lcm.OperationState{lcm.Completed, lcm.FailedTemp, lcm.Failed, lcm.RolledBack} {
			m.results.WithLabelValues(string(op), string(result))
		}
	}
	reg.MustRegister(m.results, m.seconds, m.steps, m.retries, m.lag, m.delivery)
	return m
}

const (
	retriedActivity = "activity"
	retriedStep     = "step"
)

// Entered counts a state that an operation has come to; the states that it only passes count for nothing.
func (m *OperationMetrics) Entered(op lcm.Operation, state lcm.OperationState) {
	if m != nil && (state.Terminal() || state == lcm.FailedTemp) {
		m.results.WithLabelValues(string(op), string(state)).Inc()
	}
}

// Ended tells how long an operation took.
func (m *OperationMetrics) Ended(op lcm.Operation, state lcm.OperationState, took time.Duration) {
	if m != nil {
		m.seconds.WithLabelValues(string(op), string(state)).Observe(took.Seconds())
	}
}

// Step tells how long an attempt of a step took.
func (m *OperationMetrics) Step(title string, state lcm.StepState, took time.Duration) {
	if m != nil {
		m.steps.WithLabelValues(title, string(state)).Observe(took.Seconds())
	}
}

// StepRetried counts a step that begins again.
func (m *OperationMetrics) StepRetried() {
	if m != nil {
		m.retries.WithLabelValues(retriedStep).Inc()
	}
}

// Activity counts an attempt of an activity that waited so long for a worker.
func (m *OperationMetrics) Activity(attempt int32, waited time.Duration) {
	switch {
	case m == nil:
	case attempt > 1:
		m.retries.WithLabelValues(retriedActivity).Inc()
	default:
		m.lag.Observe(max(0, waited.Seconds()))
	}
}

// Delivered counts an attempt to deliver a notification.
func (m *OperationMetrics) Delivered(err error) {
	result := "delivered"
	if err != nil {
		result = "failed"
	}
	if m != nil {
		m.delivery.WithLabelValues(result).Inc()
	}
}

// Load is the pending work of all of Windlass.
type Load struct {
	// InFlight are the operations that have not ended, by kind and state.
	InFlight map[lcm.Operation]map[lcm.OperationState]int
	// Slow is the number of operations at work that take much longer than usual.
	Slow map[lcm.Operation]int
	// Notifications is the number of undelivered notifications; the oldest waits since Oldest.
	Notifications int
	Oldest        time.Duration
}

type load struct {
	read                              func(context.Context) (Load, error)
	inFlight, slow, waiting, waitedBy *prometheus.Desc
}

// RegisterLoad registers gauges of the pending work. read asks the database for it at every scrape, so every API server
// reports the same numbers.
func RegisterLoad(reg prometheus.Registerer, read func(context.Context) (Load, error)) {
	reg.MustRegister(&load{
		read,
		prometheus.NewDesc("windlass_operations_in_flight", "Operations that have not ended, by kind and state.",
			[]string{"operation", "state"}, nil),
		prometheus.NewDesc("windlass_operations_slow", "Operations at work that take much longer than usual, by kind.",
			[]string{"operation"}, nil),
		prometheus.NewDesc("windlass_notifications_waiting", "Notifications that wait to be delivered.", nil, nil),
		prometheus.NewDesc("windlass_notifications_oldest_seconds", "How long the oldest of them has waited.", nil, nil),
	})
}

// Describe implements prometheus.Collector.
func (l *load) Describe(to chan<- *prometheus.Desc) {
	to <- l.inFlight
	to <- l.slow
	to <- l.waiting
	to <- l.waitedBy
}

// Collect implements prometheus.Collector. Every kind and state has a value, so that an alert sees it go back to 0.
// None has a value while the database is away.
func (l *load) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapePatience)
	defer cancel()
	now, err := l.read(ctx)
	if err != nil {
		return
	}
	for _, op := range lcm.SupportedOperations() {
		to <- prometheus.MustNewConstMetric(l.slow, prometheus.GaugeValue, float64(now.Slow[op]), string(op))
		for _, state := range lcm.OperationStates {
			if !state.Terminal() {
				to <- prometheus.MustNewConstMetric(l.inFlight, prometheus.GaugeValue, float64(now.InFlight[op][state]), string(op),
					string(state))
			}
		}
	}
	to <- prometheus.MustNewConstMetric(l.waiting, prometheus.GaugeValue, float64(now.Notifications))
	to <- prometheus.MustNewConstMetric(l.waitedBy, prometheus.GaugeValue, now.Oldest.Seconds())
}
