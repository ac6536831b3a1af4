package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// widest bounds how many nodes are worked on at once. Fifty workers still go in one wave, but a very large cluster does
// not open all its connections together.
const widest = 64

type stepKey struct{}

// running is the step under way; it travels in the context of the step's function.
type running struct {
	ref   lcm.StepRef
	title string
	// control ends activities that only wait; nil where nobody can cancel.
	control *control
}

// track makes the part of an activity's input that names its step and its node.
func track(ctx workflow.Context, node string) activities.Tracked {
	ref := ctx.Value(stepKey{}).(*running).ref
	ref.Node = node
	return activities.Tracked{Step: ref}
}

// call runs an activity by its method value and returns its typed result. The summary in the Web UI is
// the step's title with the node.
func call[In interface{ StepRef() lcm.StepRef }, Out any](
	ctx workflow.Context, act func(context.Context, In) (Out, error), in In,
) (Out, error) {
	step := ctx.Value(stepKey{}).(*running)
	title := step.title
	if node := in.StepRef().Node; node != "" {
		title = node + ": " + title
	}
	ctx, over := step.control.endable(ctx)
	defer over()
	var out Out
	err := workflow.ExecuteActivity(withSummary(ctx, title), act, in).Get(ctx, &out)
	return out, err
}

func withSummary(ctx workflow.Context, summary string) workflow.Context {
	opts := workflow.GetActivityOptions(ctx)
	opts.Summary = summary
	return workflow.WithActivityOptions(ctx, opts)
}

// inTurn runs do for one node after another, and stops at the first that fails.
func inTurn(ctx workflow.Context, nodes lcm.Nodes, do func(workflow.Context, lcm.Node) error) error {
	for _, node := range nodes {
		if err := do(ctx, node); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// inParallel runs do for all nodes together. All of them run to their end, so that one report names every node that
// failed.
func inParallel(ctx workflow.Context, nodes lcm.Nodes, do func(workflow.Context, lcm.Node) error) error {
	var work []func(workflow.Context) error
	for _, node := range nodes {
		work = append(work, func(ctx workflow.Context) error { return do(ctx, node) })
	}
	errs := allOf(ctx, work)
	failed, one := failures(errs)
	if len(failed) < 2 {
		return one
	}
	all, said := summary(failed, fmt.Sprintf("%d of %d nodes failed.", len(failed), len(nodes))), causes{}
	for i, err := range errs {
		if err != nil {
			said.add(nodes[i], errorOf(err).Sentence())
		}
	}
	all.Problems = said.problems
	return all
}

// causes collects the errors of nodes. It joins errors that differ only in the node's name at the beginning and in the
// node's addresses in brackets.
type causes struct {
	problems []lcm.Problem
	// same has the text of each problem without names and addresses.
	same []string
}

func (c *causes) add(node lcm.Node, sentence string) {
	detail := strings.TrimPrefix(strings.TrimPrefix(sentence, node.Name+": "), node.Name+" ")
	same := detail
	for _, address := range []string{node.SSHAddress, node.Address} {
		same = strings.ReplaceAll(same, " ("+address+")", "")
	}
	if i := slices.Index(c.same, same); i >= 0 {
		c.problems[i].Path, c.problems[i].Detail = c.problems[i].Path+", "+node.Name, same
		return
	}
	c.problems, c.same = append(c.problems, lcm.Problem{Path: node.Name, Detail: detail}), append(c.same, same)
}

// together runs different functions at once. All of them run to their end, and every failure is reported.
func together(ctx workflow.Context, work ...func(workflow.Context) error) error {
	failed, one := failures(allOf(ctx, work))
	if len(failed) < 2 {
		return one
	}
	var sentences []string
	for _, err := range failed {
		sentences = append(sentences, errorOf(err).Sentence())
	}
	return summary(failed, strings.Join(sentences, " "))
}

// allOf runs the functions of work, at most widest at once, and waits for all. The errors have the positions of their
// functions: replay needs one order.
func allOf(ctx workflow.Context, work []func(workflow.Context) error) []error {
	errs := make([]error, len(work))
	room, all := workflow.NewSemaphore(ctx, widest), workflow.NewWaitGroup(ctx)
	for i, do := range work {
		if err := room.Acquire(ctx, 1); err != nil {
			errs[i] = err
			break
		}
		all.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer all.Done()
			defer room.Release(1)
			errs[i] = do(ctx)
		})
	}
	free, _ := workflow.NewDisconnectedContext(ctx) // a cancelled step still waits for its nodes
	all.Wait(free)
	return errs
}

// failures returns the errors that are not nil. With fewer than two of them, one is the error to report. After a
// cancel, one is the cancel, and failed is empty: the cancel is why the step ended, whatever else went wrong before.
func failures(errs []error) (failed []error, one error) {
	for _, err := range errs {
		if err != nil && isCancelled(err) {
			return nil, err
		}
		if err != nil {
			failed, one = append(failed, err), err
		}
	}
	return failed, one
}

// summary makes one error of several. It has the kind of the first. If one needs another request, so do all together.
func summary(failed []error, detail string) *lcm.Error {
	cause := errorOf(failed[0])
	return &lcm.Error{
		Kind: cause.Kind, Op: cause.Op, Detail: detail,
		OtherRequest: slices.ContainsFunc(failed, func(err error) bool { return errorOf(err).NeedsRequest() }),
	}
}

func isCancelled(err error) bool {
	return temporal.IsCanceledError(err) || errors.Is(err, workflow.ErrCanceled)
}

// unanswered tells whether a script or a playbook did not run because nobody answered, so that the operation may pass
// it over. Windlass does not by itself run again what ran and failed. Operations of former releases do.
func unanswered(ctx workflow.Context, err error) bool {
	const change = "failed-foreign-work-is-not-run-again"
	if err == nil || isCancelled(err) {
		return false
	}
	return workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) == workflow.DefaultVersion ||
		errorOf(err).Kind == lcm.KindUnavailable
}

// errorOf finds the lcm.Error that an activity returned through Temporal.
func errorOf(err error) *lcm.Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return e
	}
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		var e lcm.Error
		if app.HasDetails() && app.Details(&e) == nil && e.Detail != "" {
			return &e
		}
		return lcm.Errorf(lcm.ErrorKind(app.Type()), "%s", app.Message())
	}
	if timeout, ok := errors.AsType[*temporal.TimeoutError](err); ok {
		return lcm.Errorf(lcm.KindUnavailable,
			"The step did not end in time (%s): no worker reported in, or the other side hangs. "+
				"See that a worker runs, then retry.", timeout.TimeoutType())
	}
	return lcm.Errorf(lcm.KindBug, "%s", err)
}
