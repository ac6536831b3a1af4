package hot

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Config is what an Engine needs.
type Config struct {
	Store *state.Store
	Cloud Resources
	Now   func() time.Time // default time.Now
	Log   *slog.Logger
	// AlarmURL and SignalURL make the URLs that clients call to signal a resource.
	AlarmURL, SignalURL func(st Stack, resource string) string
	// Fault may refuse an action on a resource; nil refuses none. The engine calls it before it changes the
	// cloud; the record of an update is then already UPDATE_IN_PROGRESS.
	Fault func(st Stack, r Resource, action string) error
}

// Engine runs stacks. Actions run in the background; their state is in the store.
type Engine struct {
	cfg   Config
	store *state.Store
	cloud Resources

	mu      sync.Mutex
	running map[*run]struct{}
	closed  bool
	wg      sync.WaitGroup
	locks   sync.Map // root stack id -> *sync.Mutex
}

// lock serialises the requests on one tree of stacks.
func (e *Engine) lock(rootID string) (unlock func()) {
	mu, _ := e.locks.LoadOrStore(rootID, new(sync.Mutex))
	mu.(*sync.Mutex).Lock()
	return mu.(*sync.Mutex).Unlock
}

// run is an action under way on a stack and its nested stacks.
type run struct {
	stackID, rootID string
	cancel          context.CancelCauseFunc
	halted          atomic.Bool // nothing new may begin; see CancelStack
	done            chan struct{}
}

// New makes an Engine; Recover resumes the unfinished actions of an earlier one.
func New(cfg Config) *Engine {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Engine{cfg: cfg, store: cfg.Store, cloud: cfg.Cloud, running: map[*run]struct{}{}}
}

func (e *Engine) now() time.Time { return e.cfg.Now().UTC() }

func (e *Engine) fault(st Stack, r Resource, action string) error {
	if e.cfg.Fault == nil {
		return nil
	}
	return e.cfg.Fault(st, r, action)
}

// defaultTimeout is Heat's stack_action_timeout.
const defaultTimeout = time.Hour

// start runs f in the background as the only action on its stack. It first cancels an action that is under way on the
// stack, on a nested stack or, if the stack is nested, on a stack above. f continues where that action stopped.
func (e *Engine) start(st Stack, f func(ctx context.Context) error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &run{stackID: st.ID, rootID: st.RootID, cancel: cancel, done: make(chan struct{})}
	ctx = context.WithValue(ctx, runKey{}, r)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		cancel(errStopped)
		return
	}
	var before []*run
	for other := range e.running {
		if other.stackID == st.ID || other.rootID == st.RootID && !st.Nested() {
			before = append(before, other)
			other.cancel(errSuperseded)
		}
	}
	e.running[r] = struct{}{}
	e.wg.Go(func() {
		defer func() {
			e.mu.Lock()
			delete(e.running, r)
			e.mu.Unlock()
			cancel(nil)
			close(r.done)
		}()
		for _, other := range before {
			<-other.done
		}
		if ctx.Err() != nil {
			return
		}
		e.bounded(ctx, st, f)
	})
}

func (e *Engine) bounded(ctx context.Context, st Stack, f func(ctx context.Context) error) {
	limit := defaultTimeout
	if st.TimeoutMins > 0 {
		limit = time.Duration(st.TimeoutMins) * time.Minute
	}
	if st.Action != Delete {
		limit -= e.now().Sub(st.Started)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	if err := f(ctx); err != nil {
		e.cfg.Log.InfoContext(ctx, "stack action ended early", "stack", st.Name, "action", st.Action, "reason", err.Error())
	}
}

// busy reports whether an action is under way on this stack; nested and parent stacks do not count.
func (e *Engine) busy(stackID string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for r := range e.running {
		if r.stackID == stackID {
			return true
		}
	}
	return false
}

// Close interrupts the running actions and waits for them; a later Engine's Recover continues them.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	for r := range e.running {
		r.cancel(errStopped)
	}
	e.mu.Unlock()
	e.wg.Wait()
}

// Recover resumes every action that was under way when an earlier Engine ended.
func (e *Engine) Recover() {
	all := state.LoadAll(e.store, stacks, "")
	byID := map[string]Stack{}
	for _, st := range all {
		byID[st.ID] = st
	}
	for _, st := range all {
		e.giveUp(st)
		if st.Status != InProgress || !st.Deleted.IsZero() || byID[st.ParentID].Status == InProgress {
			continue // the parent's action includes its nested stacks
		}
		e.cfg.Log.Info("resuming stack", "stack", st.Name, "action", st.Action)
		switch st.Action {
		case Delete:
			e.start(st, func(ctx context.Context) error { return e.runDelete(ctx, st) })
		case CheckA:
			e.start(st, func(ctx context.Context) error { return e.runCheck(ctx, st) })
		default:
			e.start(st, func(ctx context.Context) error { return e.runConverge(ctx, st) })
		}
	}
}

// runConverge executes the action in the stack's record.
func (e *Engine) runConverge(ctx context.Context, st Stack) error {
	f, err := e.load(ctx, st)
	if err == nil {
		err = f.converge(ctx, st.Action)
	}
	return e.finish(ctx, st, st.Action, err)
}

func (e *Engine) event(stackID string, r Resource, props map[string]any) error {
	return e.saveEvent(Event{
		StackID: stackID, Resource: r.Name, Type: r.Type, Physical: r.Physical,
		Action: r.Action, Status: r.Status, Reason: r.Reason, Properties: props,
	})
}

func (e *Engine) stackEvent(st Stack) error {
	return e.saveEvent(Event{
		StackID: st.ID, Resource: st.Name, Type: "OS::Heat::Stack", Physical: st.ID,
		Action: st.Action, Status: st.Status, Reason: st.Reason,
	})
}

// saveEvent takes the time within the transaction, so a reader who sees an event sees all earlier events, too.
func (e *Engine) saveEvent(ev Event) error {
	ev.ID = uuid.NewString()
	return e.store.Update(func(tx *state.Tx) error {
		ev.At = e.now()
		return events.Put(tx, fmt.Sprintf("%s/%020d-%s", ev.StackID, ev.At.UnixNano(), ev.ID[:8]), ev)
	})
}
