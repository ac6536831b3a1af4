package vnfpkgm_test

import (
	"archive/zip"
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

func TestUploadFromURI_isLeftToAWorker(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Sources = servertest.Sources{} })
	a := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	a.Want(http.StatusCreated)
	upload := a.Path() + "/package_content/upload_from_uri"
	require.Equal(t, []string{"$.addressInformation"},
		b.Do("POST", upload, map[string]any{"addressInformation": "http://169.254.169.254/latest"}).Paths())
	b.Do("POST", upload, map[string]any{}).Problem(http.StatusBadRequest)
	b.Do("POST", upload, map[string]any{
		"addressInformation": "https://repo.example/k8s.zip", "userName": "repo", "password": servertest.Marker + "-repo",
	}).Want(http.StatusAccepted)
	require.Equal(t, "UPLOADING", b.Do("GET", a.Path(), nil).Want(http.StatusOK)["onboardingState"])

	ids, err := b.Store.ToFetch(t.Context())
	require.NoError(t, err)
	require.Len(t, ids, 1)
	pkg, err := b.Store.Package(t.Context(), ids[0])
	require.NoError(t, err)
	require.NotContains(t, string(pkg.Source), servertest.Marker, "it is sealed")
	clear, err := secrets.OpenDocument(t.Context(), b.Vault, pkg.Source)
	require.NoError(t, err)
	require.Contains(t, string(clear), servertest.Marker+"-repo")

	b.Do("POST", upload, map[string]any{"addressInformation": "https://repo.example/other.zip"}).
		Problem(http.StatusConflict)
	b.Do("PUT", a.Path()+"/package_content", "x", "Content-Type: application/zip").Problem(http.StatusConflict)
	b.Do("POST", "/vnfpkgm/v1/vnf_packages/"+string(pkg.ID[:8])+"/package_content/upload_from_uri",
		map[string]any{}).Problem(http.StatusNotFound)
}

func TestOnboardedPackagesAreFoundByTheirVnfd(t *testing.T) {
	b := servertest.New(t)
	path, vnfdID := b.Onboard()
	b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{}).Want(http.StatusCreated)
	list := b.Do("GET", "/vnfpkgm/v1/onboarded_vnf_packages", nil).List()
	require.Len(t, list, 1, "one that has no content yet is not among them")
	require.Equal(t, vnfdID, list[0]["vnfdId"])

	one := "/vnfpkgm/v1/onboarded_vnf_packages/" + vnfdID
	require.Equal(t, b.Do("GET", path, nil).Want(http.StatusOK), b.Do("GET", one, nil).Want(http.StatusOK))
	for _, part := range []string{"/package_content", "/vnfd", "/artifacts/BaseHOT/ha/ha_hot_top.yaml"} {
		require.Equal(t, b.Do("GET", path+part, nil).Body, b.Do("GET", one+part, nil).Body, part)
	}
	b.Do("GET", one+"/package_content", nil, "Range: bytes=0-3").Want(http.StatusPartialContent)
	b.Do("GET", one+"/vnfd", nil, "Accept: text/plain").Problem(http.StatusNotAcceptable)
	b.Do("GET", "/vnfpkgm/v1/onboarded_vnf_packages/absent", nil).Problem(http.StatusNotFound)
	b.Do("GET", "/vnfpkgm/v1/onboarded_vnf_packages/absent/vnfd", nil).Problem(http.StatusNotFound)
	b.Do("DELETE", one, nil).Problem(http.StatusMethodNotAllowed)
}

func TestPackageShowsItsSoftwareImages(t *testing.T) {
	b := servertest.New(t)
	path, _ := b.Onboard()
	images := b.Do("GET", path, nil).Want(http.StatusOK)["softwareImages"].([]any)
	require.NotEmpty(t, images)
	for _, i := range images {
		image := i.(map[string]any)
		require.NotEmpty(t, image["name"])
		require.Contains(t, []string{"BARE", "DOCKER"}, image["containerFormat"])
		require.Greater(t, image["minDisk"], 0.0)
	}
	require.NotContains(t, b.Do("GET", "/vnfpkgm/v1/vnf_packages", nil).List()[0], "softwareImages",
		"it is left out of lists by default")
}

func TestPackageShowsTheImagesOfItsContainers(t *testing.T) {
	b := servertest.New(t)
	b.OnboardDir("../../vnfpkg/samples/cnf-tosca")
	path := "/vnfpkgm/v1/vnf_packages/" + b.Do("GET", "/vnfpkgm/v1/vnf_packages", nil).List()[0]["id"].(string)
	images := b.Do("GET", path, nil).Want(http.StatusOK)["softwareImages"].([]any)
	require.Len(t, images, 1)
	image := images[0].(map[string]any)
	require.Equal(t, "server", image["id"])
	require.Equal(t, "lab.local/web", image["name"])
	require.Equal(t, "v1", image["version"])
	require.Equal(t, "DOCKER", image["containerFormat"])
}

// withLargeFile writes the sample package with a further file that does not compress.
func withLargeFile(w io.Writer, name string, size int64) error {
	csar, err := servertest.SamplePackage()
	if err != nil {
		return err
	}
	sample, err := zip.NewReader(bytes.NewReader(csar), int64(len(csar)))
	if err != nil {
		return err
	}
	out := zip.NewWriter(w)
	for _, f := range sample.File {
		if err := out.Copy(f); err != nil {
			return err
		}
	}
	f, err := out.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err == nil {
		_, err = io.CopyN(f, largeFile(), size)
	}
	if err != nil {
		return err
	}
	return out.Close()
}

// largeFile returns the same random data each time.
func largeFile() io.Reader { return rand.NewChaCha8([32]byte{}) }

// peakMemory measures the heap until stop is called.
func peakMemory() (stop func() uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	done, ended, peak := make(chan struct{}), sync.WaitGroup{}, uint64(0)
	ended.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(sample)
			peak = max(peak, sample[0].Value.Uint64())
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	return func() uint64 {
		close(done)
		ended.Wait()
		return peak
	}
}

func TestLargePackages_passThroughMemoryInPieces(t *testing.T) {
	const size, most = 256 << 20, 128 << 20
	b := servertest.New(t)
	plain := httptest.NewServer(b.Server) // the bench's own server stores the bodies of requests
	t.Cleanup(plain.Close)
	watched := b.HTTP
	b.HTTP = plain
	t.Cleanup(func() { b.HTTP = watched })
	created := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	created.Want(http.StatusCreated)
	path := created.Path()
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(withLargeFile(w, "Files/large.bin", size)) }()
	stop := peakMemory()
	b.Do("PUT", path+"/package_content", r, "Content-Type: application/zip").Want(http.StatusAccepted)

	// The file is too large for the artifacts that activities read, so the server reads it from the archive.
	got := b.Do("GET", path+"/artifacts/Files/large.bin", nil, "Range: bytes=209715200-209715263")
	require.Equal(t, http.StatusPartialContent, got.Status)
	want := make([]byte, 64)
	noise := largeFile()
	_, err := io.CopyN(io.Discard, noise, 200<<20)
	require.NoError(t, err)
	_, err = io.ReadFull(noise, want)
	require.NoError(t, err)
	require.Equal(t, want, got.Body)
	require.Less(t, stop(), uint64(most), "%d MiB went through", size>>20)

	b.Do("GET", path+"/artifacts/Files/large.bin", nil,
		"Range: bytes=99999999999-").Problem(http.StatusRequestedRangeNotSatisfiable)
}
