package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// Relay starts the workflows that empty the outbox, and those that fetch packages. Every worker has a Relay. A workflow
// has the id of its subscription or package, so a second start finds the first one.
type Relay struct {
	Client client.Client
	Store  *store.Store
	Log    *slog.Logger
	// Limits bound the outbox.
	Limits store.OutboxLimits
}

// trimEvery is how often the limits are applied.
const trimEvery = 10 * time.Minute

// relayEvery is the longest delay of a notification when the database's own signal is lost. It is also the longest time
// until a terminated workflow is replaced.
const relayEvery = 5 * time.Second

// Run relays until ctx ends.
func (r *Relay) Run(ctx context.Context) error {
	tick := time.NewTicker(relayEvery)
	defer tick.Stop()
	trim := time.NewTicker(trimEvery)
	defer trim.Stop()
	for first := true; ; first = false {
		if err := r.Once(ctx); err != nil && ctx.Err() == nil {
			r.Log.WarnContext(ctx, "Notifications wait; Windlass looks at them again at the next tick", "error", err)
		}
		if first {
			r.trim(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-trim.C:
			r.trim(ctx)
		case <-tick.C:
		case <-r.Store.OutboxNews():
		}
	}
}

// trim applies the limits. It tries again later if it cannot.
func (r *Relay) trim(ctx context.Context) {
	buried, forgotten, err := r.Store.TrimOutbox(ctx, r.Limits)
	switch {
	case err != nil && ctx.Err() == nil:
		r.Log.WarnContext(ctx, "The limits of the outbox were not applied", "error", err)
	case buried+forgotten > 0:
		r.Log.WarnContext(ctx, "Subscribers are away for too long; see the dead letters", "givenUp", buried, "forgotten",
			forgotten)
	}
}

// Once starts the workflows that are due now.
func (r *Relay) Once(ctx context.Context) error {
	waiting, err := r.Store.Waiting(ctx)
	if err != nil {
		return err
	}
	packages, err := r.Store.ToFetch(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, id := range waiting {
		errs = append(errs, r.start(ctx, lcm.DeliverWorkflowID(id), lcm.WorkflowDeliver,
			lcm.DeliverInput{SubscriptionID: id}))
	}
	for _, id := range packages {
		errs = append(errs, r.start(ctx, lcm.FetchWorkflowID(id), lcm.WorkflowFetch, lcm.FetchInput{VnfPkgID: id}))
	}
	return errors.Join(errs...)
}

func (r *Relay) start(ctx context.Context, id string, name lcm.WorkflowName, in any) error {
	ctx, cancel := context.WithTimeout(ctx, relayEvery)
	defer cancel()
	_, err := r.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: lcm.TaskQueue, WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, string(name), in)
	if err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "Temporal did not start %s.", id)
	}
	return nil
}

// sender sends a delivery to its subscriber.
type sender struct {
	store       *store.Store
	vault       *secrets.Vault
	subscribers *nfvo.Subscribers
	tracing     *telemetry.Tracing
	metrics     *telemetry.OperationMetrics
}

// send sends a delivery, and records it in the trace of the notification's operation.
func (s *sender) send(ctx context.Context, d lcm.Delivery) (err error) {
	if s.tracing.On() && d.Event.OpOccID != "" {
		if parent, unknown := s.store.TraceParent(ctx, d.Event.OpOccID); unknown == nil && parent != "" {
			var span trace.Span
			ctx, span = s.tracing.Start(telemetry.WithTraceParent(ctx, parent), "Notify "+string(d.Event.Type),
				trace.WithAttributes(telemetry.AttrOpOcc.String(string(d.Event.OpOccID)),
					telemetry.AttrState.String(string(d.Event.State))))
			defer func() { telemetry.End(span, err) }()
		}
	}
	defer func() { s.metrics.Delivered(err) }()
	return s.deliver(ctx, d)
}

func (s *sender) deliver(ctx context.Context, d lcm.Delivery) error {
	sub, err := s.store.Subscription(ctx, d.SubscriptionID)
	if lcm.Is(err, lcm.KindNotFound) {
		return nil // deleted meanwhile, and the delivery with it
	}
	if err != nil {
		return err
	}
	auth, err := secrets.OpenDocument(ctx, s.vault, sub.Authentication)
	if err != nil {
		return err
	}
	to, err := nfvo.SubscriberOf(sub, auth)
	if err != nil {
		return err
	}
	return s.subscribers.Notify(ctx, to, sub, d.Event)
}
