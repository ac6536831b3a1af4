package kubernetes

import (
	"net/http"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// clock measures how far the cluster's clock is ahead of the worker's: events have the cluster's times.
type clock struct {
	next  http.RoundTripper
	ahead atomic.Int64 // in nanoseconds; negative when the cluster's clock is behind
}

// RoundTrip implements http.RoundTripper. The Date of an answer has whole seconds, so the measured lead is never larger
// than the true one.
func (c *clock) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if at, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		c.ahead.Store(int64(time.Until(at)))
	}
	return answer, nil
}

// there converts a time of the worker's clock to the cluster's.
func (c *clock) there(t time.Time) time.Time { return t.Add(time.Duration(c.ahead.Load())) }

// isNew reports whether an event was seen after the wait began. Its time has whole seconds.
func (w *waiting) isNew(e corev1.Event) bool {
	return !lastSeen(e).Before(w.cluster.clock.there(w.began).Add(-time.Second))
}
