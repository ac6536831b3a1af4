package script

import (
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Side is the beginning or the end of an operation, or of its rollback.
type Side string

// The sides: the ends of the names of hooks.
const (
	Start              = Side(lifecycle.Start)
	End                = Side(lifecycle.End)
	RollbackStart Side = "rollback_start"
	RollbackEnd   Side = "rollback_end"
)

// The steps, by their side of the operation.
const (
	RunAtStart lifecycle.StepID = "run-scripts-at-start"
	RunAtEnd   lifecycle.StepID = "run-scripts-at-end"
	// The scripts of these have scripts for a rollback.
	RevocableAtStart lifecycle.StepID = "run-scripts-at-start-revocably"
	RevocableAtEnd   lifecycle.StepID = "run-scripts-at-end-revocably"

	SkipStart lifecycle.StepID = "skip-scripts-at-start"
	SkipEnd   lifecycle.StepID = "skip-scripts-at-end"
)

// HookOf is the VNFD's hook at a side of an operation; false where the hook has no script.
func HookOf(f *descriptor.Flavour, op lcm.Operation, side Side) (name string, hook descriptor.Hook, ok bool) {
	if f == nil {
		return "", hook, false
	}
	for _, word := range op.Type().Hooks {
		name = word + "_" + string(side)
		if hook = f.Hooks[name]; len(hook.Scripts()) > 0 {
			return name, hook, true
		}
	}
	return "", hook, false
}

// Steps implements lifecycle.VnfDriver. The scripts of each side run once in an operation.
func (*Scripts) Steps(at lifecycle.Hook, f lifecycle.Facts, p lcm.Plan) []lifecycle.Step {
	of, here := lifecycle.SideOf(p.Operation, at)
	if !here {
		return nil
	}
	side := Side(of)
	name, hook, ok := HookOf(f.Flavour, p.Operation, side)
	undo := undone(f, p.Operation, side)
	if !ok && undo == "" {
		return nil
	}
	title := "Let the package's scripts know of a rollback"
	if ok {
		title = list(hook) + " of the package (" + name + ")"
	}
	if f.Scripts != lcm.ScriptsRun {
		return lifecycle.When(ok, lifecycle.Step{ID: skips[side], Title: "Skip " + title + ": scripts.policy does not run it"})
	}
	if ok {
		title = "Run " + title
	}
	if undo == "" {
		return []lifecycle.Step{{ID: runs[side], Title: title}}
	}
	return []lifecycle.Step{{ID: revocable[side], Title: title, Undo: undo}}
}

var (
	runs      = map[Side]lifecycle.StepID{Start: RunAtStart, End: RunAtEnd}
	revocable = map[Side]lifecycle.StepID{Start: RevocableAtStart, End: RevocableAtEnd}
	skips     = map[Side]lifecycle.StepID{Start: SkipStart, End: SkipEnd}
)

func list(h descriptor.Hook) string { return strings.Join(h.Scripts(), ", ") }

// undone says what a rollback runs. Its steps go backwards: the scripts at its start undo the end of the operation.
func undone(f lifecycle.Facts, op lcm.Operation, side Side) string {
	if f.Scripts != lcm.ScriptsRun {
		return ""
	}
	var run []string
	for _, at := range RollbackSides(side) {
		if name, hook, ok := HookOf(f.Flavour, op, at); ok {
			run = append(run, list(hook)+" is run ("+name+")")
		}
	}
	return strings.Join(run, ", ")
}

// RollbackSides are the sides of a rollback that belong to the undo of a side. If the operation did not reach its end,
// the undo of the start has both.
func RollbackSides(side Side) []Side {
	if side == Start {
		return []Side{RollbackStart, RollbackEnd}
	}
	return []Side{RollbackStart}
}
