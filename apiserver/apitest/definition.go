package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// definition is an OpenAPI document that describes the paths below a root.
type definition struct {
	root  string
	paths []definedPath
}

type definedPath struct {
	name    string
	pattern *regexp.Regexp
	// parameters is the number of parameters in the path. Of several matching paths, the one with the fewest is right.
	parameters int
	item       *openapi3.PathItem
}

var parameter = regexp.MustCompile(`\\\{(\w+)\\\}`)

func newDefinition(root string, doc *openapi3.T) *definition {
	d := &definition{root: root}
	for name, item := range doc.Paths.Map() {
		pattern := parameter.ReplaceAllStringFunc(regexp.QuoteMeta(name), func(p string) string {
			if strings.Contains(p, "artifactPath") {
				return ".+" // the path of a file may contain slashes
			}
			return "[^/]+"
		})
		d.paths = append(d.paths, definedPath{name, regexp.MustCompile("^" + pattern + "$"), strings.Count(name, "{"), item})
	}
	return d
}

// find returns the defined operation of a request, or nil.
func (d *definition) find(method, path string) *openapi3.Operation {
	path, below := strings.CutPrefix(path, d.root)
	if !below {
		return nil
	}
	var best *definedPath
	for i, p := range d.paths {
		if p.pattern.MatchString(path) && (best == nil || p.parameters < best.parameters) {
			best = &d.paths[i]
		}
	}
	if best == nil {
		return nil
	}
	return best.item.GetOperation(method)
}

// each visits the schemas of all bodies. The schema that visit returns replaces the visited schema.
func each(doc *openapi3.T, visit func(*openapi3.Schema) *openapi3.Schema) {
	content := func(c openapi3.Content) {
		for _, media := range c {
			if media.Schema != nil && media.Schema.Value != nil {
				media.Schema.Value = visit(media.Schema.Value)
			}
		}
	}
	for _, path := range doc.Paths.Map() {
		for _, operation := range path.Operations() {
			if operation.RequestBody != nil {
				content(operation.RequestBody.Value.Content)
			}
			for _, response := range operation.Responses.Map() {
				content(response.Value.Content)
			}
		}
	}
}

// answerTo returns the defined response to a status, or nil.
func answerTo(operation *openapi3.Operation, status int) *openapi3.Response {
	if r := operation.Responses.Value(strconv.Itoa(status)); r != nil {
		return r.Value
	}
	return nil
}

// checkHeaders checks that all required headers are there.
func checkHeaders(defined *openapi3.Response, header http.Header) error {
	for name, h := range defined.Headers {
		if h.Value.Required && header.Get(name) == "" {
			return fmt.Errorf("the header %s is missing", name)
		}
	}
	return nil
}

// visit validates a JSON text against a schema.
func visit(schema *openapi3.Schema, text []byte, options ...openapi3.SchemaValidationOption) error {
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	return visitValue(schema, doc, options...)
}

func visitValue(schema *openapi3.Schema, doc any, options ...openapi3.SchemaValidationOption) error {
	return schema.VisitJSON(doc, append(options, openapi3.MultiErrors(), openapi3.DisableSchemaErrorDetails())...)
}
