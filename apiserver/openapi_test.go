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
			t.Errorf("The route %s is not in apiserver/openapi/openapi.yaml. Add it below paths, with the members of its bodies below components/schemas:\n%s",
				route, stub(route))
		}
	}
	for _, operation := range operations {
		if !slices.Contains(routes, operation) {
			t.Errorf("apiserver/openapi/openapi.yaml has %s, which the server does not have. Remove it there, or correct its path.", operation)
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

func TestOpenAPI_isServedForProgramsAndPeople(t *testing.T) {
	s := shown(t)
	read := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		require.Equal(t, http.StatusOK, w.Code, "%s", w.Body)
		return w
	}
	document := read("/openapi.json")
	require.Equal(t, mimeJSON, document.Header().Get("Content-Type"))
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
