// Package extensions is what Windlass adds to the standard below /windlass/v1: the steps of operations with their
// output and events, drift, host keys, who did what.
package extensions

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// Handler serves the extensions.
type Handler struct {
	*rest.Backend
	Checks DriftChecks
	// Clusters makes kubeconfigs.
	Clusters Clusters
	// Tracing tells whether traces are made.
	Tracing *telemetry.Tracing
	// Streams ends when the server shuts down: event streams must not hold it up.
	Streams context.Context
	// Heartbeat is how often a silent event stream shows that it lives.
	Heartbeat time.Duration
	// Version is the program's.
	Version string
}

// DriftChecks is the way from here to the checks for drift.
type DriftChecks interface {
	// ScheduleChecks has the instance checked every so many seconds, from now on and instead of what was scheduled
	// before; 0 ends the schedule. It may be called again with the same interval.
	ScheduleChecks(ctx context.Context, id lcm.VnfInstanceID, interval int) error
	// CheckNow begins a check and returns its id.
	CheckNow(ctx context.Context, id lcm.VnfInstanceID) (string, error)
	// Notify has the instance checked because somebody tells that a server is out of order.
	Notify(ctx context.Context, id lcm.VnfInstanceID, serverID string) error
}
