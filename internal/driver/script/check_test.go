package script_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/script"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func flavour() *descriptor.Flavour {
	return &descriptor.Flavour{
		Vdus: []descriptor.Vdu{{ID: "web"}},
		Hooks: map[string]descriptor.Hook{
			"instantiate_end": {File: "Scripts/configure.sh", Vdus: []string{"web"}},
			"scale_end":       {File: "Scripts/account.py"},
		},
	}
}

// problems returns the problems of a request, with scripts of these texts.
func problems(t *testing.T, allowed driver.ScriptsAllowed, params string, files map[string]string) []lcm.Problem {
	t.Helper()
	found := &driver.Findings{}
	r := driver.Request{Flavour: flavour(), Found: found, Scripts: allowed}
	r.AdditionalParams = json.RawMessage(params)
	r.Package.Read = func(_ context.Context, path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, lcm.Errorf(lcm.KindNotFound, "There is no %s.", path)
		}
		return []byte(text), nil
	}
	bound, wrong := script.Driver{}.Bind(r.AdditionalParams)
	require.NoError(t, bound.CheckRequest(t.Context(), r, wrong))
	var e *lcm.Error
	if err := found.Err(); err != nil {
		require.ErrorAs(t, err, &e)
		return e.Problems
	}
	return nil
}

func TestCheckRequest_tellsWhatCannotBeRun(t *testing.T) {
	const login = `{"scripts":{"servers":{"web":{"username":"debian","password":"x"}}}}`
	both := map[string]string{"Scripts/configure.sh": "true", "Scripts/account.py": "pass"}
	runs := driver.ScriptsAllowed{Policy: lcm.ScriptsRun, Python: true}
	require.Empty(t, problems(t, runs, login, both))
	require.Empty(t, problems(t, driver.ScriptsAllowed{Policy: lcm.ScriptsSkipped}, `{}`, nil), "nothing is run")
	require.Len(t, problems(t, driver.ScriptsAllowed{Policy: lcm.ScriptsRefused}, login, both), 2)
	skips := runs
	skips.SkipTackerV1 = true
	require.Empty(t, problems(t, skips, login, map[string]string{
		"Scripts/configure.sh": "true", "Scripts/account.py": "class A(VnflcmMgmtAbstractDriver): pass",
	}))
	for name, c := range map[string]struct {
		allowed driver.ScriptsAllowed
		params  string
		files   map[string]string
		path    string
		says    string
	}{
		"no Python":     {driver.ScriptsAllowed{Policy: lcm.ScriptsRun}, login, both, "$.flavourId", "no Python is configured"},
		"no login":      {runs, `{}`, both, "$.additionalParams.scripts.servers.web", "is missing"},
		"no such VDU":   {runs, `{"scripts":{"servers":{"web":{"username":"a","password":"x"},"db":{"username":"a","password":"x"}}}}`, both, "$.additionalParams.scripts.servers.db", "has no VDU"},
		"no password":   {runs, `{"scripts":{"servers":{"web":{"username":"debian"}}}}`, both, "$.additionalParams.scripts.servers.web", "password or private_key"},
		"misspelt":      {runs, `{"other":1,"scripts":{"servers":{"web":{"username":"a","password":"x","pasword":"y"}}}}`, both, "$.additionalParams.scripts.servers.web.pasword", "did you mean password?"},
		"no file":       {runs, login, map[string]string{"Scripts/configure.sh": "true"}, "$.flavourId", "has no script"},
		"a class of v1": {runs, login, map[string]string{"Scripts/configure.sh": "true", "Scripts/account.py": "class A(VnflcmMgmtAbstractDriver): pass"}, "$.flavourId", "Tacker's v1"},
	} {
		got := problems(t, c.allowed, c.params, c.files)
		require.Len(t, got, 1, name)
		require.Equal(t, c.path, got[0].Path, name)
		require.Contains(t, got[0].Detail, c.says, name)
	}
}

func TestCheck_refusesWhatWouldRunAScript(t *testing.T) {
	f := lifecycle.Facts{Flavour: flavour(), Scripts: lcm.ScriptsRefused}
	s := &script.Scripts{}
	require.ErrorContains(t, s.Check(f, lcm.Plan{Operation: lcm.OpScale}), "runs the script Scripts/account.py at scale_end")
	require.NoError(t, s.Check(f, lcm.Plan{Operation: lcm.OpHeal}))
	require.NoError(t, s.Check(f, lcm.Plan{Operation: lcm.OpTerminate}))
	f.Scripts = lcm.ScriptsSkipped
	require.NoError(t, s.Check(f, lcm.Plan{Operation: lcm.OpScale}))
}

func TestAccess_reachesServersOfItsVdus(t *testing.T) {
	bound, wrong := script.Driver{}.Bind(json.RawMessage(
		`{"scripts":{"servers":{"web":{"username":"debian","password":"x"}},"timeouts":{"ssh":5}}}`))
	require.Empty(t, wrong.Types)
	access, ok := lifecycle.AccessTo([]lifecycle.VnfDriver{bound}, descriptor.DriverScripts+"/web")
	require.True(t, ok)
	require.Equal(t, "debian", access.User)
	require.Equal(t, "5s", access.SSH.String())
	_, ok = lifecycle.AccessTo([]lifecycle.VnfDriver{bound}, lcm.Worker)
	require.False(t, ok)
}
