// Package reach runs scripts on the servers of a VNF: it logs in, follows a command in every attempt of its activity,
// and reports its output.
package reach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/windlass-nfv/windlass/activities"
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

// Runner is the activities' access to nodes; the packages of activities on servers share it.
type Runner struct {
	Hosts   Hosts
	Vnfs    activities.Vnfs
	Secrets Secrets
	Output  activities.Output
	// Defaults are the configured defaults of clusters.
	Defaults k8s.Defaults
	// Poll is the poll interval; 0 is one second.
	Poll time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Task is a script to run on a node, with its secrets.
type Task struct {
	Script scripts.Script
	Stdin  []byte
	Mask   []string
	Limit  time.Duration
	// parameter is the request parameter that sets limit; "" when there is none.
	Parameter string
	// ordinary runs the script as the login user instead of root.
	Ordinary bool
	// round distinguishes runs of the same script in one activity.
	Round int
	// foreign marks a script from outside Windlass; a second run may do harm. So its success stays on the machine for at
	// least an hour: if a worker dies after the script's end, Temporal has not recorded it, and the next attempt must
	// find it. The output may contain secrets, so Windlass deletes it at once, even after a failure.
	Foreign bool
	// heard gets each line of output, including machine-readable lines; nil for none.
	Heard func(line string)
}

// Command is the task of a script that installs nothing and waits only briefly.
func Command(cluster ClusterContext, script scripts.Script) Task {
	return Task{Script: script, Limit: Seconds(cluster.Params.Timeouts.Command), Parameter: "timeouts.command"}
}

// Briefly is, in seconds, how long such a script waits for something. It is less than the script's own limit, so that
// the script can report what it has waited for.
func Briefly(cluster ClusterContext) int { return max(1, cluster.Params.Timeouts.Command/3) }

// Run runs a script on host as root and returns its results.
//
// The command's id derives from the scheduled activity and is the same in all its attempts. So a worker that takes over
// finds the running script or its result.
func (r Runner) Run(ctx context.Context, host Host, step lcm.StepRef, j Task) (scripts.Results, error) {
	text, err := j.Script.Render()
	if err != nil {
		return scripts.Results{}, lcm.Wrap(lcm.KindBug, err, "Windlass could not write the script %s.", j.Script.Name())
	}
	id := CommandID(ctx, j)
	show := r.Output.Lines(ctx, step)
	following, leave := follow(ctx)
	defer leave()
	result, err := host.Run(following, remote.Command{
		ID: id, Script: text, Stdin: j.Stdin, Sudo: !j.Ordinary, Deadline: j.Limit, Mask: j.Mask,
		Output: func(line string) {
			if j.Heard != nil {
				j.Heard(line)
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
			show(activities.Classify(err).Sentence())
		}
		if j.Foreign && !lcm.Is(err, lcm.KindUnavailable) { // it has ended, and no attempt looks for it again
			_ = host.Forget(context.WithoutCancel(ctx), id)
		}
		return scripts.ParseResults(result.Stdout).Hiding(result.Hide), tooSlow(j, err)
	}
	tidy := host.Forget // a failure leaves only a small directory
	if j.Foreign {
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
		case activities.Stopping(ctx), activities.Unheard(ctx):
			cancel(remote.ErrDetach)
		case !errors.Is(ctx.Err(), context.DeadlineExceeded): // command has this deadline itself
			cancel(context.Cause(ctx))
		}
	})
	return command, func() { stop(); free() }
}

// tooSlow names the parameter that gives a script more time.
func tooSlow(j Task, err error) error {
	if j.Parameter == "" || !errors.Is(err, remote.ErrDeadline) {
		return err
	}
	e := activities.Classify(err)
	e.Detail += "; its output shows where it hangs. If the node is only slow, give a larger " + j.Parameter
	return e
}

// CommandID is the id of a command of an activity, the same in all its attempts.
func CommandID(ctx context.Context, j Task) string {
	info := activity.GetInfo(ctx)
	// With the run's id, a workflow that was started again does not find its predecessor's commands.
	run := info.WorkflowExecution.RunID
	// A workflow from a Temporal schedule has a time in its id; a file name must not contain its colons.
	workflow := strings.ReplaceAll(info.WorkflowExecution.ID, ":", "")
	id := fmt.Sprintf("%s-%.8s-%s-%s", workflow, run, info.ActivityID, j.Script.Name())
	if j.Round > 0 {
		id += fmt.Sprintf("-%d", j.Round)
	}
	return id
}

// RunOn logs in to one node and runs one script there.
func (r Runner) RunOn(ctx context.Context, in NodeInput, j Task) (scripts.Results, error) {
	host, err := r.Hosts.Dial(ctx, in.OpOccID, in.Node)
	if err != nil {
		return scripts.Results{}, err
	}
	defer func() { _ = host.Close() }()
	return r.Run(ctx, host, in.Step, j)
}

// OnAny does something on the first working control plane. After the cluster is made, no control plane is special.
func (r Runner) OnAny(
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

// PassOver tells whether to skip the node after err, and shows that. A node that was dead before the operation, and
// that is not its target, must not block the operation.
func (r Runner) PassOver(ctx context.Context, in NodeInput, wasBroken bool, err error) bool {
	if !wasBroken || !Unreachable(ctx, err) {
		return false
	}
	r.Output.Lines(ctx, in.Step)("left as it is, because it did not work before the operation either; heal " +
		"it: " + activities.Classify(err).Sentence())
	return true
}

// Unreachable tells whether err means that a node does not answer, or that its server is off or deleted.
func Unreachable(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && (lcm.Is(err, lcm.KindUnavailable) || errors.Is(err, ErrServerOff))
}

// RunOnAny runs one script on the first working control plane; the script is made for that node.
func (r Runner) RunOnAny(
	ctx context.Context, in ClusterInput, make func(ClusterContext, scripts.Member) Task,
) (scripts.Results, error) {
	cluster, err := r.Cluster(ctx, in.OpOccID)
	if err != nil {
		return scripts.Results{}, err
	}
	var results scripts.Results
	err = r.OnAny(ctx, in.OpOccID, in.ControlPlanes, func(host Host, node lcm.Node) error {
		var err error
		results, err = r.Run(ctx, host, in.Step, make(cluster, MemberOf(cluster, node)))
		return err
	})
	return results, err
}

// Open returns the value of a parameter that may be sealed, "" when the request has none.
func (r Runner) Open(ctx context.Context, s lcm.Secret) (string, error) {
	if s.Ref == "" {
		return s.Clear, nil
	}
	return r.Secrets.Get(ctx, s.Ref)
}

// MemberOf describes a node of the cluster for scripts.
func MemberOf(cluster ClusterContext, node lcm.Node) scripts.Member {
	return scripts.Member{
		Cluster: string(cluster.Instance.ID), Node: node.Name, Address: node.Address,
		ControlPlane: node.Role == lcm.ControlPlane,
	}
}

// Time is the time of the clock.
func (r Runner) Time() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

// Pause waits until the next poll; it returns false when ctx has ended.
func (r Runner) Pause(ctx context.Context) bool {
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

// Seconds converts a parameter to a duration.
func Seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// Slack adds time to a script's own limit: the script first removes the rest of an earlier try, and then waits for what
// it has started.
func Slack(limit int) time.Duration { return Seconds(limit) + 10*time.Minute }

// Fields are the parts of a line that a script separates by bars, at least that many.
func Fields(line string, count int) []string {
	f := strings.SplitN(line, "|", count)
	return append(f, slices.Repeat([]string{""}, count-len(f))...)
}

// MaxFile is far above the size of the files that Windlass reads.
const MaxFile = 1 << 20

// BriefDial limits the login to a node that may be dead.
const BriefDial = 20 * time.Second
