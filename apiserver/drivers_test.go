package apiserver

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg"
)

// onboardDir onboards the package of this directory.
func (b *bench) onboardDir(dir string) (vnfdID string) {
	b.Helper()
	var csar bytes.Buffer
	require.NoError(b, vnfpkg.Build(dir, &csar))
	created := b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	created.want(http.StatusCreated)
	b.do("PUT", created.path()+"/package_content", &csar, "Content-Type: application/zip").want(http.StatusAccepted)
	return b.do("GET", created.path(), nil).want(http.StatusOK)["vnfdId"].(string)
}

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
			require.NoError(t, os.CopyFS(dir, os.DirFS("../vnfpkg/samples/k8s-ha")))
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

			b := newBench(t)
			instance := b.create("/vnflcm/v1", b.onboardDir(dir))
			request := clusterRequest(b.registerVim("lab", true))
			a := b.do("POST", instance+"/instantiate", request)
			if c.refused == "" {
				a.want(http.StatusAccepted)
				return
			}
			require.Contains(t, a.problem(http.StatusUnprocessableEntity), c.refused)
		})
	}
}

// TestDrivers_refuseTheBodyThatNamesNoParameters checks what docs/coming-from-tacker.md says about the body in the
// specification of clusters with several control planes: it has only the member input_params.
func TestDrivers_refuseTheBodyThatNamesNoParameters(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	vim := b.registerVim("lab", true)
	request := clusterRequest(vim)
	whole := request["additionalParams"].(map[string]any)
	request["additionalParams"] = map[string]any{"input_params": ""}
	refused := b.do("POST", b.create("/vnflcm/v1", vnfdID)+"/instantiate", request)
	require.Contains(t, refused.problem(http.StatusBadRequest), "k8s_cluster_installation_param")
	whole["input_params"] = ""
	request["additionalParams"] = whole
	b.do("POST", b.create("/vnflcm/v1", vnfdID)+"/instantiate", request).want(http.StatusAccepted)
}
