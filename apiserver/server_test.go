package apiserver_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

func TestApiVersionsAreToldEverywhereWithoutAVersionHeader(t *testing.T) {
	b := servertest.New(t)
	for path, want := range map[string]string{
		"/vnflcm/api_versions":       `{"uriPrefix":"/vnflcm","apiVersions":[{"version":"1.3.0","isDeprecated":false},{"version":"2.0.0","isDeprecated":false}]}`,
		"/vnflcm/v1/api_versions":    `{"uriPrefix":"/vnflcm/v1","apiVersions":[{"version":"1.3.0","isDeprecated":false}]}`,
		"/vnflcm/v2/api_versions":    `{"uriPrefix":"/vnflcm/v2","apiVersions":[{"version":"2.0.0","isDeprecated":false}]}`,
		"/vnfpkgm/v1/api_versions":   `{"uriPrefix":"/vnfpkgm/v1","apiVersions":[{"version":"1.1.0","isDeprecated":false}]}`,
		"/vnfpkgm/api_versions":      `{"uriPrefix":"/vnfpkgm","apiVersions":[{"version":"1.1.0","isDeprecated":false}]}`,
		"//vnflcm///v2/api_versions": `{"uriPrefix":"/vnflcm/v2","apiVersions":[{"version":"2.0.0","isDeprecated":false}]}`,
	} {
		a := b.Do("GET", path, nil, "Version: ")
		a.Want(http.StatusOK)
		require.JSONEq(t, want, string(a.Body), path)
		b.Do("GET", path, nil, "Version: ", "Accept: text/html").Problem(http.StatusNotAcceptable)
		b.Do("GET", path+"?nothing=1", nil, "Version: ").Problem(http.StatusBadRequest)
	}
}

func TestVersionHeaderIsStrictInV2AndTolerantInV1(t *testing.T) {
	b := servertest.New(t)
	const v1, v2 = "/vnflcm/v1/vnf_instances", "/vnflcm/v2/vnf_instances"
	for _, c := range []struct {
		path, version string
		status        int
	}{
		{v1, "", 200},
		{v1, "1.3.0", 200},
		{v1, "1.1.0", 200},
		{v1, "1.3.0-impl:windlass.example:vnfm:1", 200},
		{v1, "2.0.0", 406},
		{v1, "one", 400},
		{v2, "", 400},
		{v2, "2.0.0", 200},
		{v2, "2.0.0-impl:etsi.org:ETSI_NFV_OpenAPI:1", 200},
		{v2, "2.1.0", 406},
		{v2, "1.3.0", 406},
		{v2, "x.y", 400},
	} {
		a := b.Do("GET", c.path, nil, "Version: "+c.version)
		require.Equal(t, c.status, a.Status, "%s with %q: %s", c.path, c.version, a.Body)
		require.Equal(t, map[string]string{v1: "1.3.0", v2: "2.0.0"}[c.path], a.Header.Get("Version"))
	}
	tolerant := servertest.New(t, func(o *apiserver.Options) { o.API.TolerantV2, o.API.StrictV1 = true, true })
	tolerant.Do("GET", v2, nil, "Version: ").List()
	tolerant.Do("GET", v1, nil, "Version: ").Problem(http.StatusBadRequest)
}

func TestRouterAnswersWithProblemDetails(t *testing.T) {
	b := servertest.New(t)
	for _, path := range []string{
		"/nowhere", "/vnflcm/v2/nowhere", "/vnflcm/v2/vnf_instances/x/migrate", "/vnfpkgm/v1/x",
		"/windlass/v1/x",
	} {
		b.Do("GET", path, nil).Problem(http.StatusNotFound)
	}
	require.Equal(t, "2.0.0", b.Do("GET", "/vnflcm/v2/nowhere", nil).Header.Get("Version"))
	for path, methods := range map[string][]string{
		"/vnflcm/v2/vnf_instances":                   {"PUT", "PATCH", "DELETE"},
		"/vnflcm/v2/vnf_instances/x":                 {"PUT", "POST"},
		"/vnflcm/v2/vnf_instances/x/instantiate":     {"GET", "PUT", "PATCH", "DELETE"},
		"/vnflcm/v2/vnf_lcm_op_occs":                 {"POST", "PUT", "PATCH", "DELETE"},
		"/vnflcm/v2/vnf_lcm_op_occs/x":               {"POST", "PUT", "PATCH", "DELETE"},
		"/vnflcm/v2/vnf_lcm_op_occs/x/cancel":        {"GET", "PUT", "PATCH", "DELETE"},
		"/vnflcm/v2/api_versions":                    {"POST", "PUT", "PATCH", "DELETE"},
		"/vnfpkgm/v1/vnf_packages":                   {"PUT", "PATCH", "DELETE"},
		"/vnfpkgm/v1/vnf_packages/x/package_content": {"POST", "PATCH", "DELETE"},
	} {
		for _, method := range methods {
			a := b.Do(method, path, nil)
			a.Problem(http.StatusMethodNotAllowed)
			require.NotEmpty(t, a.Header.Get("Allow"), "%s %s", method, path)
		}
	}
}

func TestAccept_isHonouredByEveryResourceThatIsJSON(t *testing.T) {
	b := servertest.New(t)
	pkg, vnfdID := b.Onboard()
	vim := "/v1.0/vims/" + b.RegisterVim("lab", false)
	instance := b.Create("/vnflcm/v2", vnfdID)
	for _, path := range []string{
		"/vnflcm/v1/vnf_instances", "/vnflcm/v2/vnf_lcm_op_occs", "/vnflcm/v2/subscriptions", instance,
		"/vnfpkgm/v1/vnf_packages", pkg, "/vnfpkgm/v1/subscriptions",
		"/vnfpkgm/v1/onboarded_vnf_packages", "/v1.0/vims", "/v1.0/vims.json", vim, "/windlass/v1/version",
		"/windlass/v1/dead_letters",
	} {
		for accept, status := range map[string]int{
			"": 200, "*/*": 200, "application/*;q=0.1": 200, "text/html, application/json;q=0.9": 200,
			"text/html;q=0.9, */*;q=0.1": 200,
			"text/html":                  406, "application/xml": 406, "application/json;q=0.0, text/html": 406, "*/*, application/json;q=0": 406,
			"application/*;q=0, */*":          406,
			"image/*, application/json;q=0.5": 200,
		} {
			a := b.Do("GET", path, nil, "Accept: "+accept)
			if status == http.StatusOK {
				require.Equal(t, status, a.Status, "%s with %q: %s", path, accept, a.Body)
				continue
			}
			require.Contains(t, a.ProblemOrTacker(status), "Accept", "%s with %q", path, accept)
		}
	}
	content := b.Do("GET", pkg+"/package_content", nil, "Accept: application/json")
	require.Equal(t, http.StatusOK, content.Status, "python-tackerclient asks for JSON and wants the archive")
	require.Equal(t, http.StatusOK, b.Do("GET", pkg+"/vnfd", nil, "Accept: application/zip").Status)
}

func TestBodiesAreBounded(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Limits.BodyKiB, o.API.MaxUploadMiB = 1, 1 })
	long := `{"vnfdId":"` + string(bytes.Repeat([]byte("x"), 2<<10)) + `"}`
	b.Do("POST", "/vnflcm/v1/vnf_instances", long).Problem(http.StatusRequestEntityTooLarge)
	b.Do("POST", "/vnflcm/v1/vnf_instances",
		onlyReader{bytes.NewReader([]byte(long))}).Problem(http.StatusRequestEntityTooLarge)
	pkg := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	b.Do("PUT", pkg.Path()+"/package_content", onlyReader{bytes.NewReader(make([]byte, 2<<20))},
		"Content-Type: application/zip").
		Problem(http.StatusRequestEntityTooLarge)
	require.Equal(t, "CREATED", b.Do("GET", pkg.Path(), nil).Want(http.StatusOK)["onboardingState"])
}

// onlyReader hides the length of a body.
type onlyReader struct{ *bytes.Reader }

func (o onlyReader) Len() int { panic("unused") }

func TestPanicIsAnErrorWithAnIdToFindInTheLog(t *testing.T) {
	b := servertest.New(t)
	b.Server.Echo().GET("/panic", func(echo.Context) error { panic("the shelf " + "fell") })
	a := b.Do("GET", "/panic", nil, "X-Request-Id: try-7")
	require.Contains(t, a.Problem(http.StatusInternalServerError), "try-7")
	require.NotContains(t, string(a.Body), "shelf")
	require.Contains(t, b.Logged.String(), "the shelf fell")
	b.Do("GET", "/panic", nil, "X-Request-Id: bad id\t").Problem(http.StatusInternalServerError)
}

func TestUnclassifiedErrorsStayInTheLog(t *testing.T) {
	p := rest.ProblemOf(errors.New("pq: secret table"), "id-1")
	require.Equal(t, http.StatusInternalServerError, p.Status)
	require.NotContains(t, p.Detail, "pq")
	require.Equal(t, "/docs/troubleshooting.md#bug", p.Type)
	require.Equal(
		t,
		"/docs/troubleshooting.md#http",
		rest.ProblemOf(rest.HTTPErrorf(http.StatusTooManyRequests, "wait"), "").Type,
	)
	require.Equal(t, http.StatusForbidden, rest.ProblemOf(lcm.Errorf(lcm.KindDenied, "no"), "").Status)
	require.Equal(t, http.StatusGatewayTimeout, rest.ProblemOf(context.DeadlineExceeded, "").Status)
}

func TestProbesAndVersion(t *testing.T) {
	var down error
	b := servertest.New(t, func(o *apiserver.Options) {
		o.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_,
				_ = w.Write([]byte("windlass_up 1\n"))
		})
		o.Ready = map[string]func(context.Context) error{"temporal": func(context.Context) error { return down }}
	})
	b.Do("GET", "/healthz", nil).Want(http.StatusOK)
	b.Do("GET", "/readyz", nil).Want(http.StatusOK)
	down = errors.New("connection refused")
	checks := b.Do("GET", "/readyz", nil).Want(http.StatusServiceUnavailable)["checks"]
	require.Equal(t, map[string]any{"database": "ok", "temporal": "not reachable"}, checks)
	require.Contains(t, string(b.Do("GET", "/metrics", nil).Body), "windlass_up")
	require.Equal(t, "1.2.3", b.Do("GET", "/windlass/v1/version", nil).Want(http.StatusOK)["version"])
}

func TestEndpointMustBeAbsolute(t *testing.T) {
	for _, bad := range []string{"", "vnfm:9890", "ftp://vnfm", "/vnflcm"} {
		_, err := apiserver.New(apiserver.Options{API: config.API{Endpoint: bad}})
		require.True(t, lcm.Is(err, lcm.KindInvalid), bad)
	}
}

func TestRunServesUntilItsContextEnds(t *testing.T) {
	b := servertest.New(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	o := b.Server.Options
	o.Listener, o.ShutdownGrace = listener, 5*time.Second
	s, err := apiserver.New(o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	servertest.Soon(t, func() bool {
		resp, err := http.Get("http://" + listener.Addr().String() + "/healthz")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	cancel()
	require.NoError(t, <-done)
}

func TestMetricsTellRequestsByRouteAndStatus(t *testing.T) {
	registry := prometheus.NewRegistry()
	b := servertest.New(t, func(o *apiserver.Options) {
		o.Metrics, o.HTTPMetrics = telemetry.Handler(registry), telemetry.NewHTTPMetrics(registry)
	})
	const unknown = "5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30"
	b.Do("GET", "/vnflcm/v2/vnf_instances", nil).List()
	b.Do("GET", "/vnflcm/v2/vnf_instances/"+unknown, nil).Problem(http.StatusNotFound)
	b.Do("PUT", "/vnflcm/v2/vnf_instances/"+unknown, nil).Problem(http.StatusMethodNotAllowed)
	b.Do("GET", "/nowhere/"+unknown, nil).Problem(http.StatusNotFound)
	b.Do("GET", "/vnflcm/v2/"+unknown, nil).Problem(http.StatusNotFound)
	text := string(b.Do("GET", "/metrics", nil).Body)
	for _, line := range []string{
		`windlass_http_request_seconds_count{method="GET",route="/vnflcm/v2/vnf_instances",status="200"} 1`,
		`windlass_http_request_seconds_count{method="GET",route="/vnflcm/v2/vnf_instances/:vnfInstanceId",status="404"} 1`,
		`windlass_http_request_seconds_count{method="PUT",route="/vnflcm/v2/vnf_instances/:vnfInstanceId",status="405"} 1`,
		`windlass_http_request_seconds_count{method="GET",route="",status="404"} 2`,
		`windlass_http_requests_in_flight 1`,
	} {
		require.Contains(t, text, line)
	}
	require.NotContains(t, text, unknown, "a series for every id")
}
