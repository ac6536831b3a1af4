package workflows

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/script"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// scriptFacts are VNFs with a script at every hook of an operation, of both policies; some have them for a rollback.
func scriptFacts(t *testing.T) (out []lifecycle.Facts) {
	t.Helper()
	for _, policy := range []lcm.ScriptPolicy{lcm.ScriptsRun, lcm.ScriptsSkipped} {
		for _, back := range []bool{true, false} {
			f := someFacts(t, "simple", false)
			f.Flavour, f.Scripts = withScripts(*f.Flavour, back), policy
			var err error
			f.Drivers, err = driver.Set{script.Driver{}}.Bind(f.Flavour, json.RawMessage(`{}`))
			require.NoError(t, err)
			out = append(out, f)
		}
	}
	return out
}

func withScripts(f vnfpkg.Flavour, back bool) *vnfpkg.Flavour {
	f.Hooks = map[string]vnfpkg.Hook{}
	for _, operation := range []string{
		"instantiate", "scale", "heal", "terminate", "operate", "modify_information", "change_external_connectivity",
		"change_current_package",
	} {
		sides := []string{"start", "end"}
		if back {
			sides = append(sides, "rollback_start", "rollback_end")
		}
		for _, side := range sides {
			f.Hooks[operation+"_"+side] = vnfpkg.Hook{File: "Scripts/own.py"}
		}
	}
	return &f
}

// Each operation runs the scripts of its own hooks, once at its start and once at its end.
func TestScripts_standOnceAtEachSide(t *testing.T) {
	f := scriptFacts(t)[0]
	for op, bodies := range requests() {
		for _, body := range bodies {
			p, err := planOf(f, op, body)
			if err != nil {
				continue // of other VNFs
			}
			count := map[lifecycle.StepID]int{}
			for _, s := range lifecycle.Steps(f, p) {
				count[s.ID]++
			}
			starts, ends := count[script.RevocableAtStart], count[script.RevocableAtEnd]
			if op == lcm.OpOperate { // a stop has its start, a start its end
				require.Equal(t, 1, starts+ends, "%s %s", op, body)
				continue
			}
			require.Equal(t, []int{1, 1}, []int{starts, ends}, "%s %s", op, body)
		}
	}
}

// A VNFD that names nothing for a SCALE_TO_LEVEL has the scripts of a SCALE run.
func TestScripts_ofAScaleToLevelMayBeThoseOfAScale(t *testing.T) {
	f := withScripts(vnfpkg.Flavour{}, false)
	name, _, ok := script.HookOf(f, lcm.OpScaleToLevel, script.End)
	require.True(t, ok)
	require.Equal(t, "scale_end", name)
	f.Hooks["scale_to_level_end"] = vnfpkg.Hook{File: "Scripts/level.py"}
	name, hook, _ := script.HookOf(f, lcm.OpScaleToLevel, script.End)
	require.Equal(t, "scale_to_level_end", name)
	require.Equal(t, []string{"Scripts/level.py"}, hook.Scripts())
	_, _, ok = script.HookOf(f, lcm.OpInstantiate, script.RollbackStart)
	require.False(t, ok)
}
