package workflows

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver"
	plays "github.com/windlass-nfv/windlass/internal/driver/ansible"
	"github.com/windlass-nfv/windlass/internal/driver/script"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
)

// scriptFacts returns the facts of VNFs with a script at every hook of an operation, and with playbooks at the hooks
// that may have some, for both policies. Some have scripts for a rollback.
func scriptFacts(t *testing.T) (out []lifecycle.Facts) {
	t.Helper()
	for _, policy := range []lcm.ScriptPolicy{lcm.ScriptsRun, lcm.ScriptsSkipped} {
		for _, back := range []bool{true, false} {
			f := someFacts(t, "simple", false)
			f.Flavour, f.Scripts = withScripts(*f.Flavour, back), policy
			var err error
			f.Drivers, err = driver.Usable(driver.Set{plays.Driver{}, script.Driver{}}.Bind(f.Flavour, json.RawMessage(`{}`)))
			require.NoError(t, err)
			out = append(out, f)
		}
	}
	return out
}

func withScripts(f descriptor.Flavour, back bool) *descriptor.Flavour {
	f.Hooks = map[string]descriptor.Hook{}
	for _, operation := range []string{
		"instantiate", "scale", "heal", "terminate", "operate", "modify_information", "change_external_connectivity",
		"change_current_package",
	} {
		sides := []string{"start", "end"}
		if back {
			sides = append(sides, "rollback_start", "rollback_end")
		}
		for _, side := range sides {
			hook := descriptor.Hook{File: "Scripts/own.py"}
			if name := operation + "_" + side; playbook.Action(name) != "" {
				hook.Played = []string{"worker"}
			}
			f.Hooks[operation+"_"+side] = hook
		}
	}
	return &f
}

// TestScripts_standOnceAtEachSide checks that each operation runs the scripts of its own hooks, once at its start and
// once at its end.
func TestScripts_standOnceAtEachSide(t *testing.T) {
	f := scriptFacts(t)[0]
	for op, bodies := range requests() {
		for _, body := range bodies {
			p, err := planOf(f, op, body)
			if err != nil {
				continue // it is about other VNFs
			}
			count := map[lifecycle.StepID]int{}
			for _, s := range lifecycle.Steps(f, p) {
				count[s.ID]++
			}
			starts, ends := count[script.RevocableAtStart], count[script.RevocableAtEnd]
			require.Equal(t, []int{1, 1}, []int{starts, ends}, "%s %s", op, body)
		}
	}
}

// TestScripts_ofAScaleToLevelMayBeThoseOfAScale checks that a SCALE_TO_LEVEL runs the scripts of a SCALE if the VNFD
// names none for it.
func TestScripts_ofAScaleToLevelMayBeThoseOfAScale(t *testing.T) {
	f := withScripts(descriptor.Flavour{}, false)
	name, _, ok := script.HookOf(f, lcm.OpScaleToLevel, script.End)
	require.True(t, ok)
	require.Equal(t, "scale_end", name)
	f.Hooks["scale_to_level_end"] = descriptor.Hook{File: "Scripts/level.py"}
	name, hook, _ := script.HookOf(f, lcm.OpScaleToLevel, script.End)
	require.Equal(t, "scale_to_level_end", name)
	require.Equal(t, []string{"Scripts/level.py"}, hook.Scripts())
	_, _, ok = script.HookOf(f, lcm.OpInstantiate, script.RollbackStart)
	require.False(t, ok)
}
