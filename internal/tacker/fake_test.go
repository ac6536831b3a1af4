package tacker_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/tacker"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// fake answers as Tacker does: with the resource for a path and query, to a client with the token.
type fake struct {
	answers  map[string]any
	packages map[string][]byte
	links    map[string]string
}

const token = "token-of-keystone"

func newFake() *fake {
	empty := []any{}
	return &fake{packages: map[string][]byte{}, links: map[string]string{}, answers: map[string]any{
		"/vnfpkgm/v1/vnf_packages": empty, "/v1.0/vims": map[string]any{"vims": empty},
		"/vnflcm/v1/vnf_instances": empty, "/vnflcm/v1/vnf_lcm_op_occs": empty, "/vnflcm/v1/subscriptions": empty,
		"/vnflcm/v2/vnf_instances": empty, "/vnflcm/v2/vnf_lcm_op_occs": empty, "/vnflcm/v2/subscriptions": empty,
	}}
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Auth-Token") != token {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"TackerError": {"message": "The request you have made requires authentication."}}`)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/vnflcm/v2") && r.Header.Get("Version") != "2.0.0" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"status": 400, "detail": "Version header is missing."}`)
		return
	}
	if content, ok := f.packages[r.URL.Path]; ok {
		w.Header().Set("Content-Type", "application/zip")
		_, _ = w.Write(content)
		return
	}
	answer, ok := f.answers[r.URL.RequestURI()]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"status": 404, "detail": "The resource could not be found."}`)
		return
	}
	if text, ok := answer.(string); ok {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, text)
		return
	}
	if link := f.links[r.URL.RequestURI()]; link != "" {
		w.Header().Set("Link", link)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// pkg adds a package that is built from the sample after a change.
func (f *fake) pkg(t *testing.T, id string, change func(dir string)) map[string]any {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "package")
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../vnfpkg/samples/k8s-ha")))
	change(dir)
	var archive bytes.Buffer
	require.NoError(t, vnfpkg.Build(dir, &archive))
	f.packages["/vnfpkgm/v1/vnf_packages/"+id+"/package_content"] = archive.Bytes()
	return map[string]any{
		"id": id, "vnfProductName": "Cluster", "vnfSoftwareVersion": "1.0", "onboardingState": "ONBOARDED",
		"operationalState": "ENABLED", "usageState": "IN_USE",
	}
}

func (f *fake) check(t *testing.T) (*tacker.Report, error) {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return (&tacker.Client{Base: server.URL, HTTP: &http.Client{Transport: signed{token}}}).Check(t.Context())
}

// signed adds a token to each request.
type signed struct{ token string }

func (s signed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Auth-Token", s.token)
	return http.DefaultTransport.RoundTrip(r)
}

// replace changes a file of a package.
func replace(t *testing.T, file, former, latter string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	changed := strings.ReplaceAll(string(text), former, latter)
	require.NotEqual(t, string(text), changed)
	require.NoError(t, os.WriteFile(file, []byte(changed), 0o600))
}
