package fake

import (
	"context"
	"slices"
	"strings"
)

// runPackageScript does not execute a package's shell script. It prints the script's variables, as a careless script
// might, and records the run.
func (h *Hypervisor) runPackageScript(ctx context.Context, m *Machine, p ScriptParams) Result {
	p.Print("begins")
	if !p.Work(ctx) {
		return interrupted
	}
	var shown []string
	for line := range strings.Lines(string(p.Stdin)) {
		key, _, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name, is := strings.CutPrefix(key, "env."); is {
			shown = append(shown, name+"="+p.Input(key))
		}
	}
	slices.Sort(shown)
	for _, line := range shown {
		p.Print("%s", line)
	}
	p.Print("run %d", m.files.note("/var/lib/windlass/package-scripts", p.Input("env.VNF_HOOK")+" "+p.Get("SCRIPT_PATH")))
	return Result{}
}
