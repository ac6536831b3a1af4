package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// progress stores steps and their output.
type progress interface {
	RecordStep(ctx context.Context, step lcm.Step) error
	RecordRetry(ctx context.Context, ref lcm.StepRef, activity string, retry *lcm.StepRetry) error
	AppendOutput(ctx context.Context, ref lcm.StepRef, attempt int, lines []string) error
}

// tracker records the work of every activity on one node: when its part of the step started, how it ended and what it
// printed. Of every activity it records how Temporal tries it again. Activities do not know it.
type tracker struct {
	interceptor.WorkerInterceptorBase
	progress progress
	log      *slog.Logger
	attempts int // how often an activity is tried; 0 leaves it to the workflow
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (t *tracker) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	return &trackedActivity{
		ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next},
		tracker:                        t,
	}
}

type trackedActivity struct {
	interceptor.ActivityInboundInterceptorBase
	tracker *tracker
}

// ExecuteActivity implements interceptor.ActivityInboundInterceptor.
func (a *trackedActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	ref, ok := refOf(in.Args)
	if !ok {
		return a.Next.ExecuteActivity(ctx, in)
	}
	t := a.tracker
	row := lcm.Step{
		OpOccID: ref.OpOccID, Index: ref.Step, Phase: lcm.PhaseForward, Node: ref.Node, State: lcm.StepRunning,
		Started: time.Now(),
	}
	if ref.Undo {
		row.Phase = lcm.PhaseCompensation
	}
	info := activity.GetInfo(ctx)
	log := t.log.With("opOccId", ref.OpOccID, "step", ref.Step, "node", ref.Node, "activity", info.ActivityType.Name,
		"attempt", info.Attempt)
	most := t.most(info, in.Args)
	row.Retry = underWay(info, most)
	begun := make(chan struct{})
	go func(row lcm.Step) { // the work need not wait for this record
		defer close(begun)
		t.record(ctx, log, row)
	}(row)
	out := newPrinter(t.progress, ref, log)
	work, cause := activities.KeepCause(context.WithValue(ctx, printerKey{}, out))
	result, err := a.Next.ExecuteActivity(work, in)
	if !patient(in.Args) {
		err = t.lastOf(ctx, int(info.Attempt), err)
	}
	<-begun
	row.State, row.Ended, row.Error = stateOf(err), time.Now(), errorOf(err)
	row.Retry = retryAfter(info, most, err, row.Ended)
	if row.Retry != nil && row.Retry.Error != nil {
		out.print(fmt.Sprintf("Attempt %d: %s", info.Attempt, row.Retry.Error.Headline()))
	}
	out.close()
	t.record(ctx, log, row)
	if err != nil {
		if *cause != "" {
			log = log.With("cause", *cause)
		}
		log.WarnContext(ctx, "Activity failed.", "error", err, "took", row.Ended.Sub(row.Started).Round(time.Millisecond).String())
	} else {
		log.InfoContext(ctx, "Activity done.", "took", row.Ended.Sub(row.Started).Round(time.Millisecond).String())
	}
	return result, err
}

// lastOf ends the attempts of an activity after a number of them, earlier than its workflow would. An activity that a
// stopping worker has interrupted goes on in another worker, whatever the number.
func (t *tracker) lastOf(ctx context.Context, attempt int, err error) error {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.NonRetryable() || t.attempts == 0 || attempt < t.attempts ||
		errors.Is(context.Cause(ctx), sdkworker.ErrWorkerShutdown) {
		return err
	}
	var e lcm.Error
	if !app.HasDetails() || app.Details(&e) != nil {
		return err
	}
	return temporal.NewNonRetryableApplicationError(app.Message(), app.Type(), nil, e)
}

// record stores the row of a node's part. The workflow stores the row of the whole step; record adds to it how an
// activity for the whole step is tried again. An activity that succeeds at once has nothing to add.
func (t *tracker) record(ctx context.Context, log *slog.Logger, row lcm.Step) {
	info := activity.GetInfo(ctx)
	if row.Node == "" && row.Retry == nil && info.Attempt <= 1 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	var err error
	if row.Node == "" {
		ref := lcm.StepRef{OpOccID: row.OpOccID, Step: row.Index, Undo: row.Phase == lcm.PhaseCompensation}
		err = t.progress.RecordRetry(ctx, ref, info.ActivityID, row.Retry)
	} else {
		err = t.progress.RecordStep(ctx, row)
	}
	if err != nil { // progress must not fail the work
		log.WarnContext(ctx, "Step not recorded.", "error", err)
	}
}

func refOf(args []any) (lcm.StepRef, bool) {
	if len(args) == 0 {
		return lcm.StepRef{}, false
	}
	tracked, ok := args[0].(interface{ StepRef() lcm.StepRef })
	if !ok {
		return lcm.StepRef{}, false
	}
	return tracked.StepRef(), true
}

// patient tells whether the workflow alone decides how long to retry an activity.
func patient(args []any) bool {
	p, ok := args[0].(interface{ Patient() bool }) // refOf has found it
	return ok && p.Patient()
}

func stateOf(err error) lcm.StepState {
	switch {
	case err == nil:
		return lcm.StepDone
	case temporal.IsCanceledError(err) || errors.Is(err, context.Canceled):
		return lcm.StepCancelled
	default:
		return lcm.StepFailed
	}
}

func errorOf(err error) *lcm.Error {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		var e lcm.Error
		if app.HasDetails() && app.Details(&e) == nil {
			e.Err = nil // the cause is for the log only
			return &e
		}
	}
	if err == nil || stateOf(err) == lcm.StepCancelled {
		return nil
	}
	return lcm.Errorf(lcm.KindBug, "%s", err)
}

// currentAttempt lets the store find the number of the attempt: the store also counts a person's retries.
const currentAttempt = 0

type printerKey struct{}

// printer stores the lines of one activity in batches.
type printer struct {
	progress progress
	ref      lcm.StepRef
	log      *slog.Logger
	mu       sync.Mutex
	lines    []string
	size     int // of all lines so far
	wake     chan struct{}
	done     chan struct{}
}

// batchEvery is how long a line may wait. It is short enough to look live. It is long enough that a chatty step makes a
// few writes a second and not a thousand.
const batchEvery = 300 * time.Millisecond

func newPrinter(p progress, ref lcm.StepRef, log *slog.Logger) *printer {
	return &printer{progress: p, ref: ref, log: log}
}

// print takes a line; the first line starts the writer. Lines beyond the step's limit do not wait here either: VMs may
// print faster than the database writes, and without end. The first line too many makes the store say so.
func (p *printer) print(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size > lcm.MaxStepOutput {
		return
	}
	p.size += lcm.OutputSize(line)
	p.lines = append(p.lines, line)
	if p.wake == nil {
		p.wake, p.done = make(chan struct{}), make(chan struct{})
		go p.write()
	}
}

func (p *printer) write() {
	defer close(p.done)
	tick := time.NewTicker(batchEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.wake:
			p.flush()
			return
		case <-tick.C:
			p.flush()
		}
	}
}

func (p *printer) flush() {
	p.mu.Lock()
	lines := p.lines
	p.lines = nil
	p.mu.Unlock()
	if len(lines) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := p.progress.AppendOutput(ctx, p.ref, currentAttempt, lines); err != nil {
		p.log.WarnContext(ctx, "Output not kept.", "lines", len(lines), "error", err)
	}
}

// close writes the remaining lines.
func (p *printer) close() {
	p.mu.Lock()
	wake := p.wake
	p.mu.Unlock()
	if wake != nil {
		close(wake)
		<-p.done
	}
}

// lines implements activities.Output with the printer of the current activity.
type lines struct{}

// Lines implements activities.Output.
func (lines) Lines(ctx context.Context, _ lcm.StepRef) func(string) {
	if p, ok := ctx.Value(printerKey{}).(*printer); ok {
		return p.print
	}
	return func(string) {}
}
