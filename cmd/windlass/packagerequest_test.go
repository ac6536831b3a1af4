package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// ofSamples calls do for every flavour of every sample package.
func ofSamples(t *testing.T, do func(dir, flavour string)) {
	t.Helper()
	dirs, err := filepath.Glob("../../vnfpkg/samples/*/Definitions")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		dir = filepath.Dir(dir)
		require.NoError(t, withPackage(dir, func(p *vnfpkg.Package) error {
			for _, f := range p.Vnfd.Flavours {
				do(dir, f.ID)
			}
			return nil
		}))
	}
}

func TestPackageRequest_isTakenOnceAllIsReplaced(t *testing.T) {
	ofSamples(t, func(dir, flavour string) {
		for _, version := range []string{"1", "2"} {
			got := windlass(t, nobody(t), "package", "request", dir, "--flavour", flavour, "--lcm-version", version)
			require.Zero(t, got.code, "%s: %s", dir, got.err)
			for _, text := range []string{got.out, uncommented(got.out)} {
				doc, err := requestJSON("-", []byte(text))
				require.NoError(t, err, text)
				var request struct {
					FlavourID string `json:"flavourId"`
				}
				require.NoError(t, json.Unmarshal(doc, &request))
				assert.Equal(t, flavour, request.FlavourID)
			}
			api := resources()
			file := written(t, "request.yaml", got.out)
			refused := windlass(t, api, "vnf", "instantiate", vnfID, file)
			assert.Contains(t, refused.err, "The request has values that you must replace:\n  $.", dir)
			assert.Empty(t, api.last("POST"))
		}
	})
}

// uncommented removes the comment signs from members of a document.
func uncommented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		name, _, isMember := strings.Cut(strings.TrimLeft(line, " "), ":")
		if strings.HasPrefix(name, "# ") && isMember && !strings.Contains(strings.TrimLeft(name[2:], "- "), " ") {
			line = strings.Replace(line, "# ", "", 1)
		}
		out.WriteString(line)
	}
	return out.String()
}

func TestPackageRequest_showsTheParametersOfACluster(t *testing.T) {
	got := windlass(t, nobody(t), "package", "request", "../../vnfpkg/samples/k8s-ha", "--flavour", "ha")
	require.Zero(t, got.code, got.err)
	golden(t, "package-request-ha", got.out)
	doc, err := requestJSON("-", []byte(strings.ReplaceAll(got.out, unreplaced+"WITH-THE-", "")))
	require.NoError(t, err)
	var request struct {
		AdditionalParams json.RawMessage `json:"additionalParams"`
	}
	require.NoError(t, json.Unmarshal(doc, &request))
	p, wrong := k8s.Read(request.AdditionalParams)
	require.Empty(t, wrong.Types)
	assert.Equal(t, []string{"masterNode_CP1", "worker_instance", "USERNAME", "PASSWORD"},
		[]string{p.MasterNode.SSHCpName, p.WorkerNode.AspectID, p.WorkerNode.Username, p.WorkerNode.Password.Clear})
}

func TestPackageRequest_takesPackagesThatAreOnBoard(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k8s-ha.zip")
	_, err := buildPackage("../../vnfpkg/samples/k8s-ha", file)
	require.NoError(t, err)
	// Other test programs use the machine's directory for temporary files at the same time.
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	api := resources()
	api.answers["GET /vnfpkgm/v1/vnf_packages/52a2f1f4/package_content"] = func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, file)
	}
	got := windlass(t, api, "package", "request", "k8s-ha", "--flavour", "simple")
	require.Zero(t, got.code, got.err)
	assert.Contains(t, got.out, "flavourId: \"simple\"\n")

	got = windlass(t, api, "package", "request", file)
	assert.Contains(t, got.err, "Choose a flavour with --flavour: ha, simple")
	assert.Contains(t, windlass(t, api, "package", "request", file, "--flavour", "hb").err, "it has ha, simple")
	assert.Contains(t, windlass(t, api, "package", "request", "nothing").err, "There is no package \"nothing\"")
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left)
}
