package params

import (
	"reflect"
	"slices"
	"strings"
)

// checking is one walk through a value.
type checking struct {
	Manner
	findings
}

func (c *checking) tell(path, format string, args ...any) {
	c.wrong(&c.findings, path, format, args...)
}

// value checks a value that may be absent. A nil pointer means absent; for other types the zero value, and an empty
// list, count as absent.
func (c *checking) value(path string, v reflect.Value, u rules) {
	switch {
	case !absent(v):
		c.given(path, reflect.Indirect(v), u)
	case u.required:
		c.tell(path, "%s", u.missing())
	case v.Kind() == reflect.Struct:
		c.given(path, v, u)
	}
}

func absent(v reflect.Value) bool {
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

func (c *checking) given(path string, v reflect.Value, u rules) {
	switch {
	case isOwn(v.Type()) || isRaw(v.Type()):
		if !v.IsZero() {
			c.holds(path, v, u)
		}
	case v.Kind() == reflect.Struct:
		c.structure(path, v)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			c.item(ItemPath(path, i), v.Index(i), u.ofItems())
		}
	case v.Kind() == reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), byText) {
			c.item(MemberPath(path, key.String()), v.MapIndex(key), u.ofItems())
		}
	default:
		c.holds(path, v, u)
	}
}

// item checks an item of a list or a map. An item counts as present even if it is empty; nil is absent.
func (c *checking) item(path string, v reflect.Value, u rules) {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return
	}
	c.given(path, reflect.Indirect(v), u)
}

func byText(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }

func (c *checking) holds(path string, v reflect.Value, u rules) {
	if why := u.value(v, c.Checks); why != "" {
		c.tell(path, "%s", why)
	}
}

func (c *checking) structure(path string, v reflect.Value) {
	for _, f := range fieldsOf(v.Type()) {
		c.value(MemberPath(path, f.name), v.FieldByIndex(f.index), f.rules)
	}
	if of, ok := reflect.TypeAssert[Checker](v); ok {
		of.CheckMembers(func(member, format string, args ...any) { c.tell(path+"."+member, format, args...) })
	}
}
