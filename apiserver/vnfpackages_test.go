package apiserver

import (
	"archive/zip"
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPackageGoesFromCreatedToDeleted(t *testing.T) {
	b := newBench(t)
	created := b.do("POST", "/vnfpkgm/v1/vnf_packages",
		map[string]any{"userDefinedData": map[string]any{"site": "north", "rack": "7"}})
	doc := created.want(http.StatusCreated)
	require.Equal(t, "CREATED", doc["onboardingState"])
	require.Equal(t, "DISABLED", doc["operationalState"])
	require.Equal(t, endpoint+created.path(), doc["_links"].(map[string]any)["self"].(map[string]any)["href"])
	path := created.path()

	b.do("GET", path+"/package_content", nil).problem(http.StatusConflict)
	b.do("PATCH", path, map[string]any{"operationalState": "ENABLED"}).problem(http.StatusConflict)
	csar, err := samplePackage()
	require.NoError(t, err)
	uploaded := b.do("PUT", path+"/package_content", bytes.NewReader(csar), "Content-Type: application/zip")
	uploaded.want(http.StatusAccepted)
	require.Empty(t, uploaded.Body)
	b.do("PUT", path+"/package_content", bytes.NewReader(csar),
		"Content-Type: application/zip").problem(http.StatusConflict)

	doc = b.do("GET", path, nil).want(http.StatusOK)
	require.Equal(t, "ONBOARDED", doc["onboardingState"])
	require.Equal(t, "ENABLED", doc["operationalState"])
	require.Equal(t, "NOT_IN_USE", doc["usageState"])
	require.NotEmpty(t, doc["checksum"].(map[string]any)["hash"])
	require.NotEmpty(t, doc["additionalArtifacts"])

	b.do("DELETE", path, nil).problem(http.StatusConflict)
	b.do("PATCH", path, map[string]any{"operationalState": "ENABLED"}).problem(http.StatusConflict)
	misspelt := b.do("PATCH", path, map[string]any{"operationalState": "DISABLED", "userDefinedDta": map[string]any{}})
	require.Contains(t, misspelt.problem(http.StatusBadRequest), "$.userDefinedDta: is unknown; did you mean userDefinedData?")
	changed := b.do("PATCH", path, map[string]any{
		"operationalState": "DISABLED",
		"userDefinedData":  map[string]any{"rack": nil, "row": "3"},
	},
		"Content-Type: application/merge-patch+json").want(http.StatusOK)
	require.Equal(t, "DISABLED", changed["operationalState"])
	doc = b.do("GET", path, nil).want(http.StatusOK)
	require.Equal(t, map[string]any{"site": "north", "row": "3"}, doc["userDefinedData"])
	changed = b.do("PATCH", path, `{"userDefinedData":null}`, asMergePatch).want(http.StatusOK)
	require.Equal(t, map[string]any{"userDefinedData": map[string]any{}}, changed)
	require.NotContains(t, b.do("GET", path, nil).want(http.StatusOK), "userDefinedData")
	require.Contains(t, b.do("PATCH", path, `{}`, asMergePatch).problem(http.StatusBadRequest), "changes nothing")

	b.do("DELETE", path, nil).want(http.StatusNoContent)
	b.do("GET", path, nil).problem(http.StatusNotFound)
}

func TestBrokenPackageIsRefusedAndCanBeUploadedAgain(t *testing.T) {
	b := newBench(t)
	path := func() string {
		a := b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
		a.want(http.StatusCreated)
		return a.path()
	}()
	b.do("PUT", path+"/package_content", "this is no archive",
		"Content-Type: application/zip").problem(http.StatusBadRequest)
	doc := b.do("GET", path, nil).want(http.StatusOK)
	require.Equal(t, "CREATED", doc["onboardingState"])
	require.NotEmpty(t, doc["onboardingFailureDetails"].(map[string]any)["detail"])

	csar, err := samplePackage()
	require.NoError(t, err)
	b.do("PUT", path+"/package_content", bytes.NewReader(csar), "Content-Type: application/zip").want(http.StatusAccepted)
	require.NotContains(t, b.do("GET", path, nil).want(http.StatusOK), "onboardingFailureDetails")
}

func TestSecondPackageWithTheSameVnfdIsAConflict(t *testing.T) {
	b := newBench(t)
	b.onboard()
	second := b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	csar, err := samplePackage()
	require.NoError(t, err)
	b.do("PUT", second.path()+"/package_content", bytes.NewReader(csar),
		"Content-Type: application/zip").problem(http.StatusConflict)
	require.Equal(t, "CREATED", b.do("GET", second.path(), nil).want(http.StatusOK)["onboardingState"])
}

func TestPackageContentIsServedWholeAndInRanges(t *testing.T) {
	b := newBench(t)
	path, _ := b.onboard()
	csar, err := samplePackage()
	require.NoError(t, err)

	whole := b.do("GET", path+"/package_content", nil)
	whole.want(http.StatusOK)
	require.True(t, bytes.Equal(csar, whole.Body))
	require.Equal(t, "application/zip", whole.Header.Get("Content-Type"))

	part := b.do("GET", path+"/package_content", nil, "Range: bytes=10-19")
	part.want(http.StatusPartialContent)
	require.True(t, bytes.Equal(csar[10:20], part.Body))
	b.do("GET", path+"/package_content", nil, "Range: bytes=999999999-").problem(http.StatusRequestedRangeNotSatisfiable)
	b.do("GET", path+"/package_content", nil, "Accept: application/json").want(http.StatusOK)
	b.do("PUT", path+"/package_content", "x", "Content-Type: text/html").problem(http.StatusUnsupportedMediaType)
}

func TestVnfdAndArtifactsAreServed(t *testing.T) {
	b := newBench(t)
	path, _ := b.onboard()

	archive := b.do("GET", path+"/vnfd", nil)
	archive.want(http.StatusOK)
	r, err := zip.NewReader(bytes.NewReader(archive.Body), int64(len(archive.Body)))
	require.NoError(t, err)
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
	}
	require.Contains(t, names, "Definitions/k8s_ha_top.vnfd.yaml")
	require.Contains(t, names, "TOSCA-Metadata/TOSCA.meta")
	b.do("GET", path+"/vnfd", nil, "Accept: text/plain").problem(http.StatusNotAcceptable)

	artifact := b.do("GET", path+"/artifacts/BaseHOT/ha/ha_hot_top.yaml", nil)
	artifact.want(http.StatusOK)
	require.Contains(t, string(artifact.Body), "heat_template_version")
	b.do("GET", path+"/artifacts/BaseHOT/none.yaml", nil).problem(http.StatusNotFound)
	b.do("GET", path+"/artifacts/..%2f..%2fetc/passwd", nil).problem(http.StatusNotFound)
}

func TestPackageInUseCannotBeDeleted(t *testing.T) {
	b := newBench(t)
	path, vnfdID := b.onboard()
	inst := strings.TrimPrefix(b.create("/vnflcm/v1", vnfdID), "/vnflcm/v1/vnf_instances/")
	require.Contains(t, b.do("DELETE", path, nil).problem(http.StatusConflict), "in use by VNF instance "+inst,
		"whoever disables it first learns it only then")
	require.Equal(t, "IN_USE", b.do("GET", path, nil).want(http.StatusOK)["usageState"])
	b.do("PATCH", path, map[string]any{"operationalState": "DISABLED"}).want(http.StatusOK)
	require.Contains(t, b.do("DELETE", path, nil).problem(http.StatusConflict), "in use")
	b.do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": vnfdID}).problem(http.StatusUnprocessableEntity)
}

func TestPackageListIsShortByDefaultAndCanBeFiltered(t *testing.T) {
	b := newBench(t)
	b.onboard()
	b.do("POST", "/vnfpkgm/v1/vnf_packages",
		map[string]any{"userDefinedData": map[string]any{"a": "b"}}).want(http.StatusCreated)
	require.Len(t, b.do("GET", "/vnfpkgm/v1/vnf_packages", nil).list(), 2)
	on := b.do("GET", "/vnfpkgm/v1/vnf_packages?filter=(eq,onboardingState,ONBOARDED)", nil).list()
	require.Len(t, on, 1)
	require.NotContains(t, on[0], "additionalArtifacts")
	require.Contains(t, b.do("GET", "/vnfpkgm/v1/vnf_packages?all_fields&filter=(eq,onboardingState,ONBOARDED)",
		nil).list()[0], "additionalArtifacts")
}

// TestVnfd_isServedWhereverItsFilesAre uses a CSAR without TOSCA-Metadata, whose definition is in the root directory
// (SOL004 option 2).
func TestVnfd_isServedWhereverItsFilesAre(t *testing.T) {
	b := newBench(t)
	var csar bytes.Buffer
	w := zip.NewWriter(&csar)
	for name, from := range map[string]string{
		"server.yaml": "Definitions/standard.vnfd.yaml", "BaseHOT/simple/standard.yaml": "BaseHOT/simple/standard.yaml",
		"BaseHOT/simple/nested/VDU1.yaml": "BaseHOT/simple/nested/VDU1.yaml",
	} {
		text, err := os.ReadFile("../tests/e2e/testdata/standard/" + from)
		require.NoError(t, err)
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write(text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	a := b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	a.want(http.StatusCreated)
	b.do("PUT", a.path()+"/package_content", csar.String(), "Content-Type: application/zip").want(http.StatusAccepted)

	text := b.do("GET", a.path()+"/vnfd", nil, "Accept: text/plain")
	text.want(http.StatusOK)
	require.Contains(t, string(text.Body), "descriptor_id: 0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e21")
	archive := b.do("GET", a.path()+"/vnfd", nil, "Accept: application/zip")
	r, err := zip.NewReader(bytes.NewReader(archive.Body), int64(len(archive.Body)))
	require.NoError(t, err)
	require.Len(t, r.File, 1)
	require.Equal(t, "server.yaml", r.File[0].Name)
}
