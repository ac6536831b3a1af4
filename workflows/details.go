package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// command is a decision as `windlass op` takes it, and what it is good for.
type command struct {
	purpose string
	action  lcm.Action
}

// nextCommands are the decisions that the operation waits for; none unless it is in FAILED_TEMP.
func (op *operation) nextCommands() []command {
	if op.journal.status.State != lcm.FailedTemp {
		return nil
	}
	mend := command{"Mend the cause and go on with", lcm.Retry}
	undo := command{"Undo what was done with", lcm.Rollback}
	leave := command{"Leave things as they are with", lcm.Fail}
	switch cause := op.journal.status.Error; {
	case !op.in.Operation.CanRollBack() || op.journal.status.ForwardOnly:
		return []command{mend, leave}
	case cause.NeedsRequest(): // a retry of the same fails again
		undo.purpose = "Undo it, correct the request, and send it anew"
		mend.purpose = "Only if the cause is elsewhere, mend it and retry"
		return []command{undo, mend, leave}
	default:
		return []command{mend, undo, leave}
	}
}

// show writes the current details of Temporal's Web UI.
func (op *operation) show(ctx workflow.Context) { workflow.SetCurrentDetails(ctx, op.details()) }

// details are the state, the error, what can be done about it, and the steps, in Markdown.
func (op *operation) details() string {
	j := &op.journal
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**", j.status.State)
	if e := j.status.Error; e != nil {
		fmt.Fprintf(&b, "\n\n> %s", e.Sentence())
	}
	b.WriteString("\n\n")
	if next := op.nextCommands(); len(next) > 0 {
		for _, c := range next {
			fmt.Fprintf(&b, "- %s: `windlass op %s %s`\n", c.purpose, c.action, op.in.OpOccID)
		}
		b.WriteString("\n")
	}
	for _, l := range j.lines {
		fmt.Fprintf(&b, "- %s %s\n", l.mark, l.title)
	}
	return b.String()
}
