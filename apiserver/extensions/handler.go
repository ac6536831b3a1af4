// Package extensions serves Windlass's additions to the standard, below /windlass/v1: the steps of operations with
// their output and events, drift, host keys, and the audit records.
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

	streams streams
}

// DriftChecks is the way from here to the checks for drift.
type DriftChecks interface {
	// ScheduleChecks schedules checks of the instance every interval seconds, in place of an earlier schedule; 0 ends the
	// schedule. Repeated calls with the same interval are allowed.
	ScheduleChecks(ctx context.Context, id lcm.VnfInstanceID, interval int) error
	// CheckNow begins a check and returns its id.
	CheckNow(ctx context.Context, id lcm.VnfInstanceID) (string, error)
	// Notify starts a check of the instance after a report that a server is out of order.
	Notify(ctx context.Context, id lcm.VnfInstanceID, serverID string) error
}
