package kubernetes

import (
	"net/http"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// clock knows how far the cluster's clock is ahead of the worker's: the times of events are the cluster's.
type clock struct {
	next  http.RoundTripper
	ahead atomic.Int64 // in nanoseconds; that of a clock that is behind is negative
}

// RoundTrip implements http.RoundTripper. Every answer says when it was given, to the second: what it is ahead is never
// taken for more than it is.
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

// there is what a time of the worker's clock is by the cluster's.
func (c *clock) there(t time.Time) time.Time { return t.Add(time.Duration(c.ahead.Load())) }

// isNew tells whether an event was seen since the waiting began. Its time is of whole seconds.
func (w *waiting) isNew(e corev1.Event) bool {
	return !lastSeen(e).Before(w.cluster.clock.there(w.began).Add(-time.Second))
}
