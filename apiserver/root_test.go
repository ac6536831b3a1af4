package apiserver_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

func TestRoot_leadsOn(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth) // these paths need no credentials
	doc := b.Do("GET", "/", nil, "Accept: */*").Want(http.StatusOK)
	require.Equal(t, "Windlass", doc["name"])
	links := doc["_links"].(map[string]any)
	require.Equal(t, map[string]any{"href": servertest.Endpoint + "/docs/README.md"}, links["docs"])
	for name, l := range links {
		path, ok := strings.CutPrefix(l.(map[string]any)["href"].(string), servertest.Endpoint)
		require.True(t, ok, name)
		b.Do("GET", path, nil, servertest.As("edge", "windlass:write")).Want(http.StatusOK)
	}
	require.Equal(
		t,
		"OPTIONS, GET, HEAD",
		b.Do("POST", "/", nil, servertest.As("edge", "windlass:write")).Header.Get("Allow"),
	)
}

func TestRoot_sendsBrowsersToThePage(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth)
	a := b.Do("GET", "/", nil, "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	require.Equal(t, http.StatusSeeOther, a.Status)
	require.Equal(t, "ui/", a.Header.Get("Location"))
	require.Equal(t, "Accept", a.Header.Get("Vary"))
	for _, accept := range []string{"application/json, text/html", "text/html;q=0, */*"} {
		b.Do("GET", "/", nil, "Accept: "+accept).Want(http.StatusOK)
	}
	b.Do("GET", "/", nil, "Accept: image/png").Problem(http.StatusNotAcceptable)
}

// TestHead_isAnsweredWhereverGetIs checks that HEAD has the same answer as GET for every resource, without the body
// (RFC 9110 clause 9.3.2).
func TestHead_isAnsweredWhereverGetIs(t *testing.T) {
	b, e := servertest.TwoProjects(t, func(o *apiserver.Options) { o.Metrics = someMetrics })
	id := rest.HeaderRequestID + ": the-same"
	headers := func(a servertest.Answer) http.Header {
		h := a.Header.Clone()
		h.Del("Date")
		return h
	}
	methods := map[string][]string{}
	for _, r := range b.Server.Echo().Routes() {
		methods[r.Path] = append(methods[r.Path], r.Method)
	}
	found := 0
	for pattern, has := range methods {
		if strings.HasSuffix(pattern, "/events") {
			continue // see the next test
		}
		path, absent := e.At(pattern)
		if !slices.Contains(has, http.MethodGet) {
			a := b.Do(http.MethodHead, path, nil, servertest.Ops, id)
			require.Equal(t, http.StatusMethodNotAllowed, a.Status, pattern)
			require.NotContains(t, a.Header.Get("Allow"), http.MethodHead, pattern)
			continue
		}
		for _, path := range []string{path, absent, path + "?no_such_parameter=1"} {
			// Nothing is compressed: a compressed answer has no length, and Go's client asks for one with a GET only.
			const plain = "Accept-Encoding: identity"
			get, head := b.Do(
				http.MethodGet,
				path,
				nil,
				servertest.Edge,
				id,
				plain,
			), b.Do(
				http.MethodHead,
				path,
				nil,
				servertest.Edge,
				id,
				plain,
			)
			require.Equal(t, get.Status, head.Status, path)
			require.Empty(t, head.Body, path)
			if get.Status == http.StatusOK {
				found++
			}
			want := headers(get)
			// A server may omit it when it generates the body while it sends it.
			if head.Header.Get("Content-Length") == "" {
				want.Del("Content-Length")
			}
			require.Equal(t, want, headers(head), path)
		}
		if !slices.Contains(has, http.MethodPatch) {
			allow := b.Do(http.MethodPatch, path, nil, servertest.Ops).Header.Get("Allow")
			require.Contains(t, allow, "GET, HEAD", pattern)
		}
	}
	require.Greater(t, found, 40)
	require.Equal(t, http.StatusUnauthorized, b.Do(http.MethodHead, "/vnflcm/v1/vnf_instances", nil).Status,
		"it is no way around credentials")
	require.Equal(t, http.StatusForbidden, b.Do(http.MethodHead, "/windlass/v1/audit", nil,
		servertest.As("edge", "vnflcm:v1:readonly")).Status)
}

// TestHead_ofAStreamEndsAtOnce checks that a HEAD returns the headers of a stream at once, although the stream of a
// running operation does not end.
func TestHead_ofAStreamEndsAtOnce(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Heartbeat = time.Hour })
	a := b.Do(http.MethodHead, servertest.ProgressOf(b.Began())+"/events", nil)
	a.Want(http.StatusOK)
	require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
}
