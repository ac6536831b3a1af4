package apiserver_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

var someMetrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	_,
		_ = w.Write([]byte("windlass_up 1\n"))
})

// everyRoute calls do for every route, with a path in which the parameters are filled in.
func everyRoute(b *servertest.Bench, do func(method, pattern, path string)) {
	b.Helper()
	routes := b.Server.Echo().Routes()
	require.Greater(b, len(routes), 50)
	for _, r := range routes {
		if r.Method == "echo_route_not_found" {
			continue
		}
		do(r.Method, r.Path, servertest.PathParam.ReplaceAllString(r.Path, servertest.SomeID))
	}
}

func TestAuthentication_isWantedAtEveryRouteButTheOpenOnes(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth, func(o *apiserver.Options) { o.Metrics = someMetrics })
	// Without a limit on failed logins, because there are more routes than it allows.
	b.Server.ForgiveFailures()
	open := map[string]bool{
		"/healthz": true, "/readyz": true, "/metrics": true, "/openapi.json": true, "/docs": true, "/": true,
	}
	everyRoute(b, func(method, pattern, path string) {
		a := b.Do(method, path, nil)
		if open[pattern] || strings.HasPrefix(pattern, "/docs/") || pattern == "/ui" || strings.HasPrefix(pattern, "/ui/") ||
			servertest.LastPart(pattern) == "login" ||
			servertest.LastPart(pattern) == "code" ||
			servertest.LastPart(pattern) == "password" ||
			strings.HasSuffix(pattern, "/api_versions") ||
			method == http.MethodOptions {
			require.NotEqual(t, http.StatusUnauthorized, a.Status, "%s %s", method, pattern)
			return
		}
		require.Equal(t, http.StatusUnauthorized, a.Status, "%s %s", method, pattern)
		require.Equal(t, "Bearer", a.Header.Get("WWW-Authenticate"))
	})
	for _, path := range []string{"/nowhere", "/vnflcm/v2/nowhere", "/windlass/v1/x"} {
		b.Do("GET", path, nil).Problem(http.StatusUnauthorized)
	}
	b.Do("PUT", "/vnflcm/v1/vnf_instances", nil).Problem(http.StatusUnauthorized)
	b.Do("GET", "/nowhere", nil, servertest.As("edge")).Problem(http.StatusNotFound)
	b.Do("PUT", "/vnflcm/v1/vnf_instances", nil, servertest.As("edge", "windlass:write")).
		Problem(http.StatusMethodNotAllowed)
}

func TestAuthentication_saysWhatIsWrong(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth)
	a := b.Do("GET", "/vnflcm/v2/vnf_instances", nil, "X-Test: bad")
	require.Equal(t, "That is not good.", a.Problem(http.StatusUnauthorized))
	require.Equal(t, []string{"Bearer", "Keystone"}, a.Header.Values("WWW-Authenticate"))
	require.Contains(t, b.Logged.String(), "the cause")
	require.NotContains(t, string(a.Body), "the cause")
	b.Do("GET", "/vnflcm/v2/vnf_instances", nil, "X-Test: malformed").Problem(http.StatusBadRequest)
	b.Do("GET", "/vnflcm/v2/vnf_instances", nil, "X-Test: unknown").Problem(http.StatusForbidden)
	doc := b.Do("GET", "/v1.0/vims", nil).Want(http.StatusUnauthorized)
	require.Equal(t, "Unauthorized", doc["TackerError"].(map[string]any)["type"], "as Tacker's client expects it")

	away := servertest.New(t, func(o *apiserver.Options) {
		o.Auth = servertest.HeaderAuth{Down: lcm.Errorf(lcm.KindUnavailable,
			"Keystone is away.")}
	})
	a = away.Do("GET", "/vnflcm/v2/vnf_instances", nil)
	a.Problem(http.StatusServiceUnavailable)
	require.NotEmpty(t, a.Header.Get("Retry-After"))
	away.Do("GET", "/healthz", nil).Want(http.StatusOK)
}

func TestScopes_everyRouteNeedsOne(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth, func(o *apiserver.Options) {
		o.Metrics, o.API.Metrics = someMetrics, config.MetricsAdmin
		o.RequestTimeout = 30 * time.Second
	})
	table, err := os.ReadFile("../docs/security.md")
	require.NoError(t, err)
	documented, tasks := map[string]bool{}, map[string]bool{}
	everyRoute(b, func(method, pattern, path string) {
		need, open := apiserver.NeedOf(method, pattern)
		if open || pattern == servertest.AllEvents && method == http.MethodGet { // the stream never ends, except for HEAD
			return
		}
		what := method + " " + pattern
		refused := b.Do(method, path, nil, servertest.As("edge"))
		require.Equal(t, http.StatusForbidden, refused.Status, what)
		if method != http.MethodHead { // its answer has no body
			require.Contains(t, refused.ProblemOrTacker(http.StatusForbidden), "needs the scope", what)
		}
		for i, scope := range need.Scopes() {
			status := b.Do(method, path, nil, servertest.As("edge", "openid", scope)).Status
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
			b.Do(method, path, nil, servertest.As("edge", "windlass:read", "vnflcm:v1:readonly", "vnflcm:v2:readonly",
				"vnfpkgm:v1:readonly", "vim:v1:readonly")).Want(http.StatusForbidden)
		}
		if need.Access == auth.Admin {
			b.Do(method, path, nil, servertest.As("edge", "windlass:write")).Want(http.StatusForbidden)
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
	a := b.Do("GET", "/vnflcm/v2/vnf_instances", nil, "X-Test: oauth2 nfvo edge") // a client with the name "oauth2"
	a.Problem(http.StatusForbidden)
}

func TestAccessLog_namesTheClient(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth)
	b.Do("GET", "/vnflcm/v2/vnf_instances", nil, servertest.As("edge", "windlass:read")).List()
	require.Contains(t, b.Logged.String(), `"client":"client-of-edge","project":"edge"`)
}

func TestRateLimit_isOfEachClient(t *testing.T) {
	b := servertest.New(
		t,
		servertest.WithAuth,
		func(o *apiserver.Options) { o.Limits.RequestsPerSecond, o.Limits.Burst = 1, 3 },
	)
	limited := 0
	for range 5 {
		a := b.Do("GET", "/vnfpkgm/v1/vnf_packages", nil, servertest.As("edge", "windlass:read"))
		if a.Status != http.StatusOK {
			require.Contains(t, a.Problem(http.StatusTooManyRequests), "try again in")
			require.NotEmpty(t, a.Header.Get("Retry-After"))
			limited++
		}
	}
	require.Positive(t, limited)
	b.Do("GET", "/vnfpkgm/v1/vnf_packages", nil, servertest.As("core", "windlass:read")).List()
	for range 10 {
		b.Do("GET", "/healthz", nil).Want(http.StatusOK)
	}
	statuses := map[int]int{}
	for range 2 * apiserver.FailuresBurst {
		statuses[b.Do("GET", "/vnfpkgm/v1/vnf_packages", nil, "X-Test: bad").Status]++
	}
	require.Positive(t, statuses[http.StatusUnauthorized])
	// Valid credentials from the same address.
	b.Do("GET", "/vnfpkgm/v1/vnf_packages", nil, servertest.As("spare", "windlass:read")).List()
}

func TestURIsAreBounded(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Limits.URIBytes = 300 })
	long := strings.Repeat("x", 400)
	require.Contains(t, b.Do("GET", "/vnfpkgm/v1/vnf_packages?filter=(eq,id,"+long+")",
		nil).Problem(http.StatusRequestURITooLong), "up to 300")
	b.Do("GET", "/vnflcm/v2/vnf_instances/"+long, nil).Problem(http.StatusRequestURITooLong)
	b.Do("GET", "/vnflcm/v2/vnf_instances?filter=(eq,id,x)", nil).List()
}

func TestBodyLimit_isTold(t *testing.T) {
	for limit, text := range map[int]string{2 << 10: "2 MiB", 3: "3 KiB"} {
		b := servertest.New(t, func(o *apiserver.Options) { o.Limits.BodyKiB = limit })
		a := b.Do("POST", "/vnfpkgm/v1/vnf_packages", bytes.NewReader(make([]byte, limit<<10+1)))
		require.Contains(t, a.Problem(http.StatusRequestEntityTooLarge), text)
	}
	require.Contains(t, rest.ProblemOf(&http.MaxBytesError{Limit: 1000}, "").Detail, "1000 bytes")
}

func TestRunServesTLS(t *testing.T) {
	b := servertest.New(t)
	spare := httptest.NewTLSServer(nil) // it has a certificate for 127.0.0.1
	t.Cleanup(spare.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	o := b.Server.Options
	o.Listener, o.TLS = listener, &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return spare.TLS, nil },
	}
	s, err := apiserver.New(o)
	require.NoError(t, err)
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- s.Run(ctx) }()
	servertest.Soon(t, func() bool {
		resp, err := spare.Client().Get("https://" + listener.Addr().String() + "/healthz")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	cancel()
	require.NoError(t, <-done)
}
