package vnflcm_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

// TestInstantiate_isRefusedWhereItsWorkIsThatOfADriverThatIsNotHere checks what the documentation says about management
// drivers that Windlass does not run: docs/coming-from-tacker.md, "What works unchanged".
func TestInstantiate_isRefusedWhereItsWorkIsThatOfADriverThatIsNotHere(t *testing.T) {
	for name, c := range map[string]struct {
		hook, driver string
		refused      string // "" if the request is accepted
	}{
		"a script of the author": {
			"instantiate_end", "Scripts/own.py",
			`its instantiate_end needs the driver "Scripts/own.py"`,
		},
		"at the beginning": {
			"instantiate_start", "Scripts/first.py",
			`its instantiate_start needs the driver "Scripts/first.py"`,
		},
		"of an operation that is not": {"scale_start", "Scripts/own.py", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS("../../vnfpkg/samples/k8s-ha")))
			file := filepath.Join(dir, "Definitions/k8s_ha_df_ha.yaml")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			const end = "          instantiate_end:\n            implementation: mgmt-drivers-kubernetes\n"
			own := "          " + c.hook + ":\n            implementation: " + c.driver + "\n"
			if c.hook != "instantiate_end" {
				own += end
			}
			require.Contains(t, string(text), end)
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), end, own, 1)), 0o600))

			b := servertest.New(t)
			instance := b.Create("/vnflcm/v1", b.OnboardDir(dir))
			request := servertest.ClusterRequest(b.RegisterVim("lab", true))
			a := b.Do("POST", instance+"/instantiate", request)
			if c.refused == "" {
				a.Want(http.StatusAccepted)
				return
			}
			require.Contains(t, a.Problem(http.StatusUnprocessableEntity), c.refused)
		})
	}
}

// TestDrivers_refuseTheBodyThatNamesNoParameters checks what docs/coming-from-tacker.md says about the body in the
// specification of clusters with several control planes: it has only the member input_params.
func TestDrivers_refuseTheBodyThatNamesNoParameters(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	vim := b.RegisterVim("lab", true)
	request := servertest.ClusterRequest(vim)
	whole := request["additionalParams"].(map[string]any)
	request["additionalParams"] = map[string]any{"input_params": ""}
	refused := b.Do("POST", b.Create("/vnflcm/v1", vnfdID)+"/instantiate", request)
	require.Contains(t, refused.Problem(http.StatusBadRequest), "k8s_cluster_installation_param")
	whole["input_params"] = ""
	request["additionalParams"] = whole
	b.Do("POST", b.Create("/vnflcm/v1", vnfdID)+"/instantiate", request).Want(http.StatusAccepted)
}
