package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/windlass-nfv/windlass/apiserver/openapi"
)

var document = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromData(openapi.Source())
})

// SchemaDifferences compares a schema of openapi.yaml with the struct of the answers that it describes: members that only
// one of them has, each with its path. but are paths of members that the struct has for another version of the API.
func SchemaDifferences(schema string, view any, but ...string) ([]string, error) {
	doc, err := document()
	if err != nil {
		return nil, err
	}
	ref := doc.Components.Schemas[schema]
	if ref == nil {
		return nil, fmt.Errorf("openapi.yaml has no schema %s", schema)
	}
	c := comparison{but: but, seen: map[reflect.Type]bool{}}
	c.compare("$", ref.Value, reflect.TypeOf(view))
	return c.found, nil
}

type comparison struct {
	but, found []string
	seen       map[reflect.Type]bool
}

func (c *comparison) compare(path string, s *openapi3.Schema, of reflect.Type) {
	if c.seen[of] {
		return
	}
	c.seen[of] = true
	defer delete(c.seen, of)
	members, properties := membersOf(of), Properties(s)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		at := path + "." + name
		property := properties[name]
		switch {
		case slices.Contains(c.but, at):
		case property == nil:
			c.found = append(c.found, at+" is not in openapi.yaml")
		default:
			c.within(at, property.Value, members[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if at := path + "." + name; members[name] == nil && !slices.Contains(c.but, at) {
			c.found = append(c.found, at+" is in openapi.yaml only")
		}
	}
}

// within goes on with the items of a list or a map, and with objects that both describe.
func (c *comparison) within(path string, s *openapi3.Schema, of reflect.Type) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		if of.Kind() != reflect.Pointer {
			switch {
			case s.Items != nil:
				s = s.Items.Value
			case s.AdditionalProperties.Schema != nil:
				s = s.AdditionalProperties.Schema.Value
			}
		}
		of = of.Elem()
	}
	if of.Kind() == reflect.Struct && !writesItself(of) && len(Properties(s)) > 0 {
		c.compare(path, s, of)
	}
}

func writesItself(of reflect.Type) bool {
	return of.Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(of).Implements(reflect.TypeFor[json.Marshaler]())
}

// Properties are the properties of a schema and of those that it is composed of.
func Properties(s *openapi3.Schema) openapi3.Schemas {
	all := openapi3.Schemas{}
	maps.Copy(all, s.Properties)
	for _, part := range s.AllOf {
		maps.Copy(all, Properties(part.Value))
	}
	return all
}

// membersOf are the members that encoding/json writes of a struct, with their types.
func membersOf(of reflect.Type) map[string]reflect.Type {
	members := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		members[name] = f.Type
	}
	return members
}
