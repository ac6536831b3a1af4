package apiserver

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"
)

// etsiFile is ETSI's definition of vnflcm 2.0.0; it is not part of this repository.
const etsiFile = "../../shared/openapi/v3.3.1/sol003_lifecycle_openapi.json"

// etsiRouter finds ETSI's description of a request; nil when the definitions are not at hand.
var etsiRouter = sync.OnceValues(func() (routers.Router, error) {
	if _, err := os.Stat(etsiFile); err != nil {
		return nil, nil
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromFile(etsiFile)
	if err != nil {
		return nil, err
	}
	// ETSI's file wants exactly one of changedInfo and modificationsTriggeredByVnfPkgChange in every VnfLcmOpOcc;
	// clause 5.5.2.13 has both optional, and at most one of them present.
	for _, r := range doc.Components.Responses {
		if content := r.Value.Content.Get(mimeJSON); content != nil && content.Schema != nil {
			relax(content.Schema.Value)
		}
	}
	doc.Servers = openapi3.Servers{{URL: "/vnflcm/v2"}}
	return gorillamux.NewRouter(doc)
})

func relax(schema *openapi3.Schema) {
	if schema.Properties["modificationsTriggeredByVnfPkgChange"] != nil {
		schema.OneOf = nil
		schema.AnyOf = nil
	}
	if schema.Items != nil {
		relax(schema.Items.Value)
	}
}

// checkAgainstEtsi holds every answer of /vnflcm/v2 against ETSI's definition: status, headers and body.
func checkAgainstEtsi(a answer, method, path string) {
	a.t.Helper()
	router, err := etsiRouter()
	require.NoError(a.t, err)
	if router == nil || !strings.HasPrefix(path, "/vnflcm/v2/") {
		return
	}
	path, _, _ = strings.Cut(path, "?")
	req, err := http.NewRequest(method, path, nil)
	require.NoError(a.t, err)
	route, _, err := router.FindRoute(req)
	if err != nil {
		return // no such resource or method: 404 and 405 are checked by problem()
	}
	described := route.Operation.Responses.Value(strconv.Itoa(a.Status))
	if described == nil && (a.Status == http.StatusUnprocessableEntity || a.Status == http.StatusUnsupportedMediaType ||
		a.Status == http.StatusPreconditionFailed) {
		return // SOL013 has them for every resource
	}
	require.NotNil(a.t, described, "ETSI has no status %d for %s %s", a.Status, method, path)
	for name, header := range described.Value.Headers {
		if header.Value.Required && name != "WWW-Authenticate" && name != "Content-Type" {
			require.NotEmpty(a.t, a.Header.Get(name), "header %s of %s %s", name, method, path)
		}
	}
	if len(a.Body) == 0 {
		return
	}
	mediaType, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	content := described.Value.Content.Get(mediaType)
	if content == nil {
		content = described.Value.Content.Get(mimeJSON) // ETSI's files give errors that type
	}
	if content == nil || content.Schema == nil {
		return
	}
	var doc any
	require.NoError(a.t, json.Unmarshal(a.Body, &doc))
	items, isList := doc.([]any)
	if !isList || content.Schema.Value.Type.Is("array") {
		items = []any{doc}
	} // else ETSI's file describes the items of the list and forgets the list
	for _, item := range items {
		require.NoError(a.t, content.Schema.Value.VisitJSON(item), "%s %s\n%s", method, path, a.Body)
	}
}
