package userdata

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/ownnet"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// DefaultScriptTime is the time limit of a script if Scripts sets none.
const DefaultScriptTime = time.Hour

// Scripts runs Python scripts that VNF packages name at hooks of operations. As in Tacker's v2, a script gets a pickled
// dict on its standard input. Scripts are confined like user data classes; their output is shown.
type Scripts struct {
	Runner *Runner
	// Network lets scripts make connections, and Reach says to what.
	Network bool
	Reach   ownnet.Policy
	// Time bounds the CPU time and the clock time of one run; 0 is DefaultScriptTime.
	Time time.Duration
}

// ScriptCall is one run of a script.
type ScriptCall struct {
	// Files are the package's files by path; Path is the script's. NewFiles are the files of the package that the VNF
	// changes to.
	Files, NewFiles map[string][]byte
	Path            string
	// Hook is the hook of the run, for messages.
	Hook string
	// Given is the dict, without tmp_csar_dir and new_csar_dir, the folders of the packages.
	Given map[string]any
	// Secrets are values of Given to hide. Lines gets the script's output.
	Secrets []string
	Lines   func(line string)
}

// ScriptMade is a script's answer.
type ScriptMade struct {
	// Kept is user_script_err_handling_data, nil if the script did not set it.
	Kept map[string]any
	// Changed tells that the script returned a changed vnf_instance.
	Changed bool
}

// Run runs a script. A script that fails is Broken, with the last line of its output. A host that cannot run confined
// scripts is Unavailable.
//
// If the worker dies, the kernel ends the script.
func (s *Scripts) Run(ctx context.Context, call ScriptCall) (made ScriptMade, err error) {
	dir, err := os.MkdirTemp("", "windlass-script-")
	if err != nil {
		return made, noRoom(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	pkg, lib := filepath.Join(dir, "package"), filepath.Join(dir, "python")
	resolver := map[string][]byte{"resolv.conf": ownnet.ResolvConf()}
	if err := errors.Join(unpack(python, dir), write(dir, resolver), write(pkg, call.Files)); err != nil {
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
		return made, lcm.Wrap(lcm.KindBug, err, "The input of the script %s is not JSON.", call.Path)
	}
	leave, err := s.Runner.enter(ctx)
	if err != nil {
		return made, err
	}
	defer leave()
	said := spoken{masker: secrets.NewMasker(call.Secrets...), lines: call.Lines}
	defer said.end()
	answer, err := s.Runner.process(ctx, dir, job{
		profile: s.profile(), reach: s.Reach, what: "The script " + call.Path + " (" + call.Hook + ")", input: input, limit: s.limit(),
		setting: "scripts.timeout",
		lines:   said.line,
	})
	if err != nil {
		return made, err
	}
	return readScript(answer, call, said.end())
}

// spoken is the output of a script. Its lines come from the script, and from the relay of its network.
type spoken struct {
	masker secrets.Masker
	lines  func(line string)

	mu    sync.Mutex
	last  string
	ended bool
}

func (s *spoken) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.last = s.masker.Mask(text)
		s.lines(s.last)
	}
}

// end takes no more lines, and returns the last one.
func (s *spoken) end() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	return s.last
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

// readScript reads the output of the script's runner.
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
