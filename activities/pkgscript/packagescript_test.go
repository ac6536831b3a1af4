package pkgscript_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/pkgscript"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/script"
	"github.com/windlass-nfv/windlass/internal/driver/vdu"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// toldScripts is a VNF with a Python program at instantiate_end. It records its runs, and returns the errors in fails
// one after another.
type toldScripts struct {
	fails []error
	given []map[string]any
	files map[string][]byte
}

func (s *toldScripts) Told(context.Context, lcm.OpOccID, *record.Outcome) (pkgscript.ScriptTold, error) {
	return pkgscript.ScriptTold{
		Given: map[string]any{"vnf_instance": map[string]any{"id": "vnf"}}, Secrets: []string{"hunter2"}, Files: s.files,
	}, nil
}

func (s *toldScripts) Hook(
	context.Context, lcm.OpOccID, script.Side,
) (name string, hook descriptor.Hook, plan lcm.Plan, err error) {
	return "instantiate_end", descriptor.Hook{
		File: "Scripts/configure.sh", Inputs: map[string]string{"GREETING": "of the VNFD", "VNF_HOOK": "never"},
	}, plan, nil
}

func (s *toldScripts) Run(_ context.Context, call userdata.ScriptCall) (made userdata.ScriptMade, err error) {
	s.given = append(s.given, call.Given)
	if len(s.fails) > 0 {
		err, s.fails = s.fails[0], s.fails[1:]
	}
	return userdata.ScriptMade{Kept: map[string]any{"runs": float64(len(s.given))}, Changed: true}, err
}

func TestRunScript_tellsWhatTheRunBeforeHasKept(t *testing.T) {
	s, _, _, output := activitytest.NewFake(t, 0, 1, nil)
	told := &toldScripts{fails: []error{lcm.Errorf(lcm.KindBroken, "The script has failed.")}}
	packaged := &pkgscript.Activities{Reach: s.Reach, Facts: told, Python: told}
	in := pkgscript.RunScriptInput{
		ScriptsInput: pkgscript.ScriptsInput{Tracked: s.Tracked(s.Nodes[0]).Tracked, OpOccID: "op"},
		Hook:         "instantiate_end", Path: "Scripts/account.py",
	}
	_, err := activitytest.Do(t, packaged.RunScript, in)
	require.ErrorContains(t, err, "The script has failed.")
	for range 2 {
		activitytest.Must(t, packaged.RunScript, in)
	}
	require.Len(t, told.given, 3)
	for i, kept := range []map[string]any{{}, {"runs": float64(1)}, {"runs": float64(2)}} {
		require.Equal(t, kept, told.given[i]["user_script_err_handling_data"], "also a failed one is known to the next")
		require.Equal(t, "instantiate_end", told.given[i]["operation"])
	}
	require.Contains(t, output.Shown[0], "Windlass ignores the change")

	packaged.Python = nil
	_, err = activitytest.Do(t, packaged.RunScript, in)
	require.ErrorContains(t, err, "set scripts.policy to run, and userData.python")
}

func TestRunScript_skipsDriversOfTackersV1WhereTheOperatorWantsThat(t *testing.T) {
	s, _, _, output := activitytest.NewFake(t, 0, 1, nil)
	told := &toldScripts{files: map[string][]byte{
		"Scripts/driver.py": []byte("class A(VnflcmMgmtAbstractDriver): pass"), "Scripts/program.py": []byte("pass"),
	}}
	packaged := &pkgscript.Activities{Reach: s.Reach, Facts: told, Python: told, SkipTackerV1: true}
	for _, path := range []string{"Scripts/driver.py", "Scripts/program.py"} {
		activitytest.Must(t, packaged.RunScript, pkgscript.RunScriptInput{
			ScriptsInput: pkgscript.ScriptsInput{Tracked: s.Tracked(s.Nodes[0]).Tracked, OpOccID: "op"},
			Hook:         "instantiate_end", Path: path,
		})
	}
	require.Len(t, told.given, 1, "the program only")
	packaged.Python = nil // nothing else of the package may need it
	activitytest.Must(t, packaged.RunScript, pkgscript.RunScriptInput{
		ScriptsInput: pkgscript.ScriptsInput{Tracked: s.Tracked(s.Nodes[0]).Tracked, OpOccID: "op"},
		Hook:         "instantiate_end", Path: "Scripts/driver.py",
	})
	require.Contains(t, output.Shown[0], "Scripts/driver.py is not run: it is a management driver of Tacker's v1")
}

// TestRunOnServer_runsAScriptOnceAndGivesTheSameEnvironment simulates a worker that dies after a script has ended, but
// before Temporal has got the result. The next worker must find the result.
func TestRunOnServer_runsAScriptOnceAndGivesTheSameEnvironment(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 0, 1, nil)
	vnf := s.Reach.Vnfs.(*activitytest.FixedVnf)
	vnf.Context.OpOcc.Operation = lcm.OpInstantiate
	vnf.Context.Drivers = []lifecycle.VnfDriver{&script.Scripts{Params: script.Params{
		Parameters: map[string]string{"GREETING": "of the request"},
		Secrets:    map[string]lcm.Secret{"LICENSE": {Clear: "hunter2"}},
		Timeouts:   vdu.Timeouts{Run: 60},
	}}}
	vnf.Context.PackageFile = func(context.Context, string) ([]byte, error) { return []byte("echo \"$GREETING\"\n"), nil }
	node := s.Nodes[0]
	node.VduID, node.Address = "web-1", "10.0.0.20"
	other := node
	other.Address = "10.0.0.3"
	packaged := &pkgscript.Activities{
		Reach: s.Reach, Facts: &toldScripts{}, Lists: activitytest.ServerLists{string(activitytest.OpOcc) + "/instantiate_end": lcm.Nodes{node, other}},
	}
	in := pkgscript.RunOnServerInput{
		NodeInput: s.Tracked(node), Hook: "instantiate_end", Path: "Scripts/configure.sh", Change: "comes",
	}
	for range 2 {
		activitytest.Must(t, packaged.RunOnServer, in)
	}
	require.Len(t, fake.Ran, 1)
	clear(fake.Nodes[node.Name].Ended)
	activitytest.Must(t, packaged.RunOnServer, in)
	require.Len(t, fake.Ran, 2)
	first := activitytest.ReadStdin(fake.Ran[0].Stdin)
	assert.Equal(t, first, activitytest.ReadStdin(fake.Ran[1].Stdin))
	assert.Equal(t, "echo \"$GREETING\"\n", first["script"])
	for name, value := range map[string]string{
		"GREETING": "of the request", "LICENSE": "hunter2", "VNF_HOOK": "instantiate_end", "VNF_CHANGE": "comes",
		"VNF_OPERATION": "INSTANTIATE", "VNF_ADDRESS": "10.0.0.20", "VNF_ADDRESSES_web_1": "10.0.0.3 10.0.0.20",
	} {
		assert.Equal(t, value, first["env."+name], name)
	}
	assert.NotContains(t, fake.Ran[0].Script, "hunter2")
	assert.Contains(t, fake.Ran[0].Mask, "hunter2")
}

func TestRunOnServer_passesAServerOverThatLeavesAndDoesNotAnswer(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 0, 1, nil)
	vnf := s.Reach.Vnfs.(*activitytest.FixedVnf)
	vnf.Context.Drivers = []lifecycle.VnfDriver{&script.Scripts{Params: script.Params{Timeouts: vdu.Timeouts{Run: 60}}}}
	vnf.Context.PackageFile = func(context.Context, string) ([]byte, error) { return []byte("true\n"), nil }
	lists := activitytest.ServerLists{string(activitytest.OpOcc) + "/terminate_start": s.Nodes}
	packaged := &pkgscript.Activities{Reach: s.Reach, Facts: &toldScripts{}, Lists: lists}
	in := pkgscript.RunOnServerInput{
		NodeInput: s.Tracked(s.Nodes[0]), Hook: "terminate_start", Path: "Scripts/configure.sh", Change: "leaves",
		PassOver: true,
	}
	fake.Fail["run-package-script"] = []error{lcm.Errorf(lcm.KindBroken, "It has failed.")}
	_, err := activitytest.Do(t, packaged.RunOnServer, in)
	require.ErrorContains(
		t,
		err,
		"It has failed.",
		"the error is about the script, not about a server that does not answer",
	)

	in.PassOver = false
	for range 2 { // a server that is off stays so, and waiting would not help
		fake.Fail["dial "+s.Nodes[0].Name] = []error{lcm.Wrap(lcm.KindBroken, reach.ErrServerOff, "its server is SHUTOFF")}
		require.True(t, activitytest.Must(t, packaged.RunOnServer, in).PassedOver)
	}
	in.Change = "comes"
	fake.Fail["dial "+s.Nodes[0].Name] = []error{lcm.Wrap(lcm.KindBroken, reach.ErrServerOff, "its server is SHUTOFF")}
	_, err = activitytest.Do(t, packaged.RunOnServer, in)
	require.ErrorContains(t, err, "its server is SHUTOFF")
}
