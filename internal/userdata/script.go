package userdata

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// DefaultScriptTime is what a script may take when the Scripts do not say.
const DefaultScriptTime = time.Hour

// Scripts runs Python that VNF packages name at hooks of operations, as Tacker's v2 does: with a pickled dict on its
// standard input. It is confined as user data classes are; what it prints is shown.
type Scripts struct {
	Runner *Runner
	// Network lets scripts make connections, to wherever this host can.
	Network bool
	// Time bounds one run, of the CPU and of the clock; 0 is DefaultScriptTime.
	Time time.Duration
}

// ScriptCall is one run of a script.
type ScriptCall struct {
	// Files are the package's, by path; Path is the script's. NewFiles are those of the package that the VNF changes to.
	Files, NewFiles map[string][]byte
	Path            string
	// Hook is the hook at which it is run, for sentences.
	Hook string
	// Given is the dict, but for tmp_csar_dir and new_csar_dir, the folders of the packages.
	Given map[string]any
	// Secrets are values of Given that must not be shown. Lines takes what the script prints.
	Secrets []string
	Lines   func(line string)
}

// ScriptMade is what a script has answered.
type ScriptMade struct {
	// Kept is user_script_err_handling_data, nil when it says nothing of it.
	Kept map[string]any
	// Changed tells that it has answered with another vnf_instance than it was given.
	Changed bool
}

// Run runs a script. One that fails is Broken, with the last line that it has printed; a host on which none can be run
// confined is Unavailable.
//
// A worker that dies takes the script with it.
func (s *Scripts) Run(ctx context.Context, call ScriptCall) (made ScriptMade, err error) {
	dir, err := os.MkdirTemp("", "windlass-script-")
	if err != nil {
		return made, noRoom(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	pkg, lib := filepath.Join(dir, "package"), filepath.Join(dir, "python")
	if err := errors.Join(unpack(python, dir), write(pkg, call.Files)); err != nil {
		return made, noRoom(err)
	}
	told := map[string]any{"lib": filepath.Join(lib, "lib"), "package": pkg, "path": call.Path, "given": call.Given}
	if len(call.NewFiles) > 0 {
		next := filepath.Join(dir, "new-package")
		if err := write(next, call.NewFiles); err != nil {
			return made, noRoom(err)
		}
		told["new_package"] = next
	}
	input, err := json.Marshal(told)
	if err != nil {
		return made, lcm.Wrap(lcm.KindBug, err, "What the script %s is told is not JSON.", call.Path)
	}
	leave, err := s.Runner.enter(ctx)
	if err != nil {
		return made, err
	}
	defer leave()
	masker, last := secrets.NewMasker(call.Secrets...), ""
	answer, err := s.Runner.process(ctx, dir, job{
		profile: s.profile(), what: "The script " + call.Path + " (" + call.Hook + ")", input: input, limit: s.limit(),
		setting: "scripts.timeout",
		lines: func(line string) {
			last = masker.Mask(line)
			call.Lines(last)
		},
	})
	if err != nil {
		return made, err
	}
	return readScript(answer, call, last)
}

func (s *Scripts) profile() profile {
	if s.Network {
		return ofNetworkUser
	}
	return ofScript
}

func (s *Scripts) limit() time.Duration {
	if s.Time > 0 {
		return s.Time
	}
	return DefaultScriptTime
}

func noRoom(err error) error {
	return lcm.Wrap(lcm.KindUnavailable, err, "The script could not be run: there is no room for its package.")
}

// readScript makes sense of what the runner of the script says.
func readScript(answer []byte, call ScriptCall, last string) (ScriptMade, error) {
	var said struct {
		Code    *int           `json:"code"`
		Kept    map[string]any `json:"kept"`
		Changed bool           `json:"changed"`
	}
	if err := json.Unmarshal(answer, &said); err != nil || said.Code == nil {
		return ScriptMade{}, lcm.Wrap(lcm.KindBroken, err, "The script %s (%s) has ended without an answer.", call.Path, call.Hook)
	}
	made := ScriptMade{Kept: said.Kept, Changed: said.Changed}
	if *said.Code == 0 {
		return made, nil
	}
	if last == "" {
		last = "it has printed nothing"
	}
	return made, lcm.Errorf(lcm.KindBroken, "The script %s (%s) has failed with exit status %d: %s.", call.Path, call.Hook,
		*said.Code, strings.TrimSuffix(last, "."))
}
