package apiserver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/apiserver/openapi"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// shown returns a server for requests that need no database.
func shown(t *testing.T) *apiserver.Server {
	t.Helper()
	s, err := apiserver.New(
		apiserver.Options{API: config.API{Endpoint: servertest.Endpoint}, Metrics: http.NotFoundHandler()},
	)
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
	require.NoError(t, described(t).Validate(t.Context(), openapi3.EnableExamplesValidation()))
}

var routeParameter = regexp.MustCompile(`:(\w+)`)

// TestOpenAPI_hasAnExampleOfEveryRequest helps readers who try requests in the page.
func TestOpenAPI_hasAnExampleOfEveryRequest(t *testing.T) {
	bodies := 0
	for path, item := range described(t).Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			for kind, media := range operation.RequestBody.Value.Content {
				if !strings.Contains(kind, "json") {
					continue
				}
				bodies++
				given := media.Example != nil || len(media.Examples) > 0 || media.Schema.Value.Example != nil
				require.True(t, given, "%s %s (%s)", method, path, kind)
			}
		}
	}
	require.Greater(t, bodies, 40)
}

// noExample matches media types of files, which an example cannot show.
var noExample = regexp.MustCompile(`^(application/(zip|octet-stream)|text/(html|css|javascript)|image/.*|\*/\*)$`)

// TestOpenAPI_hasAnExampleOfEveryAnswer checks the document as it is served. Examples in JSON are answers of tests; they
// must still fit their schema, without members that it lacks.
func TestOpenAPI_hasAnExampleOfEveryAnswer(t *testing.T) {
	text, err := openapi.JSON()
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	bodies, used := 0, map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				if !strings.HasPrefix(status, "2") {
					continue
				}
				used[openapi.ExampleFile(operation.OperationID, status)] = true
				for kind, media := range response.Value.Content {
					if noExample.MatchString(kind) {
						continue
					}
					bodies++
					require.NotNil(
						t,
						media.Example,
						"%s %s %s (%s): there is no example. Run: go tool task docs:generate",
						method,
						path,
						status,
						kind,
					)
					example, err := json.Marshal(media.Example)
					require.NoError(t, err)
					require.NoError(t, apitest.CheckExample(operation.OperationID, status, kind, example))
				}
			}
		}
	}
	require.Greater(t, bodies, 70)
	files, err := filepath.Glob("openapi/examples/*.json")
	require.NoError(t, err)
	for _, file := range files {
		require.True(t, used[filepath.Base(file)], "%s is of no operation. Run: go tool task docs:generate", file)
	}
}

// TestOpenAPI_describesEveryProperty asks for a description of each member, there or in the schema that it refers to.
func TestOpenAPI_describesEveryProperty(t *testing.T) {
	described, properties, seen := described(t), 0, map[*openapi3.Schema]bool{}
	var look func(place string, s *openapi3.SchemaRef)
	look = func(place string, s *openapi3.SchemaRef) {
		if s == nil || s.Value == nil || seen[s.Value] {
			return
		}
		seen[s.Value] = true
		for name, member := range s.Value.Properties {
			properties++
			if member.Value.Description == "" {
				t.Errorf("%s.%s has no description in apiserver/openapi/openapi.yaml.", place, name)
			}
			look(place+"."+name, member)
		}
		for _, part := range slices.Concat(s.Value.AllOf, s.Value.AnyOf, s.Value.OneOf,
			openapi3.SchemaRefs{s.Value.Items, s.Value.AdditionalProperties.Schema}) {
			look(place, part)
		}
	}
	for name, schema := range described.Components.Schemas {
		look(name, schema)
	}
	for path, item := range described.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				for kind, media := range response.Value.Content {
					look(strings.Join([]string{method, path, status, kind}, " "), media.Schema)
				}
			}
			if operation.RequestBody != nil {
				for kind, media := range operation.RequestBody.Value.Content {
					look(strings.Join([]string{method, path, kind}, " "), media.Schema)
				}
			}
		}
	}
	require.Greater(t, properties, 800)
}

// TestOpenAPI_hasEveryParameterOfAClusterAndNoOther compares the schema with the parameters that Windlass reads.
func TestOpenAPI_hasEveryParameterOfAClusterAndNoOther(t *testing.T) {
	var compare func(path string, s *openapi3.Schema, members []params.Member)
	compare = func(path string, s *openapi3.Schema, members []params.Member) {
		if s.Items != nil {
			s = s.Items.Value
		}
		var read []string
		for _, m := range members {
			read = append(read, m.Name)
			if property := s.Properties[m.Name]; property != nil && !m.IsMap() {
				compare(path+"."+m.Name, property.Value, m.Members)
			}
		}
		require.ElementsMatch(t, read, slices.Collect(maps.Keys(s.Properties)), path)
	}
	compare("ClusterParams", described(t).Components.Schemas["ClusterParams"].Value, params.Describe(k8s.Params{}))
}

func TestOpenAPI_hasEveryRouteAndNoOther(t *testing.T) {
	var routes []string
	for _, r := range shown(t).Echo().Routes() {
		if r.Method == http.MethodHead { // the document says only once that HEAD is possible wherever GET is
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

// stub returns a description of a route, to be completed.
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

// served returns the document of a server with this security, decoded and as text.
func served(t *testing.T, security openapi.Security) (doc *openapi3.T, text string) {
	t.Helper()
	s, err := apiserver.New(apiserver.Options{
		API: config.API{Endpoint: servertest.Endpoint, Metrics: config.MetricsAdmin}, Metrics: http.NotFoundHandler(),
		Security: security,
	})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, servertest.Endpoint+"/openapi.json", nil))
	require.Equal(t, http.StatusOK, w.Code, "%s", w.Body)
	text = w.Body.String()
	doc, err = openapi3.NewLoader().LoadFromData([]byte(text))
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context()))
	return doc, text
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
	doc, text := served(t, openapi.Security{Schemes: []openapi.Scheme{issuer, keystone}, Certificates: true})
	require.Equal(t, issuer.DiscoveryURL, doc.Components.SecuritySchemes["oauth2"].Value.OpenIdConnectUrl)
	require.Equal(t, "X-Auth-Token", doc.Components.SecuritySchemes["keystone"].Value.Name)
	require.Contains(t, text, "a token of Keystone")
	require.Contains(t, text, "a client certificate (mutual TLS)")

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
	require.Contains(t, text, "vnfpkgm:v1:readonly")
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
		Name: "oauth2", Type: openapi.TypeBearer, HTTPScheme: "bearer", Format: "JWT",
	}}})
	require.Equal(t, openapi3.SecurityRequirements{{"oauth2": {}}}, *doc.Paths.Value("/v1.0/vims").Get.Security)
	doc, text = served(t, openapi.Security{Certificates: true})
	require.Empty(t, doc.Components.SecuritySchemes)
	require.Nil(t, doc.Paths.Value("/v1.0/vims").Get.Security)
	require.Contains(t, text, "mutual TLS")
	doc, text = served(t, openapi.Security{})
	require.Empty(t, doc.Components.SecuritySchemes)
	require.NotContains(t, text, "x-scopes")
}

func TestOpenAPI_isServedForProgramsAndPeople(t *testing.T) {
	s := shown(t)
	read := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, servertest.Endpoint+path, nil))
		require.Equal(t, http.StatusOK, w.Code, "%s", w.Body)
		return w
	}
	document := read("/openapi.json")
	require.Equal(t, rest.MimeJSON, document.Header().Get("Content-Type"))
	doc, err := openapi3.NewLoader().LoadFromData(document.Body.Bytes())
	require.NoError(t, err)
	require.Equal(t, len(described(t).Paths.Map()), len(doc.Paths.Map()))

	page := read("/docs/api")
	require.Equal(t, "text/html; charset=utf-8", page.Header().Get("Content-Type"))
	require.NotRegexp(t, `https?://|<style|<script>| on\w+=`, page.Body.String(), "all is this server's, and in files")
	for _, name := range regexp.MustCompile(`(?:href|src)="([^."][^"]*)"`).FindAllStringSubmatch(page.Body.String(), -1) {
		file := read("/docs/" + name[1])
		require.NotEmpty(t, file.Body.Bytes())
		require.NotContains(t, file.Header().Get("Content-Security-Policy"), "script-src 'self' ", "no inline scripts")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, servertest.Endpoint+"/docs/index.html", nil))
	require.Equal(t, http.StatusNotFound, w.Code)
}

// TestOpenAPI_hasTheTableOfOperations checks that the document names the operations that requests may name.
func TestOpenAPI_hasTheTableOfOperations(t *testing.T) {
	schemas := described(t).Components.Schemas
	names := func(of []any) (out []string) {
		for _, name := range of {
			out = append(out, name.(string))
		}
		return out
	}
	require.ElementsMatch(t, lcm.OperationNames(2), names(schemas["LcmOperationType"].Value.Enum))
	require.ElementsMatch(t, lcm.TaskOperations(), names(schemas["PlanRequest"].Value.Properties["operation"].Value.Enum))
}
