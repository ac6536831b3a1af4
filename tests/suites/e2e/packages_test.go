package e2e

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// anotherServer returns the archive of the package with one server, with another VNFD id: other scenarios may have
// on-boarded the original.
func anotherServer(t *testing.T, b *bed) (archive bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(b.Root, testbed.ServerPackage))))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.ReplaceAll(content, []byte(testbed.ServerVnfdID),
			[]byte(sourceVnfdID)), 0o600)
	})
	require.NoError(t, err)
	require.NoError(t, vnfpkg.Build(dir, &archive))
	return archive
}

// packageFromURI: a worker fetches a package from a URI, although a worker is killed meanwhile. A subscriber gets
// notifications of the on-boarding, of a change and of the deletion.
func packageFromURI(t *testing.T, b *bed) {
	archive := anotherServer(t, b)
	asked, goOn := make(chan struct{}, 100), make(chan struct{})
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		half := archive.Len() / 2
		_, _ = w.Write(archive.Bytes()[:half])
		w.(http.Flusher).Flush()
		asked <- struct{}{}
		select {
		case <-goOn:
		case <-r.Context().Done():
			return
		}
		_, _ = w.Write(archive.Bytes()[half:])
	}))
	t.Cleanup(source.Close)
	told := newSubscriber(t)
	subscription := b.subscribe(t, "/vnfpkgm/v1", told)

	created := b.Call(t, http.MethodPost, "/vnfpkgm/v1/vnf_packages", map[string]any{})
	require.Equal(t, http.StatusCreated, created.Status, "%s", created.Body)
	path := strings.TrimPrefix(created.Header.Get("Location"), b.URL)
	a := b.Call(t, http.MethodPost, path+"/package_content/upload_from_uri",
		map[string]any{"addressInformation": source.URL + "/server.zip"})
	require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
	<-asked
	require.Equal(t, "UPLOADING", b.Get(t, path)["onboardingState"])
	b.KillWorker(t)
	close(goOn)
	require.Eventually(t, func() bool { return b.Get(t, path)["onboardingState"] == "ONBOARDED" }, quick,
		50*time.Millisecond)
	b.recordWorkflow(t, lcm.FetchWorkflowID(lcm.VnfPkgID(filepath.Base(path))), "fetch-package")
	vnfd := b.Get(t, path)["vnfdId"].(string)
	require.Equal(t, filepath.Base(path), b.Get(t, "/vnfpkgm/v1/onboarded_vnf_packages/"+vnfd)["id"])

	disabled := b.Call(t, http.MethodPatch, path, map[string]any{"operationalState": "DISABLED"})
	require.Equal(t, http.StatusOK, disabled.Status, "%s", disabled.Body)
	require.Equal(t, http.StatusNoContent, b.Call(t, http.MethodDelete, path, nil).Status)
	want := []string{"PackageOnboarding", "PackageChange", "PackageChange"}
	require.Eventually(t, func() bool { heard, _ := told.told(); return len(heard) >= len(want) }, 2*quick,
		50*time.Millisecond)
	heard, _ := told.told()
	require.Equal(t, want, heard)
	require.Equal(t, http.StatusNoContent, b.Call(t, http.MethodDelete, subscription, nil).Status)
}
