package apitest

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/query"
)

// RequireFound requires that filters find each attribute that a view's type has, and each name of its objects, but not
// those that it never shows. shown are the types of those members, by path, whose type in Go says less than the answer
// has.
func RequireFound(
	t *testing.T, view reflect.Type, shown map[string]reflect.Type, finds func(query.Expression) bool, never ...string,
) {
	t.Helper()
	attributes := attributesOf(nil, view, shown)
	require.NotEmpty(t, attributes)
	for _, e := range attributes {
		name := strings.Join(e.Path, "/")
		if e.OfKey {
			name += "/" + e.Values[0]
		}
		isShown := !slices.ContainsFunc(never, func(n string) bool { return name == n || strings.HasPrefix(name, n+"/") })
		require.Equal(t, isShown, finds(e), "%s of %s", e, view)
	}
}

// aKey is a key of a map.
const aKey = "a-key"

// attributesOf returns filters that are met by some value of an attribute, or by a name of an object.
func attributesOf(path []string, of reflect.Type, shown map[string]reflect.Type) (found []query.Expression) {
	member := func(name string, of reflect.Type) {
		if len(path) > 0 {
			found = append(found, query.Expression{Op: query.Eq, Path: path, OfKey: true, Values: []string{name}})
		}
		below := append(slices.Clip(path), name)
		if better, ok := shown[strings.Join(below, "/")]; ok {
			of = better
		}
		found = append(found, attributesOf(below, of, shown)...)
	}
	switch {
	case of.Kind() == reflect.Pointer, of.Kind() == reflect.Slice && of != reflect.TypeFor[json.RawMessage]():
		return attributesOf(path, of.Elem(), shown)
	case of.Kind() == reflect.Map:
		member(aKey, of.Elem())
	case of.Kind() == reflect.Struct && !of.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			member(name, field.Type)
		}
	default:
		found = append(found, query.Expression{Op: query.Neq, Path: path, Values: []string{"no value is like this"}})
	}
	return found
}
