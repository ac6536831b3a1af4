package apiserver

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"
)

// ETSI's definitions of vnflcm are not part of this repository; v2.4.1 is the nearest to v2.6.1 that ETSI has as a file.
const (
	etsiV1 = "../../shared/openapi/v2.4.1/SOL003-VNFLifecycleManagement-API.json"
	etsiV2 = "../../shared/openapi/v3.3.1/sol003_lifecycle_openapi.json"
)

var (
	etsiRouterV1 = sync.OnceValues(func() (routers.Router, error) {
		b, err := os.ReadFile(etsiV1)
		if err != nil {
			return nil, ignoreAbsence(err)
		}
		var old openapi2.T
		if err := json.Unmarshal(b, &old); err != nil {
			return nil, err
		}
		doc, err := openapi2conv.ToV3(&old)
		if err != nil {
			return nil, err
		}
		return routerOf(doc, rootLcmV1.prefix)
	})
	etsiRouterV2 = sync.OnceValues(func() (routers.Router, error) {
		b, err := os.ReadFile(etsiV2)
		if err != nil {
			return nil, ignoreAbsence(err)
		}
		doc, err := openapi3.NewLoader().LoadFromData(b)
		if err != nil {
			return nil, err
		}
		return routerOf(doc, rootLcmV2.prefix)
	})
)

func ignoreAbsence(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func routerOf(doc *openapi3.T, root string) (routers.Router, error) {
	for _, path := range doc.Paths.Map() {
		for _, operation := range path.Operations() {
			for _, response := range operation.Responses.Map() {
				if content := response.Value.Content.Get(mimeJSON); content != nil && content.Schema != nil {
					relax(content.Schema.Value)
				}
			}
		}
	}
	doc.Servers = openapi3.Servers{{URL: root}}
	return gorillamux.NewRouter(doc)
}

// relax mends ETSI's file: it wants exactly one of changedInfo and modificationsTriggeredByVnfPkgChange in every
// VnfLcmOpOcc, where clause 5.5.2.13 has both optional and at most one present.
func relax(schema *openapi3.Schema) {
	if schema.Properties["changedInfo"] != nil {
		schema.OneOf, schema.AnyOf = nil, nil
	}
	if schema.Items != nil && schema.Items.Value != nil {
		relax(schema.Items.Value)
	}
}

// checkAgainstEtsi holds every answer of /vnflcm against ETSI's definition: status, headers and body.
func checkAgainstEtsi(a answer, method, path string) {
	a.t.Helper()
	find := map[string]func() (routers.Router, error){rootLcmV1.prefix: etsiRouterV1, rootLcmV2.prefix: etsiRouterV2}[path[:min(len(path), 10)]]
	if find == nil {
		return
	}
	router, err := find()
	require.NoError(a.t, err)
	path, query, _ := strings.Cut(path, "?")
	req, err := http.NewRequest(method, path, nil)
	require.NoError(a.t, err)
	if router == nil {
		return
	}
	route, _, err := router.FindRoute(req)
	if err != nil {
		return // no such resource or method: 404 and 405 are checked by problem()
	}
	described := route.Operation.Responses.Value(strconv.Itoa(a.Status))
	if described == nil {
		// SOL013 has these for every resource.
		require.Contains(a.t, []int{412, 413, 415, 422}, a.Status, "ETSI has no such status for %s %s", method, path)
		return
	}
	for name, header := range described.Value.Headers {
		if header.Value.Required && name != "WWW-Authenticate" && name != "Content-Type" {
			require.NotEmpty(a.t, a.Header.Get(name), "header %s of %s %s", name, method, path)
		}
	}
	if len(a.Body) > 0 && !strings.Contains(query, "fields=") { // what was picked need not be whole
		checkBody(a, described.Value)
	}
}

func checkBody(a answer, described *openapi3.Response) {
	a.t.Helper()
	// ETSI's files give application/json for errors, too.
	content := described.Content.Get(mimeJSON)
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
		require.NoError(a.t, content.Schema.Value.VisitJSON(item), "%s", a.Body)
	}
}
