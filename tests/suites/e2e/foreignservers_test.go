package e2e

import (
	"bytes"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// others are the foreign servers that the pages mention, and what readers put into the pages for them.
type others struct {
	subscriber *subscriber
	visits     *visits
	own        map[string]string
}

// visits are the requests that foreign servers got, and the users.
type visits struct {
	mu   sync.Mutex
	seen []string
}

func (v *visits) note(what string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen = append(v.seen, what)
}

// newOthers starts the servers that the pages mention: a subscriber, a registry for images, a server for packages, and
// an API with TLS. It also makes a network to which a VNF can move.
func newOthers(t *testing.T, b *bed) *others {
	t.Helper()
	told, images := newSubscriber(t), startRegistry(t, nil)
	b.AddNetwork(t, "net1")
	seen := &visits{}
	api, authorities := b.behindTLS(t, seen)
	return &others{told, seen, map[string]string{
		"NFVO": told.URL, "PASSWORD": subscriberPassword,
		"REGISTRY": "127.0.0.1:" + images.port(t),
		"SOURCE":   b.packageSource(t, seen) + "/server.zip",
		"VNFM":     api, "AUTHORITIES": authorities,
		"NETWORK": "net1",
		"TACKER":  b.URL,
	}}
}

// sourceVnfdID is the VNFD id of the package on the server for packages.
const sourceVnfdID = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e12"

// packageSource starts a server for packages, and returns its URL.
func (b *bed) packageSource(t *testing.T, seen *visits) string {
	t.Helper()
	archive := anotherServer(t, b)
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		seen.note("package for " + user + ":" + password)
		http.ServeContent(w, r, "package.zip", time.Time{}, bytes.NewReader(archive.Bytes()))
	}))
	t.Cleanup(source.Close)
	return source.URL
}

// behindTLS starts a proxy with TLS for the API. It returns the URL, and the file with the CA certificate.
func (b *bed) behindTLS(t *testing.T, seen *visits) (api, authorities string) {
	t.Helper()
	to, err := url.Parse(b.URL)
	require.NoError(t, err)
	proxy := testbed.Proxy(to)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Auth-Token") != "" {
			seen.note("API with a token of Keystone")
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	authorities = filepath.Join(t.TempDir(), "nfv.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(authorities, certificate, 0o600))
	return server.URL, authorities
}

// requireTold checks that the subscriber gets exactly the notifications that the page subscribes to, and ends the
// subscription.
func (r *reader) requireTold(t *testing.T) {
	t.Helper()
	told := func() (summary []string) {
		summary, _ = r.others.subscriber.told()
		return summary
	}
	require.Eventually(t, func() bool { return slices.Contains(told(), "RESULT MODIFY_INFO COMPLETED") },
		quick, 50*time.Millisecond)
	for _, event := range told() {
		require.Regexp(t, `^RESULT \w+ (COMPLETED|FAILED_TEMP)$`, event)
	}
	r.run(t, sessionStart+"windlass subscription delete "+r.others.own["NFVO"])
}

// requirePackageFetched checks that Windlass has fetched the package with the name and the password of the page.
func (r *reader) requirePackageFetched(t *testing.T) {
	t.Helper()
	require.Contains(t, r.others.visits.seen, "package for nfv:of-the-source")
	r.run(t, sessionStart+"windlass package delete Server:1.0")
}

// requireIdentified checks that the client has sent a token of Keystone.
func (r *reader) requireIdentified(t *testing.T) {
	t.Helper()
	require.Contains(t, r.others.visits.seen, "API with a token of Keystone")
}
