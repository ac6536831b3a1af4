package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/pkgscript"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// scriptWork runs scripts of the package at hooks.
type scriptWork struct {
	*vnf
	// rolled is set when the scripts for the start of a rollback have run.
	rolled bool
}

func (s *scriptWork) table() table {
	return table{
		"run-scripts-at-start":           {do: s.at("start")},
		"run-scripts-at-end":             {do: s.at("end")},
		"run-scripts-at-start-revocably": {do: s.at("start"), undo: s.rollBackAtStart},
		"run-scripts-at-end-revocably":   {do: s.at("end"), undo: s.rollBackAtEnd},
		"skip-scripts-at-start":          {do: s.skip("start")},
		"skip-scripts-at-end":            {do: s.skip("end")},
	}
}

func (s *scriptWork) input(ctx workflow.Context, side string) pkgscript.ScriptsInput {
	in := pkgscript.ScriptsInput{Tracked: track(ctx, ""), OpOccID: s.in.OpOccID}
	in.Side = pkgscript.SideNamed(side)
	if len(s.made.Vnfcs) > 0 {
		in.Made = s.outcome()
	}
	return in
}

func (s *scriptWork) skip(side string) func(workflow.Context) error {
	return func(ctx workflow.Context) error {
		in := s.input(ctx, side)
		in.Skipped = true
		_, err := call(short(ctx), act.scripts.FindScripts, in)
		return err
	}
}

func (s *scriptWork) at(side string) func(workflow.Context) error {
	return func(ctx workflow.Context) error { return s.runAll(ctx, side) }
}

// rollBackAtEnd runs the scripts for the start of a rollback. They undo what the operation did last.
func (s *scriptWork) rollBackAtEnd(ctx workflow.Context) error {
	err := s.runAll(ctx, "rollback_start")
	s.rolled = err == nil
	return err
}

// rollBackAtStart runs the scripts for the end of a rollback. If the operation did not reach its end, it first runs
// those for the start.
func (s *scriptWork) rollBackAtStart(ctx workflow.Context) error {
	if !s.rolled {
		if err := s.rollBackAtEnd(ctx); err != nil {
			return err
		}
	}
	return s.runAll(ctx, "rollback_end")
}

// runAll runs the scripts of a hook one after another, each on all of its servers at once.
func (s *scriptWork) runAll(ctx workflow.Context, side string) error {
	in := s.input(ctx, side)
	found, err := call(onlyWaits(short(ctx)), act.scripts.FindScripts, in)
	if err != nil {
		return err
	}
	for _, file := range found.Scripts {
		if file.Python {
			_, err = call(onNode(ctx), act.scripts.RunScript,
				pkgscript.RunScriptInput{ScriptsInput: in, Hook: found.Hook, Path: file.Path})
		} else {
			err = s.onServers(ctx, found, file.Path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *scriptWork) onServers(ctx workflow.Context, found pkgscript.FindScriptsOutput, path string) error {
	var list lcm.Nodes
	changes := map[string]string{}
	for _, server := range found.Servers {
		list, changes[server.ServerID] = append(list, server.Node), server.Change
	}
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		in := pkgscript.RunOnServerInput{
			NodeInput: s.on(ctx, node), Hook: found.Hook, Path: path, Change: changes[node.ServerID],
		}
		if !found.Kept { // a worker of an earlier release has found them
			in.All = list
		}
		if in.Change == "comes" {
			if _, err := call(onlyWaits(onNode(ctx)), act.nodes.WaitForSSH, in.NodeInput); err != nil {
				return err
			}
		}
		if in.Change != "leaves" {
			_, err := call(onNode(ctx), act.scripts.RunOnServer, in)
			return err
		}
		_, err := call(soon(ctx), act.scripts.RunOnServer, in)
		if !unanswered(ctx, err) {
			return err
		}
		in.PassOver = true // a server that does not answer must not hold up its own removal
		_, err = call(soon(ctx), act.scripts.RunOnServer, in)
		return err
	})
}
