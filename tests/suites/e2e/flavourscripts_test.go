package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const flavouredScriptsVnfdID = "9c1f3b0e-54f7-4b36-8f6e-2a1d7c0b5e32"

// scriptsOfFlavours makes a package of the sample with scripts. It has a second flavour, wide, and each flavour has
// scripts for a change of the flavour.
func (b *bed) scriptsOfFlavours(t *testing.T) (dir string) {
	t.Helper()
	dir = b.ChangedPackage(t, packageScripts, strings.NewReplacer(packageScriptsVnfdID, flavouredScriptsVnfdID,
		"VNF with scripts", "VNF with scripts and flavours",
		"valid_values: [ simple ]", "valid_values: [ simple, wide ]",
		"  - scripts_df_simple.yaml", "  - scripts_df_simple.yaml\n  - scripts_df_wide.yaml",
		"          modify_information_start: {", "          change_flavour_start: { implementation: account }\n"+
			"          change_flavour_end:\n            implementation: configure\n            inputs: { vdus: [ web ] }\n"+
			"          modify_information_start: {",
		"    def terminate_end(self):", "    def change_flavour_start(self):\n"+
			"        print(\"the flavour becomes\", self.request[\"newFlavourId\"], file=sys.stderr)\n\n"+
			"    def terminate_end(self):"))
	simple, err := os.ReadFile(filepath.Join(dir, "Definitions/scripts_df_simple.yaml"))
	require.NoError(t, err)
	wide := strings.NewReplacer("flavour_id: simple", "flavour_id: wide", "m1.small", "m1.medium", "num_virtual_cpu: 1",
		"num_virtual_cpu: 2", "virtual_mem_size: 2 GB", "virtual_mem_size: 4 GB").Replace(string(simple))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Definitions/scripts_df_wide.yaml"), []byte(wide), 0o600))
	return dir
}

// packageScriptsOfFlavours changes the flavour of a VNF: the scripts of the new flavour run, in v1 and in v2. A
// script that fails leaves the operation where it can be rolled back.
func packageScriptsOfFlavours(t *testing.T, b *bed) {
	b.Onboard(t, b.scriptsOfFlavours(t))
	vnf := b.CreateOf(t, flavouredScriptsVnfdID, "flavoured")
	b.Await(t, b.Begin(t, vnf, "instantiate", b.withLicense(t)), quick, "COMPLETED")

	const atStart, atEnd = "Run Scripts/account.py of the package (change_flavour_start)",
		"Run Scripts/configure.sh of the package (change_flavour_end)"
	toWide := map[string]any{"newFlavourId": "wide", "instantiationLevelId": "large"}
	b.ScriptFault(t, map[string]any{
		"script": "run-package-script", "times": 1, "exit_code": 1,
		"output": "windlass: Scripts/configure.sh failed: no disk",
	})
	op := b.Begin(t, vnf, "change_flavour", toWide)
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "no disk")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.requireFlavour(t, vnf, "simple", "servers", 0)

	op = b.Begin(t, vnf, "change_flavour", toWide)
	b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, "the flavour becomes wide", b.titled(t, op, atStart)[0].LastOutputLine)
	require.Len(t, b.titled(t, op, atEnd), 3, "the step, the server that stays, and the new one")
	b.requireFlavour(t, vnf, "wide", "servers", 1)

	op = b.BeginV2(t, vnf, "change_flavour", map[string]any{"newFlavourId": "simple"})
	b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, "the flavour becomes simple", b.titled(t, op, atStart)[0].LastOutputLine)
	require.Len(t, b.titled(t, op, atEnd), 2, "on the server that is left")
	b.Remove(t, vnf)
	b.RequireNothingLeft(t)
}
