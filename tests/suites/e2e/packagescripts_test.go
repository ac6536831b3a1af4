package e2e

import (
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	packageScripts       = "vnfpkg/samples/scripts"
	packageScriptsVnfdID = "9c1f3b0e-54f7-4b36-8f6e-2a1d7c0b5e31"
	license              = testbed.License
	configureAtEnd       = "Run Scripts/configure.sh of the package (instantiate_end)"
)

// TestScriptsOfPackages uses a package with scripts for hooks. By default Windlass skips them. With other settings of
// the operator it refuses them, or runs them.
func TestScriptsOfPackages(t *testing.T) {
	b := newBed(t, "fake")
	b.Onboard(t, packageScripts)
	t.Run("skipped by default", func(t *testing.T) { packageScriptsAreSkipped(t, b) })

	t.Setenv("WINDLASS_SCRIPTS_POLICY", "refuse")
	b.Restart(t)
	t.Run("refused", func(t *testing.T) { packageScriptsAreRefused(t, b) })

	python := cmp.Or(pathOf("/usr/bin/python3"), pathOf("python3"))
	canConfine(t, python)
	t.Setenv("WINDLASS_USER_DATA_PYTHON", python)
	t.Setenv("WINDLASS_SCRIPTS_POLICY", "run")
	b.Restart(t)
	t.Run("the page", func(t *testing.T) { packageScriptsPage(t, b) })
	t.Run("run in every operation", func(t *testing.T) { packageScriptsAreRun(t, b) })
	t.Run("run when the flavour changes", func(t *testing.T) { packageScriptsOfFlavours(t, b) })
	t.Run("one that fails is rolled back", func(t *testing.T) { packageScriptFails(t, b) })
	t.Run("retried, killed and cancelled", func(t *testing.T) { packageScriptsGoOn(t, b) })
}

// ofSample returns the request of a sample for this cloud.
func (b *bed) ofSample(t *testing.T, name string, edit func(params map[string]any)) (request map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.Root, "vnfpkg/samples/requests", name+".json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(string(text), "REPLACE-WITH-THE-PASSWORD", testbed.NodePassword)),
		&request))
	request["vimConnectionInfo"] = b.OnOpenStack()
	params := request["additionalParams"].(map[string]any)
	edit(params)
	return request
}

func (b *bed) withLicense(t *testing.T, edit ...func(params map[string]any)) map[string]any {
	t.Helper()
	return b.ofSample(t, "instantiate-scripts", func(params map[string]any) {
		params["scripts"].(map[string]any)["secrets"] = map[string]any{"LICENSE": license}
		for _, e := range edit {
			e(params)
		}
	})
}

// titled returns the rows of a step: first the entire step, then its servers.
func (b *bed) titled(t *testing.T, op, title string) []testbed.Step {
	t.Helper()
	rows := slices.DeleteFunc(b.Steps(t, op), func(s testbed.Step) bool { return s.Title != title })
	require.NotEmpty(t, rows, "%s: %v", title, b.Steps(t, op))
	return rows
}

// scriptsPage shows commands for a Windlass that runs scripts.
var scriptsPage = session{page: "how-to/scripts.md", sections: []string{"Try it"}}

// packageScriptsPage pastes the page, including the on-boarding. At the end it on-boards the package again.
func packageScriptsPage(t *testing.T, b *bed) {
	id := b.Get(t, "/vnfpkgm/v1/onboarded_vnf_packages/"+packageScriptsVnfdID)["id"].(string)
	out, err := b.Windlass(t.Context(), "package", "delete", id).CombinedOutput()
	require.NoError(t, err, "%s", out)
	newReader(t, b).inTutorial(t, scriptsPage)
	b.Onboard(t, "vnfpkg/samples/scripts")
	b.RequireNothingLeft(t)
}

func packageScriptsAreSkipped(t *testing.T, b *bed) {
	vnf := b.CreateOf(t, packageScriptsVnfdID, "skipped")
	op := b.Begin(t, vnf, "instantiate", b.withLicense(t))
	b.Await(t, op, quick, "COMPLETED")
	row := b.titled(t, op, "Skip Scripts/account.py of the package (instantiate_start): scripts.policy does not run it")[0]
	require.Equal(t, "DONE", row.State)
	require.Contains(t, row.LastOutputLine, "Scripts/account.py is not run")
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

func packageScriptsAreRefused(t *testing.T, b *bed) {
	vnf := b.CreateOf(t, packageScriptsVnfdID, "refused")
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/instantiate", b.withLicense(t))
	require.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s", a.Body)
	require.Contains(t, string(a.Body), "its VNFD runs the script Scripts/account.py at instantiate_start, but the "+
		"operator of Windlass does not allow it (scripts.policy is refuse)")
	b.Delete(t, vnf)
}

func packageScriptsAreRun(t *testing.T, b *bed) {
	vnf := b.CreateOf(t, packageScriptsVnfdID, "scripted")
	op := b.Begin(t, vnf, "instantiate", b.withLicense(t))
	b.Await(t, op, quick, "COMPLETED")
	rows := b.titled(t, op, "Run Scripts/account.py of the package (instantiate_start)")
	require.Equal(t, "opened an account for scripted", rows[0].LastOutputLine)
	rows = b.titled(t, op, configureAtEnd)
	require.Len(t, rows, 2, "the step, and its server")
	require.Equal(t, "DONE", rows[1].State)
	require.Regexp(t, "^web-", rows[1].Node)
	values := map[string]string{"the license": license, "the password": testbed.NodePassword}
	b.requireNowhere(t, vnf, op, values)

	op = b.Scale(t, vnf, "SCALE_OUT", "servers")
	b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, "SCALE_OUT of servers",
		b.titled(t, op, "Run Scripts/account.py of the package (scale_start)")[0].LastOutputLine)
	require.Len(t, b.titled(t, op, "Run Scripts/configure.sh of the package (scale_end)"), 3, "on both servers")

	op = b.Heal(t, vnf, b.VnfcOf(t, vnf, "web"))
	b.Await(t, op, quick, "COMPLETED")
	require.Len(t, b.titled(t, op, "Run Scripts/configure.sh of the package (heal_end)"), 3)

	op = b.Scale(t, vnf, "SCALE_IN", "servers")
	b.Await(t, op, quick, "COMPLETED")
	require.Len(t, b.titled(t, op, "Run Scripts/configure.sh of the package (scale_end)"), 2, "on the one that is left")

	for _, to := range []string{"STOPPED", "STARTED"} {
		op = b.Operate(t, vnf, to)
		b.Await(t, op, quick, "COMPLETED")
		require.Equal(t, "the account knows of "+to,
			b.titled(t, op, "Run Scripts/account.py of the package (operate_end)")[0].LastOutputLine, "kept since its start")
	}
	op = b.Modify(t, vnf, map[string]any{"vnfInstanceName": "renamed"})
	b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, "the account is that of renamed",
		b.titled(t, op, "Run Scripts/account.py of the package (modify_information_start)")[0].LastOutputLine)
	op = b.Begin(t, vnf, "change_ext_conn", map[string]any{"extVirtualLinks": b.withLicense(t)["extVirtualLinks"]})
	b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, "links are now ['11111111-1111-4111-8111-111111111111']",
		b.titled(t, op, "Run Scripts/account.py of the package (change_external_connectivity_end)")[0].LastOutputLine)
	op = b.Remove(t, vnf)
	require.Equal(t, "closed the account of renamed",
		b.titled(t, op, "Run Scripts/account.py of the package (terminate_end)")[0].LastOutputLine)
	b.RequireNothingLeft(t)
}

// packageScriptFails also checks the scripts that a rollback runs, and what they can learn from earlier scripts of the
// operation.
func packageScriptFails(t *testing.T, b *bed) {
	vnf := b.CreateOf(t, packageScriptsVnfdID, "full")
	op := b.Begin(t, vnf, "instantiate", b.withLicense(t, func(params map[string]any) { params["full"] = true }))
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"],
		"The script Scripts/account.py (instantiate_start) has failed with exit status 1: the account has no room for another VNF.")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	row := b.titled(t, op, "Undo: Run Scripts/account.py of the package (instantiate_start)")[0]
	require.Equal(t, "closed the account of nobody", row.LastOutputLine)

	b.ScriptFault(t, map[string]any{
		"script": "run-package-script", "times": 1, "exit_code": 1, "output": "windlass: Scripts/configure.sh failed: no disk",
	})
	vnf = b.CreateOf(t, packageScriptsVnfdID, "undone")
	op = b.Begin(t, vnf, "instantiate", b.withLicense(t))
	failed = b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "Scripts/configure.sh failed: no disk")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	row = b.titled(t, op, "Undo: "+configureAtEnd)[0]
	require.Equal(t, "closed the account of "+vnf, row.LastOutputLine, "it was opened by another run")
	b.RequireNothingLeft(t)
}

func packageScriptsGoOn(t *testing.T, b *bed) {
	vnf := b.CreateOf(t, packageScriptsVnfdID, "goes on")
	b.ScriptFault(t, map[string]any{"script": "run-package-script", "times": 1, "hang": true})
	op := b.Begin(t, vnf, "instantiate", b.withLicense(t))
	b.AwaitNode(t, op, configureAtEnd, "RUNNING")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "cancel", map[string]any{"cancelMode": "FORCEFUL"}).Status)
	b.Await(t, op, quick, "FAILED_TEMP")
	b.ClearFaults(t) // the cancellation may have come before the script
	b.Pace(t, 0, 3*time.Second)
	defer b.Pace(t, 0, 0)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	begun := func(s testbed.Step) bool { return s.LastOutputLine == "begins" }
	for end := time.Now().Add(quick); !slices.ContainsFunc(b.Steps(t, op), begun); testbed.Pause(t) {
		require.True(t, time.Now().Before(end), "the script does not begin")
	}
	b.KillWorker(t)
	b.Await(t, op, quick, "COMPLETED")
	b.Pace(t, 0, 0)
	require.Equal(t, "run 1", b.titled(t, op, configureAtEnd)[1].LastOutputLine, "what ran is found again, not run again")
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}
