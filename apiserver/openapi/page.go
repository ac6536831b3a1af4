package openapi

import (
	"bytes"
	_ "embed" // see openapi.go
	"encoding/json"
	"html/template"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed page.html.tmpl
var pageTemplate string

// Page is the document as one HTML page, which needs nothing else: no scripts, no other files.
var Page = sync.OnceValues(func() ([]byte, error) {
	text, err := JSON()
	if err != nil {
		return nil, err
	}
	return pageOf(text)
})

// pageOf makes the page of a document.
func pageOf(text []byte) ([]byte, error) {
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"code": code, "anchor": anchor, "type": typeOf, "rows": rows,
		"needs": operation.needsOf,
	}).Parse(pageTemplate)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, doc.view())
	return b.Bytes(), err
}

// The parts of an OpenAPI document that the page shows.
type document struct {
	Info struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	} `json:"info"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Parameters map[string]parameter `json:"parameters"`
		Responses  map[string]response  `json:"responses"`
		Schemas    map[string]*schema   `json:"schemas"`
		Schemes    map[string]Scheme    `json:"securitySchemes"`
	} `json:"components"`
}

type operation struct {
	ID          string      `json:"operationId"`
	Tags        []string    `json:"tags"`
	Summary     string      `json:"summary"`
	Description string      `json:"description"`
	Parameters  []parameter `json:"parameters"`
	RequestBody struct {
		Content map[string]media `json:"content"`
	} `json:"requestBody"`
	Responses map[string]response `json:"responses"`
	// Security is nil where a server asks nobody who they are, and empty where an operation is open to everybody.
	Security []map[string][]string `json:"security"`
	Scopes   []string              `json:"x-scopes"`

	Method, Path string `json:"-"`
}

type parameter struct {
	Ref         string  `json:"$ref"`
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Required    bool    `json:"required"`
	Description string  `json:"description"`
	Schema      *schema `json:"schema"`
}

type response struct {
	Ref         string           `json:"$ref"`
	Description string           `json:"description"`
	Content     map[string]media `json:"content"`
}

type media struct {
	Schema *schema `json:"schema"`
}

type schema struct {
	Ref         string             `json:"$ref"`
	Type        string             `json:"type"`
	Format      string             `json:"format"`
	Description string             `json:"description"`
	Enum        []any              `json:"enum"`
	Items       *schema            `json:"items"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	OneOf       []*schema          `json:"oneOf"`
	// Additional is a schema, or true or false.
	Additional json.RawMessage `json:"additionalProperties"`
}

// methods are in the order in which a resource's operations are shown.
var methods = []string{"post", "get", "put", "patch", "delete", "options"}

// section is what has one tag.
type section struct {
	Name, Description string
	Operations        []operation
}

type view struct {
	Title, Description string
	Sections           []section
	Schemas            map[string]*schema
	Schemes            []Scheme
}

func (d *document) view() view {
	v := view{Title: d.Info.Title, Description: d.Info.Description, Schemas: d.Components.Schemas, Schemes: d.securityOf()}
	all := d.operations()
	for _, tag := range d.Tags {
		s := section{Name: tag.Name, Description: tag.Description}
		for _, o := range all {
			if slices.Contains(o.Tags, tag.Name) {
				s.Operations = append(s.Operations, o)
			}
		}
		v.Sections = append(v.Sections, s)
	}
	return v
}

// operations are all of the document, by path and method, with what they refer to in its place.
func (d *document) operations() (all []operation) {
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		item := d.Paths[path]
		var common []parameter
		_ = json.Unmarshal(item["parameters"], &common) // where there are none, there are none
		for _, method := range methods {
			var o operation
			if item[method] == nil || json.Unmarshal(item[method], &o) != nil {
				continue // a test has the whole document validated
			}
			o.Method, o.Path = strings.ToUpper(method), path
			o.Parameters = d.resolved(slices.Concat(common, o.Parameters))
			for status, r := range o.Responses {
				if r.Ref != "" {
					o.Responses[status] = d.Components.Responses[nameOf(r.Ref)]
				}
			}
			all = append(all, o)
		}
	}
	return all
}

func (d *document) resolved(parameters []parameter) []parameter {
	for i, p := range parameters {
		if p.Ref != "" {
			parameters[i] = d.Components.Parameters[nameOf(p.Ref)]
		}
	}
	return parameters
}

func nameOf(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

func anchor(name string) string { return strings.ReplaceAll(name, " ", "-") }

// span is a piece of text: code, a link to a schema, or neither.
type span struct {
	Text         string
	Code, Schema bool
}

// code splits a description at its backquotes.
func code(text string) (spans []span) {
	for i, part := range strings.Split(text, "`") {
		if part != "" {
			spans = append(spans, span{Text: part, Code: i%2 == 1})
		}
	}
	return spans
}

// typeOf says in words what a schema is.
func typeOf(s *schema) []span {
	switch {
	case s == nil:
		return nil
	case s.Ref != "":
		return []span{{Text: nameOf(s.Ref), Schema: true}}
	case len(s.OneOf) > 0:
		var spans []span
		for i, one := range s.OneOf {
			if i > 0 {
				spans = append(spans, span{Text: " or "})
			}
			spans = append(spans, typeOf(one)...)
		}
		return spans
	case s.Type == "array":
		return append([]span{{Text: "list of "}}, typeOf(s.Items)...)
	case s.ofMap() != nil:
		return append([]span{{Text: "map of "}}, typeOf(s.ofMap())...)
	case len(s.Enum) > 0:
		var spans []span
		for i, value := range s.Enum {
			if i > 0 {
				spans = append(spans, span{Text: " or "})
			}
			text, _ := value.(string)
			spans = append(spans, span{Text: text, Code: true})
		}
		return spans
	case s.Format != "":
		return []span{{Text: s.Type + " (" + s.Format + ")"}}
	default:
		return []span{{Text: s.Type}}
	}
}

// ofMap is what the values of a map are; nil for everything that is none.
func (s *schema) ofMap() *schema {
	var values schema
	if len(s.Properties) > 0 || len(s.Additional) == 0 || json.Unmarshal(s.Additional, &values) != nil {
		return nil
	}
	return &values
}

// row is a member of an object, those of objects within with their path.
type row struct {
	Name        string
	Required    bool
	Type        []span
	Description string
}

// rows are all members of a schema.
func rows(s *schema) []row { return s.rows("") }

func (s *schema) rows(prefix string) (list []row) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		member := s.Properties[name]
		list = append(list, row{prefix + name, slices.Contains(s.Required, name), typeOf(member), member.Description})
		switch {
		case member.Ref != "":
		case member.Items != nil:
			list = append(list, member.Items.rows(prefix+name+"[].")...)
		default:
			list = append(list, member.rows(prefix+name+".")...)
		}
	}
	return list
}
