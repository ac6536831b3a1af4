package vnfpkgm_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

func TestPackageGoesFromCreatedToDeleted(t *testing.T) {
	b := servertest.New(t)
	created := b.Do("POST", "/vnfpkgm/v1/vnf_packages",
		map[string]any{"userDefinedData": map[string]any{"site": "north", "rack": "7"}})
	doc := created.Want(http.StatusCreated)
	require.Equal(t, "CREATED", doc["onboardingState"])
	require.Equal(t, "DISABLED", doc["operationalState"])
	require.Equal(t, servertest.Endpoint+created.Path(), doc["_links"].(map[string]any)["self"].(map[string]any)["href"])
	path := created.Path()

	b.Do("GET", path+"/package_content", nil).Problem(http.StatusConflict)
	b.Do("PATCH", path, map[string]any{"operationalState": "ENABLED"}).Problem(http.StatusConflict)
	csar, err := servertest.SamplePackage()
	require.NoError(t, err)
	uploaded := b.Do("PUT", path+"/package_content", bytes.NewReader(csar), "Content-Type: application/zip")
	uploaded.Want(http.StatusAccepted)
	require.Empty(t, uploaded.Body)
	b.Do("PUT", path+"/package_content", bytes.NewReader(csar),
		"Content-Type: application/zip").Problem(http.StatusConflict)

	doc = b.Do("GET", path, nil).Want(http.StatusOK)
	require.Equal(t, "ONBOARDED", doc["onboardingState"])
	require.Equal(t, "ENABLED", doc["operationalState"])
	require.Equal(t, "NOT_IN_USE", doc["usageState"])
	require.NotEmpty(t, doc["checksum"].(map[string]any)["hash"])
	require.NotEmpty(t, doc["additionalArtifacts"])

	b.Do("DELETE", path, nil).Problem(http.StatusConflict)
	b.Do("PATCH", path, map[string]any{"operationalState": "ENABLED"}).Problem(http.StatusConflict)
	misspelt := b.Do("PATCH", path, map[string]any{"operationalState": "DISABLED", "userDefinedDta": map[string]any{}})
	require.Contains(
		t,
		misspelt.Problem(http.StatusBadRequest),
		"$.userDefinedDta: is unknown; did you mean userDefinedData?",
	)
	changed := b.Do("PATCH", path, map[string]any{
		"operationalState": "DISABLED",
		"userDefinedData":  map[string]any{"rack": nil, "row": "3"},
	},
		"Content-Type: application/merge-patch+json").Want(http.StatusOK)
	require.Equal(t, "DISABLED", changed["operationalState"])
	doc = b.Do("GET", path, nil).Want(http.StatusOK)
	require.Equal(t, map[string]any{"site": "north", "row": "3"}, doc["userDefinedData"])
	changed = b.Do("PATCH", path, `{"userDefinedData":null}`, servertest.AsMergePatch).Want(http.StatusOK)
	require.Equal(t, map[string]any{"userDefinedData": map[string]any{}}, changed)
	require.NotContains(t, b.Do("GET", path, nil).Want(http.StatusOK), "userDefinedData")
	require.Contains(
		t,
		b.Do("PATCH", path, `{}`, servertest.AsMergePatch).Problem(http.StatusBadRequest),
		"changes nothing",
	)

	b.Do("DELETE", path, nil).Want(http.StatusNoContent)
	b.Do("GET", path, nil).Problem(http.StatusNotFound)
}

func TestBrokenPackageIsRefusedAndCanBeUploadedAgain(t *testing.T) {
	b := servertest.New(t)
	path := func() string {
		a := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
		a.Want(http.StatusCreated)
		return a.Path()
	}()
	b.Do("PUT", path+"/package_content", "this is no archive",
		"Content-Type: application/zip").Problem(http.StatusBadRequest)
	doc := b.Do("GET", path, nil).Want(http.StatusOK)
	require.Equal(t, "CREATED", doc["onboardingState"])
	require.NotEmpty(t, doc["onboardingFailureDetails"].(map[string]any)["detail"])

	csar, err := servertest.SamplePackage()
	require.NoError(t, err)
	b.Do("PUT", path+"/package_content", bytes.NewReader(csar), "Content-Type: application/zip").Want(http.StatusAccepted)
	require.NotContains(t, b.Do("GET", path, nil).Want(http.StatusOK), "onboardingFailureDetails")
}

func TestSecondPackageWithTheSameVnfdIsAConflict(t *testing.T) {
	b := servertest.New(t)
	b.Onboard()
	second := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	csar, err := servertest.SamplePackage()
	require.NoError(t, err)
	b.Do("PUT", second.Path()+"/package_content", bytes.NewReader(csar),
		"Content-Type: application/zip").Problem(http.StatusConflict)
	require.Equal(t, "CREATED", b.Do("GET", second.Path(), nil).Want(http.StatusOK)["onboardingState"])
}

func TestPackageContentIsServedWholeAndInRanges(t *testing.T) {
	b := servertest.New(t)
	path, _ := b.Onboard()
	csar, err := servertest.SamplePackage()
	require.NoError(t, err)

	whole := b.Do("GET", path+"/package_content", nil)
	whole.Want(http.StatusOK)
	require.True(t, bytes.Equal(csar, whole.Body))
	require.Equal(t, "application/zip", whole.Header.Get("Content-Type"))

	part := b.Do("GET", path+"/package_content", nil, "Range: bytes=10-19")
	part.Want(http.StatusPartialContent)
	require.True(t, bytes.Equal(csar[10:20], part.Body))
	b.Do("GET", path+"/package_content", nil, "Range: bytes=999999999-").Problem(http.StatusRequestedRangeNotSatisfiable)
	b.Do("GET", path+"/package_content", nil, "Accept: application/json").Want(http.StatusOK)
	b.Do("PUT", path+"/package_content", "x", "Content-Type: text/html").Problem(http.StatusUnsupportedMediaType)
}

func TestVnfdAndArtifactsAreServed(t *testing.T) {
	b := servertest.New(t)
	path, _ := b.Onboard()

	archive := b.Do("GET", path+"/vnfd", nil)
	archive.Want(http.StatusOK)
	r, err := zip.NewReader(bytes.NewReader(archive.Body), int64(len(archive.Body)))
	require.NoError(t, err)
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
	}
	require.Contains(t, names, "Definitions/k8s_ha_top.vnfd.yaml")
	require.Contains(t, names, "TOSCA-Metadata/TOSCA.meta")
	b.Do("GET", path+"/vnfd", nil, "Accept: text/plain").Problem(http.StatusNotAcceptable)

	artifact := b.Do("GET", path+"/artifacts/BaseHOT/ha/ha_hot_top.yaml", nil)
	artifact.Want(http.StatusOK)
	require.Contains(t, string(artifact.Body), "heat_template_version")
	b.Do("GET", path+"/artifacts/BaseHOT/none.yaml", nil).Problem(http.StatusNotFound)
	b.Do("GET", path+"/artifacts/..%2f..%2fetc/passwd", nil).Problem(http.StatusNotFound)
}

func TestPackageInUseCannotBeDeleted(t *testing.T) {
	b := servertest.New(t)
	path, vnfdID := b.Onboard()
	inst := strings.TrimPrefix(b.Create("/vnflcm/v1", vnfdID), "/vnflcm/v1/vnf_instances/")
	require.Contains(t, b.Do("DELETE", path, nil).Problem(http.StatusConflict), "in use by VNF instance "+inst,
		"whoever disables it first learns it only then")
	require.Equal(t, "IN_USE", b.Do("GET", path, nil).Want(http.StatusOK)["usageState"])
	b.Do("PATCH", path, map[string]any{"operationalState": "DISABLED"}).Want(http.StatusOK)
	require.Contains(t, b.Do("DELETE", path, nil).Problem(http.StatusConflict), "in use")
	b.Do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": vnfdID}).Problem(http.StatusUnprocessableEntity)
}

func TestPackageListIsShortByDefaultAndCanBeFiltered(t *testing.T) {
	b := servertest.New(t)
	b.Onboard()
	b.Do("POST", "/vnfpkgm/v1/vnf_packages",
		map[string]any{"userDefinedData": map[string]any{"a": "b"}}).Want(http.StatusCreated)
	require.Len(t, b.Do("GET", "/vnfpkgm/v1/vnf_packages", nil).List(), 2)
	on := b.Do("GET", "/vnfpkgm/v1/vnf_packages?filter=(eq,onboardingState,ONBOARDED)", nil).List()
	require.Len(t, on, 1)
	require.NotContains(t, on[0], "additionalArtifacts")
	require.Contains(t, b.Do("GET", "/vnfpkgm/v1/vnf_packages?all_fields&filter=(eq,onboardingState,ONBOARDED)",
		nil).List()[0], "additionalArtifacts")
}

// TestVnfd_isServedWhereverItsFilesAre uses a CSAR without TOSCA-Metadata, whose definition is in the root directory
// (SOL004 option 2).
func TestVnfd_isServedWhereverItsFilesAre(t *testing.T) {
	b := servertest.New(t)
	var csar bytes.Buffer
	w := zip.NewWriter(&csar)
	for name, from := range map[string]string{
		"server.yaml": "Definitions/standard.vnfd.yaml", "BaseHOT/simple/standard.yaml": "BaseHOT/simple/standard.yaml",
		"BaseHOT/simple/nested/VDU1.yaml": "BaseHOT/simple/nested/VDU1.yaml",
	} {
		text, err := os.ReadFile("../../tests/suites/e2e/testdata/standard/" + from)
		require.NoError(t, err)
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write(text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	a := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	a.Want(http.StatusCreated)
	b.Do("PUT", a.Path()+"/package_content", csar.String(), "Content-Type: application/zip").Want(http.StatusAccepted)

	text := b.Do("GET", a.Path()+"/vnfd", nil, "Accept: text/plain")
	text.Want(http.StatusOK)
	require.Contains(t, string(text.Body), "descriptor_id: 0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e21")
	archive := b.Do("GET", a.Path()+"/vnfd", nil, "Accept: application/zip")
	r, err := zip.NewReader(bytes.NewReader(archive.Body), int64(len(archive.Body)))
	require.NoError(t, err)
	require.Len(t, r.File, 1)
	require.Equal(t, "server.yaml", r.File[0].Name)
}
