package sources_test

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/sources"
)

const archive = "an archive"

// site serves files by their paths.
type site struct {
	*httptest.Server
	files map[string]string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{files: map[string]string{}}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := s.files[r.URL.Path]
		switch {
		case strings.HasPrefix(text, "to "):
			http.Redirect(w, r, strings.TrimPrefix(text, "to "), http.StatusFound)
		case text == "down":
			w.WriteHeader(http.StatusServiceUnavailable)
		case text == "silent":
			<-r.Context().Done()
		case !ok:
			http.NotFound(w, r)
		default:
			if strings.Contains(r.URL.Path, "/manifests/") {
				w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
				w.Header().Set("Docker-Content-Digest", digest.FromString(text).String())
			}
			_, _ = io.WriteString(w, text)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) fetcher(t *testing.T, o sources.Options) *sources.Fetcher {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	trust := &tls.Config{RootCAs: pool}
	o.TLS = func() *tls.Config { return trust }
	f, err := sources.New(o)
	require.NoError(t, err)
	return f
}

func (s *site) host() string { return s.Listener.Addr().String() }

// publish adds a chart with a tag to the registry.
func (s *site) publish(name, tag, content string) {
	manifest := fmt.Sprintf(`{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
"config": {"mediaType": "application/vnd.cncf.helm.config.v1+json", "digest": %q, "size": 2},
"layers": [{"mediaType": "application/vnd.cncf.helm.chart.content.v1.tar+gzip", "digest": %q, "size": %d}]}`,
		digest.FromString("{}"), digest.FromString(archive), len(archive))
	s.files["/v2/"+name+"/manifests/"+tag] = manifest
	s.files["/v2/"+name+"/blobs/"+digest.FromString(archive).String()] = content
}

func TestFetch(t *testing.T) {
	s := newSite(t)
	f := s.fetcher(t, sources.Options{Allowed: []string{s.URL + "/stable/", "oci://" + s.host() + "/charts"}})
	s.files["/stable/web.yaml"] = "kind: Pod"
	s.files["/stable/moved.yaml"] = "to " + s.URL + "/elsewhere.yaml"
	s.files["/elsewhere.yaml"] = "kind: Service"
	s.files["/stable/index.yaml"] = fmt.Sprintf(`entries:
  web:
  - {version: 0.2.0, urls: [web-0.2.0.tgz]}
  - {version: 0.10.0, urls: [%s/stable/web-0.10.0.tgz], digest: %x}
  - {version: 1.0.0-rc.1, urls: [web-1.0.0-rc.1.tgz]}
  moved: [{version: 1.0.0, urls: ['oci://%s/charts/web:0.1.0']}]
`, s.URL, sha256.Sum256([]byte(archive)), s.host())
	s.files["/stable/web-0.2.0.tgz"], s.files["/stable/web-0.10.0.tgz"] = "older", archive
	s.files["/stable/web-1.0.0-rc.1.tgz"] = "candidate"
	s.publish("charts/web", "0.1.0", archive)
	for source, want := range map[cnf.Source]string{
		{URL: s.URL + "/stable/web.yaml"}:                              "kind: Pod",
		{URL: s.URL + "/stable/moved.yaml"}:                            "kind: Service",
		{URL: s.URL + "/stable", Chart: "web"}:                         archive,
		{URL: s.URL + "/stable/", Chart: "web", Version: "0.2.0"}:      "older",
		{URL: s.URL + "/stable/", Chart: "web", Version: "~0.2"}:       "older",
		{URL: s.URL + "/stable/", Chart: "web", Version: "1.0.0-rc.1"}: "candidate",
		{URL: s.URL + "/stable", Chart: "moved"}:                       archive,
		{URL: "oci://" + s.host() + "/charts/web:0.1.0"}:               archive,
	} {
		got, err := f.Fetch(t.Context(), source)
		require.NoError(t, err, source)
		require.Equal(t, want, string(got), source)
	}
}

func TestFetch_saysWhatIsWrong(t *testing.T) {
	s := newSite(t)
	allowed := []string{s.URL + "/stable", "oci://" + s.host() + "/charts"}
	f := s.fetcher(t, sources.Options{Allowed: allowed})
	s.files["/stable/index.yaml"] = fmt.Sprintf(`entries:
  web: [{version: 0.1.0, urls: [web.tgz], digest: 'sha256:%064d'}]
  away: [{version: 0.1.0, urls: ['https://charts.example/away.tgz']}]
`, 1)
	s.files["/stable/web.tgz"], s.files["/stable/down"], s.files["/stable/silent"] = archive, "down", "silent"
	s.files["/stable/large"] = strings.Repeat("x", 17<<20)
	s.files["/stable/round"] = "to " + s.URL + "/stable/round"
	s.files["/stable/words/index.yaml"] = "words"
	s.files["/stable/plain"] = "to http://charts.example/x"
	s.publish("charts/web", "0.1.0", "an altered")
	s.files["/v2/charts/image/manifests/1"] = `{"schemaVersion": 2, "layers": []}`
	for _, c := range []struct {
		source cnf.Source
		kind   lcm.ErrorKind
		says   string
	}{
		{cnf.Source{URL: s.URL + "/other/web.yaml"}, lcm.KindDenied, "packages.allowedSources"},
		{cnf.Source{URL: s.URL + "/stables/web.yaml"}, lcm.KindDenied, "packages.allowedSources"},
		{cnf.Source{URL: s.URL + "/stable/../other/web.yaml"}, lcm.KindDenied, "packages.allowedSources"},
		{cnf.Source{URL: "https://charts.example/stable/web.yaml"}, lcm.KindDenied, "packages.allowedSources"},
		{cnf.Source{URL: "oci://" + s.host() + "/others/web:0.1.0"}, lcm.KindDenied, "packages.allowedSources"},
		{cnf.Source{URL: s.URL + "/stable/none?token=secret"}, lcm.KindInvalid, "/stable/none answers 404"},
		{cnf.Source{URL: s.URL + "/stable/down"}, lcm.KindUnavailable, "answers 503"},
		{cnf.Source{URL: s.URL + "/stable/large"}, lcm.KindInvalid, "larger than the limit of 16 MiB"},
		{cnf.Source{URL: s.URL + "/stable/round"}, lcm.KindInvalid, "redirects more than 5 times"},
		{cnf.Source{URL: s.URL + "/stable/plain"}, lcm.KindInvalid, "without TLS"},
		{cnf.Source{URL: s.URL + "/stable/words", Chart: "web"}, lcm.KindInvalid, "is no repository of charts"},
		{cnf.Source{URL: s.URL + "/stable", Chart: "db"}, lcm.KindInvalid, "has no chart db."},
		{cnf.Source{URL: s.URL + "/stable", Chart: "web", Version: "9.0.0"}, lcm.KindInvalid, "has no chart web in version 9.0.0."},
		{cnf.Source{URL: s.URL + "/stable", Chart: "web"}, lcm.KindInvalid, "the digests differ"},
		{cnf.Source{URL: s.URL + "/stable", Chart: "away"}, lcm.KindDenied, "https://charts.example/away.tgz"},
		{cnf.Source{URL: "oci://" + s.host() + "/charts/web"}, lcm.KindInvalid, "add its tag"},
		{cnf.Source{URL: "oci://" + s.host() + "/charts/web:0.2.0"}, lcm.KindInvalid, "answers 404"},
		{cnf.Source{URL: "oci://" + s.host() + "/charts/image:1"}, lcm.KindInvalid, "is no chart"},
		{cnf.Source{URL: "oci://" + s.host() + "/charts/web:0.1.0"}, lcm.KindInvalid, "the digests differ"},
	} {
		_, err := f.Fetch(t.Context(), c.source)
		require.True(t, lcm.Is(err, c.kind), "%s: %v", c.source.URL, err)
		require.ErrorContains(t, err, c.says)
		require.NotContains(t, err.Error(), "secret")
	}
	hurried := s.fetcher(t, sources.Options{Allowed: allowed, Patience: time.Second})
	_, err := hurried.Fetch(t.Context(), cnf.Source{URL: s.URL + "/stable/silent?token=secret"})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	require.ErrorContains(t, err, "longer than 1s")
	require.NotContains(t, err.Error(), "secret")
}

func TestFetch_goesToNoDeniedNetwork(t *testing.T) {
	s := newSite(t)
	s.files["/web.yaml"] = "kind: Pod"
	by := s.fetcher(t, sources.Options{
		Allowed: []string{s.URL, "oci://" + s.host()}, Denied: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	for _, u := range []string{s.URL + "/web.yaml", "oci://" + s.host() + "/charts/web:0.1.0"} {
		_, err := by.Fetch(t.Context(), cnf.Source{URL: u})
		require.True(t, lcm.Is(err, lcm.KindDenied), "%v", err)
		require.ErrorContains(t, err, "packages.deniedNetworks")
	}
	_, err := s.fetcher(t, sources.Options{}).Fetch(t.Context(), cnf.Source{URL: s.URL + "/web.yaml"})
	require.True(t, lcm.Is(err, lcm.KindDenied), "nothing is allowed by default: %v", err)
}

func TestNew_refusesWhatIsNoBeginning(t *testing.T) {
	for _, text := range []string{"charts.example", "ftp://charts.example", "https://", "https://u:p@charts.example", "%"} {
		_, err := sources.New(sources.Options{Allowed: []string{text}})
		require.True(t, lcm.Is(err, lcm.KindInvalid), text)
	}
}
