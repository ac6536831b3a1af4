package fake

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// playPackage does not execute a package's playbook. It prints the playbook's hosts and variables, as a careless
// playbook might, and records the run.
func (h *Hypervisor) playPackage(ctx context.Context, m *Machine, p ScriptParams) Result {
	if failed := p.lacksAnsible(m); failed != nil {
		return *failed
	}
	if failed := p.lacks("package", "inventory", "variables", "callback"); failed != nil {
		return *failed
	}
	p.Print("ansible-playbook %s", p.Get("PLAYBOOK"))
	if !p.Work(ctx) {
		return interrupted
	}
	var variables map[string]any
	if err := json.Unmarshal([]byte(p.Input("variables")), &variables); err != nil {
		return p.Fail(65, "the variables are no JSON")
	}
	p.Print("on %s", strings.Join(strings.Fields(p.Input("inventory")), " "))
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		p.Print("%s=%v", name, variables[name])
	}
	p.Print("run %d", m.files.note("/var/lib/windlass/playbooks",
		p.Get("PLAYBOOK")+" for "+strings.Fields(p.Input("inventory"))[0]))
	return Result{}
}
