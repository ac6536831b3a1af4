package hostile

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/openapi"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/config"
)

// endpoint is the URL of the API server, as its configuration says.
const endpoint = "https://vnfm.example:9890"

// everybody accepts every client as an administrator.
type everybody struct{}

func (everybody) Authenticate(*http.Request) (auth.Identity, error) { return auth.Nobody, nil }

// asked sends a request with this Host and these headers, and returns the status of the answer. With "" as body, the
// request has none.
func asked(t *testing.T, o apiserver.Options, method, path, host, body string, headers ...string) int {
	t.Helper()
	o.API.Endpoint = endpoint
	s, err := apiserver.New(o)
	require.NoError(t, err)
	r := httptest.NewRequestWithContext(t.Context(), method, "http://"+host+path, strings.NewReader(body))
	r.Host = host
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code
}

func TestBrowser_hostIsOneByWhichTheServerGoes(t *testing.T) {
	o := apiserver.Options{API: config.API{Listen: "api.internal:9890", AllowedHosts: []string{"windlass"}}}
	for host, want := range map[string]int{
		"vnfm.example:9890": 200, "vnfm.example": 200, "VNFM.example.": 200, "api.internal": 200, "windlass:80": 200,
		"localhost:9890": 200, "127.0.0.1:9890": 200, "[::1]:9890": 200, "192.0.2.7": 200, "[2001:db8::7]:9890": 200,
		"[::1]": 200, "evil.example": 403, "vnfm.example.evil.example:9890": 403, "evil-vnfm.example": 403,
		"localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "": 403,
	} {
		require.Equal(t, want, asked(t, o, http.MethodGet, "/vnflcm/v1/api_versions", host, ""), host)
	}
	require.Equal(t, 200, asked(t, o, http.MethodGet, "/healthz", "evil.example", ""), "a balancer's probe")
	o.Auth = everybody{}
	require.Equal(t, 200, asked(t, o, http.MethodGet, "/vnflcm/v1/api_versions", "evil.example", ""),
		"no page has a token")
}

func TestBrowser_pagesOfOthersAreKeptOut(t *testing.T) {
	// The server has no such route, so 404 means that the request was let through.
	const host, task = "127.0.0.1:9890", "/nothing"
	asJSON := "Content-Type: application/json"
	for name, c := range map[string]struct {
		method  string
		headers []string
		want    int
	}{
		"curl": {"POST", []string{asJSON}, 404},
		"a page of another host": {"POST", []string{
			asJSON, "Origin: https://evil.example",
			"Sec-Fetch-Site: cross-site",
		}, 403},
		"without Sec-Fetch": {"POST", []string{asJSON, "Origin: https://evil.example"}, 403},
		"another port of this host": {"POST", []string{
			asJSON, "Origin: http://127.0.0.1:3000",
			"Sec-Fetch-Site: same-site",
		}, 403},
		"a page in a sandbox": {"POST", []string{asJSON, "Origin: null", "Sec-Fetch-Site: cross-site"}, 403},
		"without Origin":      {"POST", []string{asJSON, "Sec-Fetch-Site: cross-site"}, 403},
		"an own page": {"POST", []string{
			asJSON, "Origin: http://127.0.0.1:9890",
			"Sec-Fetch-Site: same-origin",
		}, 404},
		"an own page behind a proxy": {"POST", []string{asJSON, "Origin: https://vnfm.example:9890"}, 404},
		"a person": {"GET", []string{
			"Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate",
			"Sec-Fetch-Dest: document",
		}, 404},
		"a person who follows a link": {"GET", []string{
			"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
			"Sec-Fetch-Dest: document",
		}, 404},
		"a form of another page": {"POST", []string{
			asJSON, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
			"Sec-Fetch-Dest: document",
		}, 403},
		"an image of another page": {"GET", []string{
			"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors",
			"Sec-Fetch-Dest: image",
		}, 403},
		"a frame of another page": {"GET", []string{
			"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
			"Sec-Fetch-Dest: iframe",
		}, 403},
		"a script of another page": {"GET", []string{"Origin: https://evil.example"}, 403},
		"a form":                   {"POST", []string{"Content-Type: application/x-www-form-urlencoded"}, 415},
		"a form with files":        {"POST", []string{"Content-Type: multipart/form-data; boundary=x"}, 415},
		"a text":                   {"POST", []string{"Content-Type: text/plain;charset=UTF-8"}, 415},
		"no type":                  {"POST", nil, 415},
		"no type that can be read": {"POST", []string{"Content-Type: ;;"}, 415},
		"a PUT needs none":         {"PUT", nil, 404},
	} {
		body := ""
		if c.method == "POST" || c.method == "PUT" {
			body = "{}"
		}
		require.Equal(t, c.want, asked(t, apiserver.Options{}, c.method, task, host, body, c.headers...), name)
		require.Equal(t, c.want, asked(t, apiserver.Options{
			Auth:     everybody{},
			Security: openapi.Security{Certificates: true},
		}, c.method, task, host, body, c.headers...),
			"%s, with a client certificate", name)
		require.Equal(t, 404, asked(t, apiserver.Options{Auth: everybody{}, Security: openapi.Security{Certificates: true}},
			c.method, task, host, body,
			append(c.headers, "X-Auth-Token: t")...), "%s, with a token", name)
		require.Equal(t, 404, asked(t, apiserver.Options{Auth: everybody{}}, c.method, task, host, body, c.headers...),
			"%s, where everybody needs a token", name)
	}
	require.Equal(t, 403, asked(t, apiserver.Options{}, http.MethodOptions, task, host, "", "Origin: https://evil.example",
		"Access-Control-Request-Method: POST"),
		"a page that asks first")
	require.Equal(t, 404, asked(t, apiserver.Options{}, http.MethodPost, task, host, ""),
		"a task without a body has no type")
}

// TestBrowser_pageWithoutTLSIsNotThatOfAServerWithTLS sends requests of a page that has the server's host, but came
// without TLS, so that an attacker on the network may have written it.
func TestBrowser_pageWithoutTLSIsNotThatOfAServerWithTLS(t *testing.T) {
	o := apiserver.Options{
		API: config.API{Endpoint: "https://vnfm.example"}, Auth: everybody{}, Security: openapi.Security{Certificates: true},
	}
	s, err := apiserver.New(o)
	require.NoError(t, err)
	for origin, want := range map[string]int{
		"http://vnfm.example": 403, "https://vnfm.example": 404, "HTTPS://vnfm.example": 404,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "https://vnfm.example/nothing",
			strings.NewReader("{}"))
		require.NotNil(t, r.TLS)
		r.Header.Set("Origin", origin)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		require.Equal(t, want, w.Code, origin)
	}
}
