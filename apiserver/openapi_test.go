package apiserver

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/openapi"
	"github.com/windlass-nfv/windlass/apiserver/rest"
)

// shown is a server that serves nothing that needs a database.
func shown(t *testing.T) *Server {
	t.Helper()
	s, err := New(Options{Endpoint: endpoint, Metrics: http.NotFoundHandler()})
	require.NoError(t, err)
	return s
}

func described(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Source())
	require.NoError(t, err)
	return doc
}

func TestOpenAPI_isValid(t *testing.T) {
	require.NoError(t, described(t).Validate(t.Context()))
}

var routeParameter = regexp.MustCompile(`:(\w+)`)

func TestOpenAPI_hasEveryRouteAndNoOther(t *testing.T) {
	var routes []string
	for _, r := range shown(t).handler.(*echo.Echo).Routes() {
		if r.Method == http.MethodHead { // the document says once that it is wherever GET is
			continue
		}
		path := routeParameter.ReplaceAllString(r.Path, "{$1}")
		routes = append(routes, r.Method+" "+strings.ReplaceAll(path, "*", "{artifactPath}"))
	}
	var operations []string
	for path, item := range described(t).Paths.Map() {
		for method := range item.Operations() {
			operations = append(operations, method+" "+path)
		}
	}
	for _, route := range routes {
		if !slices.Contains(operations, route) {
			t.Errorf("The route %s is not in apiserver/openapi/openapi.yaml. Add it below paths, with the members of its "+
				"bodies below components/schemas:\n%s",
				route, stub(route))
		}
	}
	for _, operation := range operations {
		if !slices.Contains(routes, operation) {
			t.Errorf("apiserver/openapi/openapi.yaml has %s, which the server does not have. Remove it there, or correct its "+
				"path.", operation)
		}
	}
}

// stub is how a route may be described.
func stub(route string) string {
	method, path, _ := strings.Cut(route, " ")
	return fmt.Sprintf(`  %s:
    %s:
      operationId: verbAndNoun
      tags: [windlass]
      summary: What it does
      responses:
        '200':
          description: What is answered.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Name'}
        '404':
          $ref: '#/components/responses/NotFound'
        default:
          $ref: '#/components/responses/Problem'
`, path, strings.ToLower(method))
}

// served is the document and the page of a server with that security.
func served(t *testing.T, security openapi.Security) (doc *openapi3.T, page string) {
	t.Helper()
	s, err := New(Options{Endpoint: endpoint, Metrics: http.NotFoundHandler(), MetricsNeedAdmin: true, Security: security})
	require.NoError(t, err)
	read := func(path string) []byte {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, endpoint+path, nil))
		require.Equal(t, http.StatusOK, w.Code, "%s", w.Body)
		return w.Body.Bytes()
	}
	doc, err = openapi3.NewLoader().LoadFromData(read("/openapi.json"))
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context()))
	return doc, html.UnescapeString(string(read("/docs")))
}

func TestOpenAPI_tellsHowClientsAuthenticate(t *testing.T) {
	issuer := openapi.Scheme{
		Name: "oauth2", Type: openapi.TypeDiscovery,
		DiscoveryURL: "https://sso.example/.well-known/openid-configuration", Description: "a bearer token",
	}
	keystone := openapi.Scheme{
		Name: "keystone", Type: openapi.TypeHeader, In: "header", Header: "X-Auth-Token",
		Description: "a token of Keystone",
	}
	doc, page := served(t, openapi.Security{Schemes: []openapi.Scheme{issuer, keystone}, Certificates: true})
	require.Equal(t, issuer.DiscoveryURL, doc.Components.SecuritySchemes["oauth2"].Value.OpenIdConnectUrl)
	require.Equal(t, "X-Auth-Token", doc.Components.SecuritySchemes["keystone"].Value.Name)
	require.Contains(t, page, "a token of Keystone")
	require.Contains(t, page, "a client certificate (mutual TLS)")

	instantiate := doc.Paths.Value("/vnflcm/v2/vnf_instances/{vnfInstanceId}/instantiate").Post
	require.Equal(t, openapi3.SecurityRequirements{
		{"oauth2": {"vnflcm:v2:instantiate"}},
		{"oauth2": {"vnflcm:v2:all"}},
		{"oauth2": {"windlass:write"}},
		{"oauth2": {"windlass:admin"}},
		{"keystone": {}},
		{},
	}, *instantiate.Security)
	require.Equal(t, []any{"vnflcm:v2:instantiate", "vnflcm:v2:all", "windlass:write", "windlass:admin"},
		instantiate.Extensions["x-scopes"])
	require.Contains(t, page, "Needs one of the scopes")
	require.Contains(t, page, "vnfpkgm:v1:readonly")
	for path, scopes := range map[string][]string{
		"/vnflcm/v1/vnf_lcm_op_occs": {
			"vnflcm:v1:readonly", "vnflcm:v1:all", "windlass:read", "windlass:write",
			"windlass:admin",
		},
		"/metrics": {"windlass:admin"},
	} {
		var got []string
		for _, one := range *doc.Paths.Value(path).Get.Security {
			got = append(got, one["oauth2"]...)
		}
		require.Equal(t, scopes, got, path)
	}
	for _, path := range []string{"/vnflcm/v1/api_versions", "/healthz", "/openapi.json"} {
		require.Empty(t, *doc.Paths.Value(path).Get.Security, path)
	}

	doc, _ = served(t, openapi.Security{Schemes: []openapi.Scheme{{
		Name: "oauth2", Type: openapi.TypeBearer,
		HTTPScheme: "bearer", Format: "JWT",
	}}})
	require.Equal(t, openapi3.SecurityRequirements{{"oauth2": {}}}, *doc.Paths.Value("/v1.0/vims").Get.Security)
	doc, page = served(t, openapi.Security{Certificates: true})
	require.Empty(t, doc.Components.SecuritySchemes)
	require.Nil(t, doc.Paths.Value("/v1.0/vims").Get.Security)
	require.Contains(t, page, "mutual TLS")
	doc, page = served(t, openapi.Security{})
	require.Empty(t, doc.Components.SecuritySchemes)
	require.NotContains(t, page, "Needs one of")
}

func TestOpenAPI_isServedForProgramsAndPeople(t *testing.T) {
	s := shown(t)
	read := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, endpoint+path, nil))
		require.Equal(t, http.StatusOK, w.Code, "%s", w.Body)
		return w
	}
	document := read("/openapi.json")
	require.Equal(t, rest.MimeJSON, document.Header().Get("Content-Type"))
	doc, err := openapi3.NewLoader().LoadFromData(document.Body.Bytes())
	require.NoError(t, err)
	require.Equal(t, len(described(t).Paths.Map()), len(doc.Paths.Map()))

	page := read("/docs")
	require.Equal(t, "text/html; charset=utf-8", page.Header().Get("Content-Type"))
	text := html.UnescapeString(page.Body.String())
	for path, item := range doc.Paths.Map() {
		require.Contains(t, text, path)
		for _, operation := range item.Operations() {
			require.Contains(t, text, operation.Summary)
		}
	}
	for _, link := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(text, -1) {
		require.Contains(t, text, `id="`+link[1]+`"`, "a link to nowhere")
	}
	require.NotRegexp(t, `<script|https?://|@import|url\(`, text, "the page needs nothing else")
}
