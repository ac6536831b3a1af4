package apiserver_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
)

func TestSampleRequestsAreAcceptedAsTheyAreShipped(t *testing.T) {
	for _, name := range []string{"instantiate-ha", "instantiate-simple", "instantiate-storage"} {
		t.Run(name, func(t *testing.T) {
			b := servertest.New(t)
			_, vnfdID := b.Onboard()
			text, err := os.ReadFile("../vnfpkg/samples/requests/" + name + ".json")
			require.NoError(t, err)
			request := strings.NewReplacer(
				"REPLACE-WITH-THE-ID-OF-THE-VIM", b.RegisterVim("lab", true), "REPLACE-WITH-THE-PASSWORD", servertest.Marker,
			).Replace(string(text))
			b.Do("POST", b.Create("/vnflcm/v1", vnfdID)+"/instantiate", request).Want(http.StatusAccepted)

			var doc map[string]any
			require.NoError(t, json.Unmarshal([]byte(request), &doc))
			doc["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any)["vim_name"] = "another"
			b.Do("POST", b.Create("/vnflcm/v2", vnfdID)+"/instantiate", servertest.AsV2(t, doc)).Want(http.StatusAccepted)
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
	b := servertest.New(t)
	created := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	b.Do("PUT", created.Path()+"/package_content", &csar, "Content-Type: application/zip").Want(http.StatusAccepted)
	doc := b.Do("GET", created.Path(), nil).Want(http.StatusOK)
	require.Equal(t, "ONBOARDED", doc["onboardingState"])
	instance := b.Create("/vnflcm/v1", doc["vnfdId"].(string))

	request := servertest.ClusterRequest(b.RegisterVim("lab", true))
	request["flavourId"] = "complex"
	b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
}
