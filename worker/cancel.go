package worker

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// canceller brings a FORCEFUL cancel to the activities of an operation at once. Temporal brings it too, but only with
// the answer to an activity's next heartbeat, and a worker with a thousand activities sends a heartbeat of each one
// every 14 seconds. So when the database tells of a cancel, the canceller sends a heartbeat of its own. It has no details,
// as all heartbeats of Windlass: details would be lost.
type canceller struct {
	interceptor.WorkerInterceptorBase
	temporal beats

	mu      sync.Mutex
	running map[lcm.OpOccID]map[*runningActivity]struct{}
}

// beats are the calls of Temporal's client that a canceller needs.
type beats interface {
	RecordActivityHeartbeat(ctx context.Context, taskToken []byte, details ...any) error
	CompleteActivity(ctx context.Context, taskToken []byte, result any, err error) error
}

var _ beats = client.Client(nil)

// runningActivity is an activity that runs in this process.
type runningActivity struct {
	token  []byte
	ctx    context.Context // ends with the activity
	cancel context.CancelCauseFunc
}

func newCanceller(temporal beats) *canceller {
	return &canceller{temporal: temporal, running: map[lcm.OpOccID]map[*runningActivity]struct{}{}}
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (c *canceller) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	return &cancellableActivity{
		ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next},
		canceller:                      c,
	}
}

type cancellableActivity struct {
	interceptor.ActivityInboundInterceptorBase
	canceller *canceller
}

// ExecuteActivity implements interceptor.ActivityInboundInterceptor.
func (a *cancellableActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	id, isOperation := lcm.OperationOfWorkflow(info.WorkflowExecution.ID)
	if info.IsLocalActivity || !isOperation {
		return a.Next.ExecuteActivity(ctx, in)
	}
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	leave := a.canceller.join(id, &runningActivity{token: info.TaskToken, ctx: work, cancel: cancel})
	result, err := a.Next.ExecuteActivity(work, in)
	leave()
	if err == nil || ctx.Err() != nil || !temporal.IsCanceledError(context.Cause(work)) || stateOf(err) != lcm.StepCancelled {
		return result, err
	}
	return a.canceller.tell(ctx, info.TaskToken, result, err)
}

// tell reports that an activity was cancelled. The SDK does not know of a cancel that its own heartbeats have not
// brought, and would report a failure.
func (c *canceller) tell(ctx context.Context, token []byte, result any, err error) (any, error) {
	if c.temporal.CompleteActivity(ctx, token, nil, temporal.NewCanceledError()) != nil {
		return result, err
	}
	return nil, activity.ErrResultPending // the SDK reports nothing
}

func (c *canceller) join(id lcm.OpOccID, a *runningActivity) (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[id] == nil {
		c.running[id] = map[*runningActivity]struct{}{}
	}
	c.running[id][a] = struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running[id], a)
		if len(c.running[id]) == 0 {
			delete(c.running, id)
		}
	}
}

// run takes cancels until ctx ends.
func (c *canceller) run(ctx context.Context, cancels <-chan lcm.OpOccID) {
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-cancels:
			c.mu.Lock()
			for _, a := range slices.Collect(maps.Keys(c.running[id])) {
				go c.ask(a)
			}
			c.mu.Unlock()
		}
	}
}

// askFor is how long the canceller asks Temporal whether an activity is cancelled. Later the activity's own heartbeats
// ask.
const askFor = throttle

// ask asks Temporal whether the activity is cancelled, until it is. The cancel is in the database a moment before it is
// in Temporal: the workflow's task that has recorded it must end first.
func (c *canceller) ask(a *runningActivity) {
	const shortest, longest = 10 * time.Millisecond, 200 * time.Millisecond
	ctx, done := context.WithTimeout(a.ctx, askFor)
	defer done()
	for pause := shortest; ; pause = min(2*pause, longest) {
		err := c.temporal.RecordActivityHeartbeat(ctx, a.token)
		if temporal.IsCanceledError(err) {
			a.cancel(err)
			return
		}
		if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
			return
		}
		again := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			again.Stop()
			return
		case <-again.C:
		}
	}
}
