package extensions

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

// summaryQuery reads the query of a list for people, and collects the mistakes in it.
type summaryQuery struct {
	values   url.Values
	known    []string
	problems []lcm.Problem
}

func (q *summaryQuery) text(name string) string {
	q.known = append(q.known, name)
	return q.values.Get(name)
}

func (q *summaryQuery) bad(name, format string, args ...any) {
	q.problems = append(q.problems, lcm.Problem{Path: name, Detail: fmt.Sprintf(format, args...)})
}

func (q *summaryQuery) flag(name string) bool {
	value := q.text(name)
	if value != "" && value != "true" && value != "false" {
		q.bad(name, "must be true or false, not %q", value)
	}
	return value == "true"
}

// oneOf reads a value that must be among values, or "".
func oneOf[T ~string](q *summaryQuery, name string, values ...T) T {
	value := T(q.text(name))
	if value != "" && !slices.Contains(values, value) {
		var names []string
		for _, v := range values {
			names = append(names, string(v))
		}
		q.bad(name, "must be one of %s, not %q", strings.Join(names, ", "), value)
	}
	return value
}

// pairs reads texts of the form KEY=VALUE. The parameter may be given several times.
func (q *summaryQuery) pairs(name string) map[string]string {
	q.known = append(q.known, name)
	pairs := map[string]string{}
	for _, text := range q.values[name] {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			q.bad(name, "must be KEY=VALUE, not %q", text)
			continue
		}
		pairs[key] = value
	}
	return pairs
}

// sortOf reads an order; a - before it reverses it.
func sortOf[T ~string](q *summaryQuery, orders []T) (order T, descending bool) {
	name, descending := strings.CutPrefix(q.text("sort"), "-")
	if order = T(name); (name != "" || descending) && !slices.Contains(orders, order) {
		q.bad("sort", "must be one of %v, with a - before it for the reverse order, not %q", orders, q.values.Get("sort"))
	}
	return order, descending
}

func (q *summaryQuery) number(name string, fallback, least, most int) int {
	value := q.text(name)
	if value == "" {
		return fallback
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		q.bad(name, "must be a number from %d to %d, not %q", least, most, value)
	}
	return n
}

func (q *summaryQuery) rows() store.Rows {
	return store.Rows{Limit: q.number("limit", defaultRows, 1, mostRows), Offset: q.number("offset", 0, 0, mostOffset)}
}

// check returns all mistakes as Invalid; unknown parameters are among them.
func (q *summaryQuery) check() error {
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		if !slices.Contains(q.known, name) {
			q.bad(name, "is not a parameter of this list; the list has %s", strings.Join(q.known, ", "))
		}
	}
	return lcm.InvalidAll("The query has mistakes", q.problems)
}
