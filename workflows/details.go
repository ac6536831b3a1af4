package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// decisions are the possible answers to FAILED_TEMP; none in any other state.
func (op *operation) decisions() []lcm.Decision {
	status := op.journal.status
	if status.State != lcm.FailedTemp {
		return nil
	}
	return lcm.DecisionsAfter(status.Error, op.in.Operation.CanRollBack() && !status.ForwardOnly)
}

// show writes the current details of Temporal's Web UI.
func (op *operation) show(ctx workflow.Context) { workflow.SetCurrentDetails(ctx, op.details()) }

// details are the state, the error, the possible decisions, and the steps, in Markdown.
func (op *operation) details() string {
	j := &op.journal
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**", j.status.State)
	if e := j.status.Error; e != nil {
		fmt.Fprintf(&b, "\n\n> %s", e.Sentence())
	}
	b.WriteString("\n\n")
	if next := op.decisions(); len(next) > 0 {
		for _, d := range next {
			fmt.Fprintf(&b, "- %s: `windlass op %s %s`\n", d.Purpose, d.Action, op.in.OpOccID)
		}
		b.WriteString("\n")
	}
	for _, l := range j.lines {
		fmt.Fprintf(&b, "- %s %s\n", l.mark, l.title)
	}
	return b.String()
}
