package apiserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// headerAuth trusts a header: "X-Test: client project scope scope".
type headerAuth struct{ down error }

func (h headerAuth) Authenticate(r *http.Request) (auth.Identity, error) {
	words := strings.Fields(r.Header.Get("X-Test"))
	switch {
	case h.down != nil:
		return auth.Identity{}, h.down
	case len(words) == 1:
		return auth.Identity{}, &auth.UnauthenticatedError{RefusalError: &auth.RefusalError{
			Malformed: words[0] == "malformed", Unknown: words[0] == "unknown", Detail: "That is not good.",
			Err: errors.New("the cause"),
		}, Challenges: []string{"Bearer", "Keystone"}}
	case len(words) < 2:
		return auth.Identity{}, &auth.UnauthenticatedError{
			RefusalError: &auth.RefusalError{Detail: "Nothing was given."},
			Challenges:   []string{"Bearer"},
		}
	}
	return auth.Identity{Client: words[0], Project: lcm.ProjectID(words[1]), Scopes: words[2:]}, nil
}

func withAuth(o *Options) { o.Auth = headerAuth{} }

// as returns the header of a client of this project with these scopes.
func as(project string, scopes ...string) string {
	return "X-Test: client-of-" + project + " " + project + " " + strings.Join(scopes, " ")
}

var someMetrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	_,
		_ = w.Write([]byte("windlass_up 1\n"))
})

var pathParam = regexp.MustCompile(`:\w+|\*`)

// allEvents is the stream of all operations.
const allEvents = "/windlass/v1/events"

const someID = "5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30"

// everyRoute calls do for every route, with a path in which the parameters are filled in.
func (b *bench) everyRoute(do func(method, pattern, path string)) {
	b.Helper()
	routes := b.server.handler.(*echo.Echo).Routes()
	require.Greater(b, len(routes), 50)
	for _, r := range routes {
		if r.Method == "echo_route_not_found" {
			continue
		}
		do(r.Method, r.Path, pathParam.ReplaceAllString(r.Path, someID))
	}
}

func TestAuthentication_isWantedAtEveryRouteButTheOpenOnes(t *testing.T) {
	b := newBench(t, withAuth, func(o *Options) { o.Metrics = someMetrics })
	// Without a limit on failed logins, because there are more routes than it allows.
	b.server.failures = newThrottle(0, 0)
	open := map[string]bool{
		"/healthz": true, "/readyz": true, "/metrics": true, "/openapi.json": true, "/docs": true, "/": true,
	}
	b.everyRoute(func(method, pattern, path string) {
		a := b.do(method, path, nil)
		if open[pattern] || strings.HasPrefix(pattern, "/docs/") || pattern == "/ui" || strings.HasPrefix(pattern, "/ui/") || last(pattern) == "login" || last(pattern) == "code" || last(pattern) == "password" || strings.HasSuffix(pattern, "/api_versions") || method == http.MethodOptions {
			require.NotEqual(t, http.StatusUnauthorized, a.Status, "%s %s", method, pattern)
			return
		}
		require.Equal(t, http.StatusUnauthorized, a.Status, "%s %s", method, pattern)
		require.Equal(t, "Bearer", a.Header.Get("WWW-Authenticate"))
	})
	for _, path := range []string{"/nowhere", "/vnflcm/v2/nowhere", "/windlass/v1/x"} {
		b.do("GET", path, nil).problem(http.StatusUnauthorized)
	}
	b.do("PUT", "/vnflcm/v1/vnf_instances", nil).problem(http.StatusUnauthorized)
	b.do("GET", "/nowhere", nil, as("edge")).problem(http.StatusNotFound)
	b.do("PUT", "/vnflcm/v1/vnf_instances", nil, as("edge", "windlass:write")).problem(http.StatusMethodNotAllowed)
}

func TestAuthentication_saysWhatIsWrong(t *testing.T) {
	b := newBench(t, withAuth)
	a := b.do("GET", "/vnflcm/v2/vnf_instances", nil, "X-Test: bad")
	require.Equal(t, "That is not good.", a.problem(http.StatusUnauthorized))
	require.Equal(t, []string{"Bearer", "Keystone"}, a.Header.Values("WWW-Authenticate"))
	require.Contains(t, b.log.String(), "the cause")
	require.NotContains(t, string(a.Body), "the cause")
	b.do("GET", "/vnflcm/v2/vnf_instances", nil, "X-Test: malformed").problem(http.StatusBadRequest)
	b.do("GET", "/vnflcm/v2/vnf_instances", nil, "X-Test: unknown").problem(http.StatusForbidden)
	doc := b.do("GET", "/v1.0/vims", nil).want(http.StatusUnauthorized)
	require.Equal(t, "Unauthorized", doc["TackerError"].(map[string]any)["type"], "as Tacker's client expects it")

	away := newBench(t, func(o *Options) {
		o.Auth = headerAuth{down: lcm.Errorf(lcm.KindUnavailable,
			"Keystone is away.")}
	})
	a = away.do("GET", "/vnflcm/v2/vnf_instances", nil)
	a.problem(http.StatusServiceUnavailable)
	require.NotEmpty(t, a.Header.Get("Retry-After"))
	away.do("GET", "/healthz", nil).want(http.StatusOK)
}

func TestScopes_everyRouteNeedsOne(t *testing.T) {
	b := newBench(t, withAuth, func(o *Options) {
		o.Metrics, o.API.Metrics = someMetrics, config.MetricsAdmin
		o.RequestTimeout = 30 * time.Second
	})
	table, err := os.ReadFile("../docs/security.md")
	require.NoError(t, err)
	documented, tasks := map[string]bool{}, map[string]bool{}
	b.everyRoute(func(method, pattern, path string) {
		need, open := needOf(method, pattern)
		if open || pattern == allEvents && method == http.MethodGet { // the stream never ends, except for HEAD
			return
		}
		what := method + " " + pattern
		refused := b.do(method, path, nil, as("edge"))
		require.Equal(t, http.StatusForbidden, refused.Status, what)
		if method != http.MethodHead { // its answer has no body
			require.Contains(t, refused.problemOrTacker(http.StatusForbidden), "needs the scope", what)
		}
		for i, scope := range need.Scopes() {
			status := b.do(method, path, nil, as("edge", "openid", scope)).Status
			require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, status, "%s with %s", what, scope)
			if i == 0 && !documented[scope] {
				documented[scope] = true
				require.Contains(t, string(table), "`"+scope+"`", "docs/security.md")
			}
		}
		if need.Access == auth.Write {
			require.NotEmpty(t, need.Task, what)
			require.NotEmpty(t, need.APIs, what)
			tasks[need.Task] = true
			b.do(method, path, nil, as("edge", "windlass:read", "vnflcm:v1:readonly", "vnflcm:v2:readonly",
				"vnfpkgm:v1:readonly", "vim:v1:readonly")).want(http.StatusForbidden)
		}
		if need.Access == auth.Admin {
			b.do(method, path, nil, as("edge", "windlass:write")).want(http.StatusForbidden)
		}
	})
	require.Greater(t, len(documented), 40)
	require.Subset(t, slices.Sorted(maps.Keys(tasks)), []string{
		"cancel", "change_ext_conn", "change_flavour", "change_vnfpkg", "create", "create_snapshot", "create_subscription",
		"create_vnf_snapshot", "delete", "delete_host_key",
		"delete_subscription", "delete_vnf_snapshot", "drift", "drift_policy", "fail", "heal", "instantiate", "modify",
		"modify_vnf_snapshot", "notify",
		"operate", "redeliver", "retry", "revert_to_snapshot", "rollback", "scale", "scale_to_level", "terminate", "upload",
	})
	a := b.do("GET", "/vnflcm/v2/vnf_instances", nil, "X-Test: oauth2 nfvo edge") // a client with the name "oauth2"
	a.problem(http.StatusForbidden)
}

// problemOrTacker returns the detail of an error in either form.
func (a answer) problemOrTacker(status int) string {
	a.t.Helper()
	doc := a.want(status)
	if tacker, ok := doc["TackerError"].(map[string]any); ok {
		return tacker["message"].(string)
	}
	return doc["detail"].(string)
}

func TestForbidden_tellsBearersWhichScopeIsMissing(t *testing.T) {
	s := &Server{}
	c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder())
	err := s.forbidden(c, auth.Identity{Client: "oauth2 nfvo", Scopes: []string{"a"}},
		auth.Need{APIs: []string{"vnflcm:v2"}, Access: auth.Write})
	require.ErrorContains(t, err, "needs the scope vnflcm:v2:all or windlass:write or windlass:admin; you have a")
	require.Equal(t, `Bearer realm="windlass", error="insufficient_scope", scope="vnflcm:v2:all"`,
		c.Response().Header().Get("WWW-Authenticate"))
}

func TestAccessLog_namesTheClient(t *testing.T) {
	b := newBench(t, withAuth)
	b.do("GET", "/vnflcm/v2/vnf_instances", nil, as("edge", "windlass:read")).list()
	require.Contains(t, b.log.String(), `"client":"client-of-edge","project":"edge"`)
}

func TestRateLimit_isOfEachClient(t *testing.T) {
	b := newBench(t, withAuth, func(o *Options) { o.Limits.RequestsPerSecond, o.Limits.Burst = 1, 3 })
	limited := 0
	for range 5 {
		a := b.do("GET", "/vnfpkgm/v1/vnf_packages", nil, as("edge", "windlass:read"))
		if a.Status != http.StatusOK {
			require.Contains(t, a.problem(http.StatusTooManyRequests), "try again in")
			require.NotEmpty(t, a.Header.Get("Retry-After"))
			limited++
		}
	}
	require.Positive(t, limited)
	b.do("GET", "/vnfpkgm/v1/vnf_packages", nil, as("core", "windlass:read")).list()
	for range 10 {
		b.do("GET", "/healthz", nil).want(http.StatusOK)
	}
	statuses := map[int]int{}
	for range 2 * failuresBurst {
		statuses[b.do("GET", "/vnfpkgm/v1/vnf_packages", nil, "X-Test: bad").Status]++
	}
	require.Positive(t, statuses[http.StatusUnauthorized])
	// Valid credentials from the same address.
	b.do("GET", "/vnfpkgm/v1/vnf_packages", nil, as("spare", "windlass:read")).list()
}

func TestThrottle_forgetsQuietClients(t *testing.T) {
	th := newThrottle(1000, 1)
	for range mostClients + 10 {
		_, ok := th.take(rest.NewID[string]())
		require.True(t, ok)
	}
	require.LessOrEqual(t, len(th.clients), mostClients)
	off := newThrottle(0, 0)
	for range 100 {
		_, ok := off.take("x")
		require.True(t, ok)
	}
}

func TestURIsAreBounded(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.URIBytes = 300 })
	long := strings.Repeat("x", 400)
	require.Contains(t, b.do("GET", "/vnfpkgm/v1/vnf_packages?filter=(eq,id,"+long+")",
		nil).problem(http.StatusRequestURITooLong), "up to 300")
	b.do("GET", "/vnflcm/v2/vnf_instances/"+long, nil).problem(http.StatusRequestURITooLong)
	b.do("GET", "/vnflcm/v2/vnf_instances?filter=(eq,id,x)", nil).list()
}

func TestBodyLimit_isTold(t *testing.T) {
	for limit, text := range map[int]string{2 << 10: "2 MiB", 3: "3 KiB"} {
		b := newBench(t, func(o *Options) { o.Limits.BodyKiB = limit })
		a := b.do("POST", "/vnfpkgm/v1/vnf_packages", bytes.NewReader(make([]byte, limit<<10+1)))
		require.Contains(t, a.problem(http.StatusRequestEntityTooLarge), text)
	}
	require.Contains(t, rest.ProblemOf(&http.MaxBytesError{Limit: 1000}, "").Detail, "1000 bytes")
}

func TestRemoteAddress_isAHeadersOnlyBehindATrustedProxy(t *testing.T) {
	for _, c := range []struct {
		trusted []netip.Prefix
		want    string
	}{
		{nil, "192.0.2.1"},
		{[]netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, "203.0.113.7"},
		{[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, "192.0.2.1"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil) // its address is 192.0.2.1
		r.Header.Set("X-Forwarded-For", "198.51.100.9, 203.0.113.7")
		require.Equal(t, c.want, extractIP(c.trusted)(r))
	}
}

func TestRunServesTLS(t *testing.T) {
	b := newBench(t)
	spare := httptest.NewTLSServer(nil) // it has a certificate for 127.0.0.1
	t.Cleanup(spare.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	o := b.server.Options
	o.Listener, o.TLS = listener, &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return spare.TLS, nil },
	}
	s, err := New(o)
	require.NoError(t, err)
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- s.Run(ctx) }()
	soon(t, func() bool {
		resp, err := spare.Client().Get("https://" + listener.Addr().String() + "/healthz")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	cancel()
	require.NoError(t, <-done)
}
