package apiserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/windlass-nfv/windlass/apiserver/extensions"
	"github.com/windlass-nfv/windlass/apiserver/vnflcm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// Reconciler makes operations and workflows agree again. It starts an operation that was recorded but not started
// (after a crash between the two), and an operation whose workflow somebody terminated in Temporal. It also settles the
// schedules of checks for drift. Several may run at once: a workflow has its operation's id, so the second start finds
// the first workflow.
type Reconciler struct {
	Store   *store.Store
	Starter vnflcm.Starter
	Watcher Watcher
	// Checks schedules checks as the policies say; nil schedules none.
	Checks extensions.DriftChecks
	Log    *slog.Logger
	// Every is the pace; StartAfter is how long the API server has for starting an operation itself.
	Every, StartAfter time.Duration

	restarts restarts
}

// Reconciler makes the server's reconciler.
func (s *Server) Reconciler() *Reconciler {
	return &Reconciler{
		Store: s.Store, Starter: s.Starter, Watcher: s.Watcher, Checks: s.Checks, Log: s.log, Every: s.ReconcileEvery,
		StartAfter: s.StartAfter,
	}
}

// Run reconciles until ctx ends.
func (r *Reconciler) Run(ctx context.Context) error {
	tick := time.NewTicker(r.Every)
	defer tick.Stop()
	for {
		if err := r.Once(ctx); err != nil && ctx.Err() == nil {
			r.Log.WarnContext(ctx, "Not everything was reconciled; the reconciler continues at its next run",
				"error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Once looks at every open operation one time. A failure for one operation does not stop the others.
func (r *Reconciler) Once(ctx context.Context) error {
	unstarted, err := r.Store.UnstartedOperations(ctx, r.StartAfter)
	if err != nil {
		return err
	}
	var errs []error
	failed := map[lcm.OpOccID]bool{}
	for _, o := range unstarted {
		if err := r.start(ctx, o, o.Input()); err != nil {
			errs, failed[o.ID] = append(errs, aboutOperation(o, err)), true
		}
	}
	open, err := r.Store.OpenOperations(ctx)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	are := map[lcm.OpOccID]bool{}
	for _, o := range open {
		are[o.ID] = true
	}
	r.restarts.keep(are)
	for _, o := range open {
		if o.Sequence == 0 && time.Since(o.StartTime) < r.StartAfter || failed[o.ID] {
			continue // it is just being started, or was tried above
		}
		if err := r.resume(lcm.InProject(ctx, o.ProjectID), o.ID); err != nil {
			errs = append(errs, aboutOperation(o, err))
		}
	}
	return errors.Join(append(errs, extensions.SettleSchedules(ctx, r.Store, r.Checks))...)
}

func aboutOperation(o lcm.VnfLcmOpOcc, err error) error {
	return fmt.Errorf("operation %s: %w", o.ID, err)
}

// resume starts an operation anew if its workflow is gone. It reads the row again after it asked Temporal: a workflow
// that ended by itself has recorded a terminal state before.
func (r *Reconciler) resume(ctx context.Context, id lcm.OpOccID) error {
	running, err := r.Watcher.Running(ctx, id)
	if err != nil || running {
		return err
	}
	o, err := r.Store.Operation(ctx, id)
	if err != nil || o.State.Terminal() || !r.restarts.due(id, time.Now()) {
		return err
	}
	if r.restarts == nil {
		r.restarts = restarts{}
	}
	r.restarts.note(id, time.Now(), r.Every)
	in := o.Input()
	in.Resumed = true
	return r.start(ctx, o, in)
}

func (r *Reconciler) start(ctx context.Context, o lcm.VnfLcmOpOcc, in lcm.OperationInput) error {
	ctx = lcm.InProject(ctx, o.ProjectID)
	if parent, err := r.Store.TraceParent(ctx, o.ID); err == nil { // its trace goes on, or it begins a new trace
		ctx = telemetry.WithTraceParent(ctx, parent)
	}
	if err := r.Starter.Start(ctx, in); err != nil {
		return err
	}
	r.Log.InfoContext(ctx, "Operation started by the reconciler", "opOccId", o.ID, "state", o.State, "resumed", in.Resumed)
	return nil
}
