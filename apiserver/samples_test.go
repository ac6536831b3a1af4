package apiserver

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestSampleRequestsAreAcceptedAsTheyAreShipped(t *testing.T) {
	for _, name := range []string{"instantiate-ha", "instantiate-simple", "instantiate-storage"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			_, vnfdID := b.onboard()
			text, err := os.ReadFile("../vnfpkg/samples/requests/" + name + ".json")
			require.NoError(t, err)
			request := strings.NewReplacer(
				"REPLACE-WITH-THE-ID-OF-THE-VIM", b.registerVim("lab", true), "REPLACE-WITH-THE-PASSWORD", marker,
			).Replace(string(text))
			b.do("POST", b.create("/vnflcm/v1", vnfdID)+"/instantiate", request).want(http.StatusAccepted)

			var doc map[string]any
			require.NoError(t, json.Unmarshal([]byte(request), &doc))
			doc["additionalParams"].(map[string]any)[lcm.ClusterParamsKey].(map[string]any)["vim_name"] = "another"
			b.do("POST", b.create("/vnflcm/v2", vnfdID)+"/instantiate", asV2(t, doc)).want(http.StatusAccepted)
		})
	}
}

// foreignPackage is a package for Tacker, which is not part of this repository.
const foreignPackage = "../../shared/packages/kubernetes_vnf_package"

func TestForeignPackageLoadsAndInstantiates(t *testing.T) {
	if _, err := os.Stat(foreignPackage); err != nil {
		t.Skip("the foreign package is not at hand")
	}
	var csar bytes.Buffer
	w := zip.NewWriter(&csar)
	require.NoError(t, w.AddFS(os.DirFS(foreignPackage)))
	require.NoError(t, w.Close())
	b := newBench(t)
	created := b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	b.do("PUT", created.path()+"/package_content", &csar, "Content-Type: application/zip").want(http.StatusAccepted)
	doc := b.do("GET", created.path(), nil).want(http.StatusOK)
	require.Equal(t, "ONBOARDED", doc["onboardingState"])
	instance := b.create("/vnflcm/v1", doc["vnfdId"].(string))

	request := clusterRequest(b.registerVim("lab", true))
	request["flavourId"] = "complex"
	b.do("POST", instance+"/instantiate", request).want(http.StatusAccepted)
}
