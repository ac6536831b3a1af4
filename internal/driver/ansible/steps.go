package ansible

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// The steps: at the start of an operation for what leaves, at its end for what has come.
const (
	PlayAtStart lifecycle.StepID = "play-playbooks-at-start"
	PlayAtEnd   lifecycle.StepID = "play-playbooks-at-end"
	SkipAtStart lifecycle.StepID = "skip-playbooks-at-start"
	SkipAtEnd   lifecycle.StepID = "skip-playbooks-at-end"
)

// at maps the infrastructure's hooks to the VNFD's hooks. Each runs once in an operation, also when a heal makes an
// entire VNF anew.
var at = map[lcm.Operation]map[lifecycle.Hook]string{
	lcm.OpInstantiate:  {lifecycle.InstantiateEnd: "instantiate_end"},
	lcm.OpTerminate:    {lifecycle.TerminateStart: "terminate_start"},
	lcm.OpScale:        {lifecycle.ScaleBegin: "scale_start", lifecycle.ScaleDone: "scale_end"},
	lcm.OpScaleToLevel: {lifecycle.ScaleBegin: "scale_start", lifecycle.ScaleDone: "scale_end"},
	lcm.OpHeal:         {lifecycle.HealEnd: "heal_end", lifecycle.InstantiateEnd: "heal_end"},
}

// HookOf is the VNFD's hook at the start or the end of an operation; false where no playbook runs.
func HookOf(f *vnfpkg.Flavour, op lcm.Operation, start bool) (name string, hook vnfpkg.Hook, ok bool) {
	if f == nil {
		return "", hook, false
	}
	for _, name := range at[op] {
		if isStart(name) == start && len(f.Hooks[name].Played) > 0 {
			return name, f.Hooks[name], true
		}
	}
	return "", hook, false
}

func isStart(name string) bool { return name == "terminate_start" || name == "scale_start" }

// Steps implements lifecycle.Driver. A scaling out runs no playbook at its start, and a scaling in none at its end.
func (a *Ansible) Steps(hook lifecycle.Hook, f lifecycle.Facts, p lcm.Plan) []lifecycle.Step {
	name := at[p.Operation][hook]
	if name == "" || f.Flavour == nil {
		return nil
	}
	start := isStart(name)
	_, of, ok := HookOf(f.Flavour, p.Operation, start)
	if !ok || name == "scale_start" && len(p.LeavingServers()) == 0 || name == "scale_end" && !p.Grows() {
		return nil
	}
	title := "the package's playbooks for " + list(of.Played) + " (" + vnfpkg.PlayAction(name) + ")"
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
