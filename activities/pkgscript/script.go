// Package pkgscript has the activities that run the package's scripts, in the sandbox and on servers.
package pkgscript

import (
	"context"
	"encoding/json"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/script"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// ScriptFacts provides the input of the package's scripts.
type ScriptFacts interface {
	// Told returns the input dict of an operation, with its secrets but without the members operation and
	// user_script_err_handling_data, and the files of the package. made is the operation's outcome so far, nil for
	// nothing.
	Told(ctx context.Context, id lcm.OpOccID, made *record.Outcome) (ScriptTold, error)
	// Hook returns the VNFD's hook at a side of the operation.
	Hook(
		ctx context.Context, id lcm.OpOccID, side script.Side,
	) (name string, hook descriptor.Hook, plan lcm.Plan, err error)
}

// ScriptTold is the input of a script. It stays in the worker and never enters the history.
type ScriptTold struct {
	Given   map[string]any
	Secrets []string
	Files   map[string][]byte
	// NewFiles are the files of the package that a modification gives the VNF.
	NewFiles map[string][]byte
}

// ScriptRunner runs the package's Python in a sandbox.
type ScriptRunner interface {
	Run(ctx context.Context, call userdata.ScriptCall) (userdata.ScriptMade, error)
}

// Activities runs scripts of packages.
type Activities struct {
	Reach reach.Runner
	Facts ScriptFacts
	// Cloud has the servers.
	Cloud resources.Cloud
	Lists ServerLists
	// Python is nil if the operator does not allow Python scripts.
	Python ScriptRunner
	// SkipTackerV1 skips management drivers of Tacker's v1.
	SkipTackerV1 bool
}

// ScriptsInput names the operation and its side.
type ScriptsInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	// Side is the ending of the hook's name: start, end, rollback_start or rollback_end.
	Side script.Side `json:"side"`
	// Made is the operation's outcome so far, nil for nothing.
	Made *record.Outcome `json:"made,omitempty"`
	// Skipped only reports the scripts and does not run them.
	Skipped bool `json:"skipped,omitempty"`
}

// SideNamed converts a name to a side; workflows know names only.
func SideNamed(name string) script.Side { return script.Side(name) }

// FindScriptsOutput lists the scripts of a hook in their order, and the servers for shell scripts.
type FindScriptsOutput struct {
	Hook    string         `json:"hook,omitempty"`
	Scripts []Script       `json:"scripts,omitempty"`
	Servers []ScriptServer `json:"servers,omitempty"`
	// Kept is set if the database has the list of the servers, too.
	Kept bool `json:"kept,omitempty"`
}

// Script is a file of the package.
type Script struct {
	Path   string `json:"path"`
	Python bool   `json:"python,omitempty"`
}

// FindScripts reads the scripts of a hook from the VNFD, and finds the servers to run them on.
// Idempotent: it reads, and keeps the list of the servers.
func (s *Activities) FindScripts(ctx context.Context, in ScriptsInput) (out FindScriptsOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "find the scripts", err) }()
	defer activities.Heartbeat(ctx)()
	name, hook, plan, err := s.Facts.Hook(ctx, in.OpOccID, in.Side)
	if err != nil || name == "" {
		return out, err
	}
	out.Hook = name
	shell, show := false, s.Reach.Output.Lines(ctx, in.Step)
	for _, file := range hook.Scripts() {
		python := descriptor.IsPython(file)
		out.Scripts, shell = append(out.Scripts, Script{Path: file, Python: python}), shell || !python
		if in.Skipped {
			show(file + " is not run: the operator's setting scripts.policy is not \"run\"")
		}
	}
	if shell && !in.Skipped && off(plan, in.Side) {
		show("Shell scripts are not run: the servers are off.")
		return out, nil
	}
	if shell && !in.Skipped {
		if out.Servers, err = s.servers(ctx, in, hook, plan); err != nil {
			return out, err
		}
		var all lcm.Nodes
		for _, server := range out.Servers {
			all = append(all, server.Node)
		}
		out.Kept, err = true, s.Lists.KeepServers(ctx, in.OpOccID, name, all)
	}
	return out, err
}

// off tells whether the servers that an operation stops or starts are off at this side of it.
func off(plan lcm.Plan, side script.Side) bool {
	at := map[lcm.VnfState]script.Side{lcm.VnfStopped: script.End, lcm.VnfStarted: script.Start}
	return plan.ChangeStateTo != "" && at[plan.ChangeStateTo] == side
}

// RunScriptInput names the script.
type RunScriptInput struct {
	ScriptsInput
	Hook string `json:"hook"`
	Path string `json:"path"`
}

// RunScriptOutput is empty: the data that the script keeps for the next script is sealed.
type RunScriptOutput struct{}

// RunScript runs the package's Python in a sandbox, with the operation on its standard input, as Tacker's v2 API does.
//
// Only as idempotent as the script: it runs again after a failure, or after the loss of its worker, which also kills
// it. Takes as long as the script, at most scripts.timeout. A cancel kills it.
func (s *Activities) RunScript(ctx context.Context, in RunScriptInput) (out RunScriptOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "run "+in.Path, err) }()
	defer activities.Heartbeat(ctx)()
	told, err := s.Facts.Told(ctx, in.OpOccID, in.Made)
	if err != nil {
		return out, err
	}
	show := s.Reach.Output.Lines(ctx, in.Step)
	if s.SkipTackerV1 && descriptor.IsTackerV1Driver(told.Files[in.Path]) {
		show(in.Path + " is not run: it is a management driver of Tacker's v1 (scripts.skipTackerV1)")
		return out, nil
	}
	if s.Python == nil {
		return out, lcm.Errorf(lcm.KindInvalid, "This worker does not run the script %s: set scripts.policy to run, "+
			"and userData.python, then retry.", in.Path)
	}
	kept, err := s.kept(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	told.Given["operation"], told.Given["user_script_err_handling_data"] = in.Hook, kept
	made, err := s.Python.Run(ctx, userdata.ScriptCall{
		Files: told.Files, NewFiles: told.NewFiles, Path: in.Path, Hook: in.Hook, Given: told.Given, Secrets: told.Secrets,
		Lines: show,
	})
	if made.Kept != nil { // also after a failure: the next script must know what was done
		if keeping := s.keep(context.WithoutCancel(ctx), in.OpOccID, made.Kept); err == nil {
			err = keeping
		}
	}
	if made.Changed {
		show("The script has changed vnf_instance in its answer; Windlass ignores the change.")
	}
	return out, err
}

// keptRef refers to the operation's user_script_err_handling_data. It is sealed, because it may contain secrets. It is
// deleted with the operation's other secrets.
func keptRef(id lcm.OpOccID) lcm.SecretRef { return reach.OperationRef(id, "script") }

func (s *Activities) kept(ctx context.Context, id lcm.OpOccID) (kept map[string]any, err error) {
	text, err := s.Reach.Secrets.Get(ctx, keptRef(id))
	if lcm.Is(err, lcm.KindNotFound) {
		return map[string]any{}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The data that a script has kept is not JSON.")
	}
	return kept, nil
}

func (s *Activities) keep(ctx context.Context, id lcm.OpOccID, kept map[string]any) error {
	text, err := json.Marshal(kept)
	if err != nil {
		return lcm.Wrap(lcm.KindBug, err, "The data that a script wants to keep is not JSON.")
	}
	return s.Reach.Secrets.Put(ctx, keptRef(id), string(text))
}
