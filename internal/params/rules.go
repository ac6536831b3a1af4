package params

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// rules are the rules of one field.
type rules struct {
	required, notNull bool
	why               string
	fallback          string
	min, max          *int64
	unit              string
	enum              []string
	is                string
}

func rulesOf(f reflect.StructField) (u rules) {
	for rule := range strings.SplitSeq(f.Tag.Get("param"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(rule), "=")
		switch name {
		case "":
		case "required":
			u.required, u.why = true, value
		case "notnull":
			u.notNull = true
		case "default":
			u.fallback = value
		case "min":
			u.min = bound(f, value)
		case "max":
			u.max = bound(f, value)
		case "unit":
			u.unit = " " + value
		case "enum":
			u.enum = strings.Split(value, "|")
		case "is":
			u.is = value
		default:
			panic(fmt.Sprintf("params: the field %s has the unknown rule %q", f.Name, rule))
		}
	}
	return u
}

func bound(f reflect.StructField, value string) *int64 {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("params: the field %s has a bound that is no number: %q", f.Name, value))
	}
	return &n
}

// ofItems are the rules for the items of a list.
func (u rules) ofItems() rules {
	u.required, u.notNull, u.fallback = false, false, ""
	return u
}

// fill gives an absent value its default; so do "" and 0, which Tacker's clients send for it.
func (u rules) fill(v reflect.Value) {
	if u.fallback == "" {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(u.fallback == "true")
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(u.fallback, 10, 64)
		if err != nil {
			panic("params: a default is no number: " + u.fallback)
		}
		v.SetInt(n)
	case reflect.String:
		v.SetString(u.fallback)
	default:
		panic("params: no default for " + v.Type().String())
	}
}

// value says why a present value breaks the rules, "" if it does not.
func (u rules) value(v reflect.Value, checks map[string]Check) string {
	switch v.Kind() {
	case reflect.String:
		list := u.enum
		if of, ok := reflect.TypeAssert[Listed](v); ok {
			list = of.Listed()
		}
		if len(list) > 0 && !slices.Contains(list, v.String()) {
			return fmt.Sprintf(`must be "%s", not %q`, strings.Join(list, `" or "`), v.String())
		}
	case reflect.Int, reflect.Int64:
		if why := u.bounds(v.Int()); why != "" {
			return why
		}
	default:
	}
	if u.is == "" {
		return ""
	}
	return checks[u.is](plain(v))
}

func (u rules) bounds(n int64) string {
	below, above := u.min != nil && n < *u.min, u.max != nil && n > *u.max
	switch {
	case !below && !above:
		return ""
	case u.min == nil:
		return fmt.Sprintf("must be at most %d%s, not %d", *u.max, u.unit, n)
	case u.max == nil:
		return fmt.Sprintf("must be at least %d%s, not %d", *u.min, u.unit, n)
	default:
		return fmt.Sprintf("must be between %d and %d%s, not %d", *u.min, *u.max, u.unit, n)
	}
}

// plain is the value as Checks take it.
func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int64:
		return int(v.Int())
	default:
		return v.Interface()
	}
}

func (u rules) missing() string {
	if u.why == "" {
		return "is missing"
	}
	return "is missing: " + u.why
}

// field is a field with a member in JSON, including the fields of embedded structs.
type field struct {
	name  string
	index []int
	rules rules
}

// known are the fields of types that were read before: their tags are read once.
var known sync.Map // of reflect.Type: []field

func fieldsOf(t reflect.Type) []field {
	if fields, ok := known.Load(t); ok {
		return fields.([]field)
	}
	var out []field
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.Anonymous && f.IsExported() && name != "" && name != "-" {
			out = append(out, field{name, f.Index, rulesOf(f)})
		}
	}
	known.Store(t, out)
	return out
}

// verified are the types whose tags were verified for a manner with such checks.
var verified sync.Map // of verification

type verification struct {
	of       reflect.Type
	checks   uintptr
	standard bool
}

// verifyOnce is verify for the first read of a type.
func (m Manner) verifyOnce(t reflect.Type) {
	key := verification{t, reflect.ValueOf(m.Checks).Pointer(), m.Standard}
	if _, done := verified.Load(key); done {
		return
	}
	m.verify(t, map[reflect.Type]bool{})
	verified.Store(key, true)
}

// verify panics if a tag anywhere below t is invalid: such a mistake in the code must not wait for the first request
// that meets it.
func (m Manner) verify(t reflect.Type, seen map[reflect.Type]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		m.verify(t.Elem(), seen)
	case reflect.Struct:
		if seen[t] || isOwn(t) {
			return
		}
		seen[t] = true
		verifyMethods(t)
		for _, f := range fieldsOf(t) {
			of := t.FieldByIndex(f.index).Type
			m.verifyCheck(t, f, of)
			f.rules.fill(reflect.New(of).Elem())
			m.verify(of, seen)
		}
	default:
	}
}

// verifyMethods finds methods Check and Settle that would not be called, because of their form.
func verifyMethods(t reflect.Type) {
	pointer := reflect.PointerTo(t)
	for name, called := range map[string]bool{
		"CheckMembers": t.Implements(reflect.TypeFor[Checker]()), "Settle": pointer.Implements(reflect.TypeFor[Settler]()),
	} {
		if _, there := pointer.MethodByName(name); there && !called {
			panic(fmt.Sprintf("params: %s has a method %s of another form", t, name))
		}
	}
}

// verifyCheck tries the field's check on a zero value, which need not be right, but of the check's type.
func (m Manner) verifyCheck(t reflect.Type, f field, of reflect.Type) {
	if f.rules.is == "" {
		return
	}
	check := m.Checks[f.rules.is]
	if check == nil {
		panic(fmt.Sprintf("params: %s has a field with the unknown check %q", t, f.rules.is))
	}
	for k := of.Kind(); k == reflect.Pointer || k == reflect.Slice || k == reflect.Map; k = of.Kind() {
		of = of.Elem()
	}
	check(plain(reflect.New(of).Elem()))
}

func isOwn(t reflect.Type) bool { return reflect.PointerTo(t).Implements(reflect.TypeFor[Own]()) }
