package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// chartSource serves the sample's chart from a repository (/stable) and an OCI registry (/charts/web:0.1.0).
type chartSource struct{ *httptest.Server }

// newChartSource starts the source, and allows Windlass to fetch from its address.
func newChartSource(t *testing.T) *chartSource {
	t.Helper()
	archive := packedChart(t)
	mux := http.NewServeMux()
	mux.Handle("/v2/", registry.New())
	mux.HandleFunc("/stable/index.yaml", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "apiVersion: v1\nentries:\n  web: [{name: web, version: 0.1.0, urls: [web-0.1.0.tgz]}]\n")
	})
	mux.HandleFunc("/stable/web-0.1.0.tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive) })
	s := &chartSource{httptest.NewTLSServer(mux)}
	t.Cleanup(s.Close)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(authority,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	t.Setenv("WINDLASS_PACKAGES_ALLOWED_SOURCES", s.URL+"/stable,oci://"+s.host()+"/charts")
	t.Setenv("WINDLASS_PACKAGES_DENIED_NETWORKS", "none") // Windlass denies loopback by default
	t.Setenv("WINDLASS_PACKAGES_CA_FILE", authority)

	reference, err := name.ParseReference(s.host() + "/charts/web:0.1.0")
	require.NoError(t, err)
	chart, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		static.NewLayer(archive, "application/vnd.cncf.helm.chart.content.v1.tar+gzip"))
	require.NoError(t, err)
	require.NoError(t, remote.Write(reference, chart, remote.WithTransport(s.Client().Transport)))
	return s
}

func (s *chartSource) host() string { return s.Listener.Addr().String() }

// packedChart returns the sample's chart as "helm package" packs it.
func packedChart(t *testing.T) []byte {
	t.Helper()
	root, err := environment.Root()
	require.NoError(t, err)
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	folder := os.DirFS(filepath.Join(root, "vnfpkg/samples/cnf-helm/Files/kubernetes/web"))
	require.NoError(t, fs.WalkDir(folder, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(folder, file)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: path.Join("web", file), Mode: 0o644, Size: int64(len(text))}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	}))
	require.NoError(t, w.Close())
	require.NoError(t, zipped.Close())
	return out.Bytes()
}

// fromRepository returns the request with the chart of the repository, in the form of /vnflcm/v1.
func (s *chartSource) fromRepository(request map[string]any) map[string]any {
	params := request["additionalParams"].(map[string]any)
	for _, member := range []string{"helm_chart_path", "helm_parameters", "helm_value_names"} {
		delete(params, member)
	}
	params["use_helm"] = "true"
	params["using_helm_install_param"] = []any{map[string]any{
		"exthelmchart": "true", "helmreleasename": "second", "helmrepositoryname": "stable", "helmchartname": "web",
		"exthelmrepo_url": s.URL + "/stable", "helmparameter": []any{"service.port=8081", "admin.password=" + testbed.NodePassword},
	}}
	params["helm_replica_values"] = map[string]any{"web_pods": "replicaCount"}
	return request
}
