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

// Host is one node with an open login.
type Host interface {
	Run(ctx context.Context, cmd remote.Command) (remote.Result, error)
	Get(ctx context.Context, path string, limit int64) ([]byte, error)
	Put(ctx context.Context, file remote.File) error
	Forget(ctx context.Context, id string) error
	// Settle records only that a command has succeeded, and drops everything else about it.
	Settle(ctx context.Context, id string) error
	Close() error
}

// Secrets opens and keeps sealed values.
type Secrets interface {
	Get(ctx context.Context, ref lcm.SecretRef) (string, error)
	// Ensure returns the value of ref. If there is none, it stores the result of generate. The first stored value wins.
	Ensure(ctx context.Context, ref lcm.SecretRef, generate func() (string, error)) (string, error)
	Put(ctx context.Context, ref lcm.SecretRef, clear string) error
}

// Reach is the activities' access to nodes; Nodes, Cluster and Storage share it.
type Reach struct {
	Hosts   Hosts
	Vnfs    Vnfs
	Secrets Secrets
	Output  Output
	// Defaults are the configured defaults of clusters.
	Defaults k8s.Defaults
	// Poll is the poll interval; 0 is one second.
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
	// parameter is the request parameter that sets limit; "" when there is none.
	parameter string
	// ordinary runs the script as the login user instead of root.
	ordinary bool
	// round distinguishes runs of the same script in one activity.
	round int
	// foreign marks a script from outside Windlass; a second run may do harm. So its success stays on the machine for at
	// least an hour: if a worker dies after the script's end, Temporal has not recorded it, and the next attempt must
	// find it. The output may contain secrets, so Windlass deletes it at once, even after a failure.
	foreign bool
	// heard gets each line of output, including machine-readable lines; nil for none.
	heard func(line string)
}

// command is the task of a script that installs nothing and waits only briefly.
func command(cluster clusterContext, script scripts.Script) task {
	return task{script: script, limit: seconds(cluster.Params.Timeouts.Command), parameter: "timeouts.command"}
}

// briefly is, in seconds, how long such a script waits for something. It is less than the script's own limit, so that
// the script can report what it has waited for.
func briefly(cluster clusterContext) int { return max(1, cluster.Params.Timeouts.Command/3) }

// run runs a script on host as root and returns its results.
//
// The command's id derives from the scheduled activity and is the same in all its attempts. So a worker that takes over
// finds the running script or its result.
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
			// The activity's own error is only the cancellation; the output must still name a script that may still be
			// running.
			show(classify(err).Sentence())
		}
		if j.foreign && !lcm.Is(err, lcm.KindUnavailable) { // it has ended, and no attempt looks for it again
			_ = host.Forget(context.WithoutCancel(ctx), id)
		}
		return scripts.ParseResults(result.Stdout).Hiding(result.Hide), tooSlow(j, err)
	}
	tidy := host.Forget // a failure leaves only a small directory
	if j.foreign {
		tidy = host.Settle
	}
	_ = tidy(ctx, id)
	return scripts.ParseResults(result.Stdout).Hiding(result.Hide), nil
}

// follow makes the context of a command on a node. If the worker stops, or Temporal does not answer its heartbeats, the
// command goes on and another worker follows it. Any other end of ctx kills the command.
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
	e.Detail += "; its output shows where it hangs. If the node is only slow, give a larger " + j.parameter
	return e
}

func commandID(ctx context.Context, j task) string {
	info := activity.GetInfo(ctx)
	// With the run's id, a workflow that was started again does not find its predecessor's commands.
	run := info.WorkflowExecution.RunID
	// A workflow from a Temporal schedule has a time in its id; a file name must not contain its colons.
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

// onAny does something on the first working control plane. After the cluster is made, no control plane is special.
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
		if i == 0 || !errors.Is(err, ErrServerOff) { // prefer the error of a server that may come back
			last = err
		}
	}
	return last
}

// ErrServerOff is in the error chain if the node's server is off or deleted.
var ErrServerOff = errors.New("the server does not run")

// passOver tells whether to skip the node after err, and shows that. A node that was dead before the operation, and
// that is not its target, must not block the operation.
func (r Reach) passOver(ctx context.Context, in NodeInput, wasBroken bool, err error) bool {
	if !wasBroken || !unreachable(ctx, err) {
		return false
	}
	r.Output.Lines(ctx, in.Step)("left as it is, because it did not work before the operation either; heal " +
		"it: " + classify(err).Sentence())
	return true
}

// unreachable tells whether err means that a node does not answer, or that its server is off or deleted.
func unreachable(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && (lcm.Is(err, lcm.KindUnavailable) || errors.Is(err, ErrServerOff))
}

// runOnAny runs one script on the first working control plane; the script is made for that node.
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

// open returns the value of a parameter that may be sealed, "" when the request has none.
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

// pause waits until the next poll; it returns false when ctx has ended.
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

// seconds converts a parameter to a duration.
func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
