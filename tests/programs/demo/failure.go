package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// failed says which step failed, where and why, and what the user can do.
func (d *demo) failed(ctx context.Context, id string) error {
	steps, err := d.steps(ctx, id)
	if err != nil {
		return err
	}
	op, err := query[operation](ctx, d, "op", "show", id)
	if err != nil {
		return err
	}
	if err := d.writeJSON(steps, op, 0, len(nodesOf(steps))); err != nil {
		return err
	}
	var b strings.Builder
	last := 0
	for _, s := range failures(steps) {
		last = s.Index
		sentence := s.Error.Detail
		if s.Node != "" && !strings.HasPrefix(sentence, s.Node) {
			sentence = s.Node + ": " + sentence
		}
		fmt.Fprintf(&b, "  step %d, %s\n    %s\n", s.Index, s.Title, sentence)
	}
	return fmt.Errorf(`the operation is %s.
%sMend the cause and go on with:
  %s
Output of the step: %s
Logs:               %s
Take all down with: go tool task demo -- --exit%s`,
		op.State, b.String(), d.line("op", "retry", id, "--watch"), d.line("op", "logs", id, "--step", strconv.Itoa(last)),
		d.Dir, d.flags())
}

// failures returns the failed steps. For a step that failed on a node, it returns only the node's part.
func failures(steps []step) []step {
	failed := slices.DeleteFunc(slices.Clone(steps),
		func(s step) bool { return s.State != lcm.StepFailed || s.Error == nil })
	return slices.DeleteFunc(slices.Clone(failed), func(s step) bool {
		return s.Node == "" && slices.ContainsFunc(failed, func(o step) bool { return o.Index == s.Index && o.Node != "" })
	})
}

func nodesOf(steps []step) []string {
	var names []string
	for _, s := range steps {
		if s.Node != "" && !slices.Contains(names, s.Node) {
			names = append(names, s.Node)
		}
	}
	return names
}
