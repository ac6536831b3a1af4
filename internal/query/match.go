package query

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Matches tells whether a JSON document, as encoding/json decodes it into an any, meets the filter.
func (f Filter) Matches(doc any) bool {
	return !slices.ContainsFunc(f, func(e Expression) bool { return !e.matches(doc, e.Path) })
}

// matches looks the attribute up. An absent attribute, null and an object meet no comparison, not even a negative one.
// It looks into elements of an array, but not into arrays in an array: SOL013 has no such attribute.
func (e Expression) matches(v any, path []string) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(item any) bool {
			_, nested := item.([]any)
			return !nested && e.matches(item, path)
		})
	case map[string]any:
		if len(path) == 0 {
			return e.OfKey && e.matchesKey(v)
		}
		member, ok := v[path[0]]
		return ok && e.matches(member, path[1:])
	default:
		return len(path) == 0 && !e.OfKey && v != nil && e.compare(v)
	}
}

func (e Expression) matchesKey(m map[string]any) bool {
	for key := range m {
		if e.compare(key) {
			return true
		}
	}
	return false
}

// Meets tells whether a text, number (float64) or boolean at the end of the path meets the expression.
func (e Expression) Meets(v any) bool { return e.compare(v) }

func (e Expression) compare(v any) bool {
	hit := slices.ContainsFunc(e.Values, func(value string) bool { return e.compareOne(v, value) })
	return hit != e.Op.Negative()
}

func (e Expression) compareOne(v any, value string) bool {
	if e.Op == Cont || e.Op == Ncont {
		text, ok := v.(string)
		return ok && strings.Contains(text, value)
	}
	sign, ok := order(v, value)
	if !ok {
		return false
	}
	switch e.Op {
	case Gt:
		return sign > 0
	case Gte:
		return sign >= 0
	case Lt:
		return sign < 0
	case Lte:
		return sign <= 0
	default:
		return sign == 0
	}
}

// order compares by the attribute's own type; false when the value is not of that type.
func order(v any, value string) (int, bool) {
	switch v := v.(type) {
	case string:
		at, ok1 := Time(v)
		other, ok2 := Time(value)
		if ok1 && ok2 {
			return at.Compare(other), true
		}
		return strings.Compare(v, value), true
	case bool:
		other, ok := Bool(value)
		return boolOrder(v, other), ok
	case float64:
		other, ok := Number(value)
		return cmp.Compare(v, other), ok
	default:
		return 0, false
	}
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// Time reads a value that is a date with a time (RFC 3339). Such values are compared as times.
func Time(value string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, value)
	return at, err == nil
}

// Bool reads a value that is true or false.
func Bool(value string) (b, ok bool) { return value == "true", value == "true" || value == "false" }

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// Number reads a value that is a number of JSON.
func Number(value string) (float64, bool) {
	if !number.MatchString(value) {
		return 0, false
	}
	n, err := strconv.ParseFloat(value, 64)
	return n, err == nil
}
