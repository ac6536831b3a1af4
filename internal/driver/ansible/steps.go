package ansible

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
)

// The steps: at the start of an operation for what leaves, at its end for what has come.
const (
	PlayAtStart lifecycle.StepID = "play-playbooks-at-start"
	PlayAtEnd   lifecycle.StepID = "play-playbooks-at-end"
	SkipAtStart lifecycle.StepID = "skip-playbooks-at-start"
	SkipAtEnd   lifecycle.StepID = "skip-playbooks-at-end"
)

// HookOf is the VNFD's hook at the start or the end of an operation; false where no playbook runs.
func HookOf(f *descriptor.Flavour, op lcm.Operation, start bool) (name string, hook descriptor.Hook, ok bool) {
	if f == nil {
		return "", hook, false
	}
	side := lifecycle.End
	if start {
		side = lifecycle.Start
	}
	for _, word := range op.Type().Hooks {
		name = word + "_" + string(side)
		if playbook.Action(name) != "" && len(f.Hooks[name].Played) > 0 {
			return name, f.Hooks[name], true
		}
	}
	return "", hook, false
}

// Steps implements lifecycle.VnfDriver. Playbooks of each side run once in an operation. A scaling out runs none at its
// start, and a scaling in none at its end.
func (a *Ansible) Steps(hook lifecycle.Hook, f lifecycle.Facts, p lcm.Plan) []lifecycle.Step {
	side, here := lifecycle.SideOf(p.Operation, hook)
	start := side == lifecycle.Start
	name, of, ok := HookOf(f.Flavour, p.Operation, start)
	if !here || !ok || name == "scale_start" && len(p.LeavingServers()) == 0 || name == "scale_end" && !p.Grows() {
		return nil
	}
	title := "the package's playbooks for " + list(of.Played) + " (" + playbook.Action(name) + ")"
	if f.Scripts != lcm.ScriptsRun {
		return []lifecycle.Step{{ID: pick(start, SkipAtStart, SkipAtEnd), Title: "Skip " + title + ": scripts.policy does not run them"}}
	}
	return []lifecycle.Step{{ID: pick(start, PlayAtStart, PlayAtEnd), Title: "Run " + title}}
}

func pick(start bool, atStart, atEnd lifecycle.StepID) lifecycle.StepID {
	if start {
		return atStart
	}
	return atEnd
}
