package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

// Hosts logs in to nodes.
type Hosts interface {
	Dial(ctx context.Context, id lcm.OpOccID, node lcm.Node) (Host, error)
}

// Host is one node that one is logged in to.
type Host interface {
	Run(ctx context.Context, cmd remote.Command) (remote.Result, error)
	Get(ctx context.Context, path string, limit int64) ([]byte, error)
	Put(ctx context.Context, file remote.File) error
	Forget(ctx context.Context, id string) error
	// Settle keeps that a command has succeeded, and nothing else of it.
	Settle(ctx context.Context, id string) error
	Close() error
}

// Secrets opens and keeps sealed values.
type Secrets interface {
	Get(ctx context.Context, ref lcm.SecretRef) (string, error)
	// Ensure returns the value of ref; without one it keeps what generate returns. The first one wins.
	Ensure(ctx context.Context, ref lcm.SecretRef, generate func() (string, error)) (string, error)
	Put(ctx context.Context, ref lcm.SecretRef, clear string) error
}

// Reach is how activities get at nodes; Nodes, Cluster and Storage share it.
type Reach struct {
	Hosts   Hosts
	Vnfs    Vnfs
	Secrets Secrets
	Output  Output
	// Defaults are what the configuration gives clusters.
	Defaults k8s.Defaults
	// Poll is the pause between two looks; 0 is one second.
	Poll time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// task is a script to run on a node, with its secrets.
type task struct {
	script scripts.Script
	stdin  []byte
	mask   []string
	limit  time.Duration
	// parameter of the request sets limit; "" when nothing does.
	parameter string
	// ordinary runs it as the login user instead of root.
	ordinary bool
	// round tells runs of the same script in one activity apart.
	round int
	// foreign says that somebody else wrote what the script runs, so that a second run may do harm. That it has
	// succeeded stays on the machine for an hour at least: Temporal has not recorded it yet when the script has ended,
	// and a worker that dies just then must find it. Its output, which may have secrets, goes at once, also when it has
	// failed.
	foreign bool
	// heard gets each line, those for programs among them; nil for none.
	heard func(line string)
}

// command is the task of a script that installs nothing and waits for little.
func command(cluster clusterContext, script scripts.Script) task {
	return task{script: script, limit: seconds(cluster.Params.Timeouts.Command), parameter: "timeouts.command"}
}

// briefly is, in seconds, how long such a script waits for something: less than its own limit, so that it says
// itself what it has waited for.
func briefly(cluster clusterContext) int { return max(1, cluster.Params.Timeouts.Command/3) }

// run runs a script on host as root and returns what it found out.
//
// The command's id is that of the scheduled activity, which its retries share: a worker that takes over
// finds the script running, or its result.
func (r Reach) run(ctx context.Context, host Host, step lcm.StepRef, j task) (scripts.Results, error) {
	text, err := j.script.Render()
	if err != nil {
		return scripts.Results{}, lcm.Wrap(lcm.KindBug, err, "Windlass could not write the script %s.", j.script.Name())
	}
	id := commandID(ctx, j)
	show := r.Output.Lines(ctx, step)
	following, leave := follow(ctx)
	defer leave()
	result, err := host.Run(following, remote.Command{
		ID: id, Script: text, Stdin: j.stdin, Sudo: !j.ordinary, Deadline: j.limit, Mask: j.mask,
		Output: func(line string) {
			if j.heard != nil {
				j.heard(line)
			}
			if !strings.HasPrefix(line, scripts.ResultPrefix) {
				show(line)
			}
		},
	})
	if err != nil {
		if _, ok := errors.AsType[*lcm.Error](err); ok && ctx.Err() != nil {
			// The activity's own error is only the cancellation; what may live on must be seen all the same.
			show(classify(err).Sentence())
		}
		if j.foreign && !lcm.Is(err, lcm.KindUnavailable) { // it has ended, and nobody looks for it again
			_ = host.Forget(context.WithoutCancel(ctx), id)
		}
		return scripts.Results{}, tooSlow(j, err)
	}
	tidy := host.Forget // what stays behind if that fails is a small directory
	if j.foreign {
		tidy = host.Settle
	}
	_ = tidy(ctx, id)
	return scripts.ParseResults(result.Stdout).Hiding(result.Hide), nil
}

// follow makes the context of a command on a node. A worker that stops lets it go on, for another worker
// follows it, and so does one that Temporal does not hear; any other end of ctx kills it.
func follow(ctx context.Context) (context.Context, func()) {
	command, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	free := func() { cancel(nil) }
	if end, ok := ctx.Deadline(); ok {
		limited, done := context.WithDeadline(command, end)
		command, free = limited, func() { done(); cancel(nil) }
	}
	stop := context.AfterFunc(ctx, func() {
		switch {
		case stopping(ctx), unheard(ctx):
			cancel(remote.ErrDetach)
		case !errors.Is(ctx.Err(), context.DeadlineExceeded): // command has this deadline itself
			cancel(context.Cause(ctx))
		}
	})
	return command, func() { stop(); free() }
}

// stopping tells whether ctx was cancelled because this worker stops.
func stopping(ctx context.Context) bool {
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), worker.ErrWorkerShutdown)
}

// tooSlow names the parameter that gives a script more time.
func tooSlow(j task, err error) error {
	if j.parameter == "" || !errors.Is(err, remote.ErrDeadline) {
		return err
	}
	e := classify(err)
	e.Detail += "; its output says where it hangs. Where the node is only slow, give a larger " + j.parameter
	return e
}

func commandID(ctx context.Context, j task) string {
	info := activity.GetInfo(ctx)
	// The run's id keeps a workflow that was started anew from finding its predecessor's commands.
	run := info.WorkflowExecution.RunID
	// A workflow that a schedule has started has a time in its id; colons are for no file's name.
	workflow := strings.ReplaceAll(info.WorkflowExecution.ID, ":", "")
	id := fmt.Sprintf("%s-%.8s-%s-%s", workflow, run, info.ActivityID, j.script.Name())
	if j.round > 0 {
		id += fmt.Sprintf("-%d", j.round)
	}
	return id
}

// runOn logs in to one node and runs one script there.
func (r Reach) runOn(ctx context.Context, in NodeInput, j task) (scripts.Results, error) {
	host, err := r.Hosts.Dial(ctx, in.OpOccID, in.Node)
	if err != nil {
		return scripts.Results{}, err
	}
	defer func() { _ = host.Close() }()
	return r.run(ctx, host, in.Step, j)
}

// onAny does something on the first control plane that works: no control plane is special once the
// cluster is made.
func (r Reach) onAny(
	ctx context.Context, id lcm.OpOccID, controlPlanes lcm.Nodes, do func(Host, lcm.Node) error,
) error {
	var last error = lcm.Errorf(lcm.KindBug, "The step knows no control plane.")
	for i, node := range controlPlanes {
		host, err := r.Hosts.Dial(ctx, id, node)
		if err == nil {
			err = do(host, node)
			_ = host.Close()
		}
		if err == nil || ctx.Err() != nil || !lcm.Is(err, lcm.KindUnavailable) && !errors.Is(err, remote.ErrDeadline) &&
			!errors.Is(err, ErrServerOff) {
			return err
		}
		if i == 0 || !errors.Is(err, ErrServerOff) { // of several, one that may come back is worth another try
			last = err
		}
	}
	return last
}

// ErrServerOff is in the chain of the error of a node whose server is off, or gone.
var ErrServerOff = errors.New("the server does not run")

// passOver tells whether a node that err comes from is left as it is, and shows that: a node that was dead before
// the operation began, and that the operation is not about, must not hold it up.
func (r Reach) passOver(ctx context.Context, in NodeInput, wasBroken bool, err error) bool {
	if !wasBroken || !unreachable(ctx, err) {
		return false
	}
	r.Output.Lines(ctx, in.Step)("left as it is, for it did not work before either; heal it: " + classify(err).Sentence())
	return true
}

// unreachable tells whether err says that a node does not answer, or that its server is off or gone.
func unreachable(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && (lcm.Is(err, lcm.KindUnavailable) || errors.Is(err, ErrServerOff))
}

// runOnAny runs one script, made for the control plane that works, there.
func (r Reach) runOnAny(
	ctx context.Context, in ClusterInput, make func(clusterContext, scripts.Member) task,
) (scripts.Results, error) {
	cluster, err := r.cluster(ctx, in.OpOccID)
	if err != nil {
		return scripts.Results{}, err
	}
	var results scripts.Results
	err = r.onAny(ctx, in.OpOccID, in.ControlPlanes, func(host Host, node lcm.Node) error {
		var err error
		results, err = r.run(ctx, host, in.Step, make(cluster, memberOf(cluster, node)))
		return err
	})
	return results, err
}

// open returns the value of a parameter that may be sealed, "" when it was not given.
func (r Reach) open(ctx context.Context, s lcm.Secret) (string, error) {
	if s.Ref == "" {
		return s.Clear, nil
	}
	return r.Secrets.Get(ctx, s.Ref)
}

func memberOf(cluster clusterContext, node lcm.Node) scripts.Member {
	return scripts.Member{
		Cluster: string(cluster.Instance.ID), Node: node.Name, Address: node.Address,
		ControlPlane: node.Role == lcm.ControlPlane,
	}
}

func (r Reach) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

// pause waits between two looks; false when ctx ended.
func (r Reach) pause(ctx context.Context) bool {
	poll := r.Poll
	if poll == 0 {
		poll = time.Second
	}
	timer := time.NewTimer(poll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// seconds makes a duration of a parameter.
func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
