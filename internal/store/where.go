package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/query"
)

// attributes says where the attributes of a resource of the standard are stored, by their path: "id", or a path such as
// "instantiatedVnfInfo/flavourId" when only a part is stored as it is shown. What is not listed is not looked at: a
// filter's condition is always met by every row that the filter matches, and the caller has the last word.
type attributes map[string]column

// column makes a condition of an expression whose path below the column is given; "" when there is none to make.
type column func(w *where, e query.Expression, below []string) string

// where collects conditions and their arguments.
type where struct {
	conditions []string
	args       pgx.NamedArgs
}

// whereOf makes the conditions of a filter; args is what else the statement has.
func (a attributes) whereOf(f query.Filter, args pgx.NamedArgs) *where {
	w := &where{args: pgx.NamedArgs{}}
	maps.Copy(w.args, args)
	for _, e := range f {
		for n := len(e.Path); n > 0; n-- {
			if column := a[strings.Join(e.Path[:n], "/")]; column != nil && plainNames(e.Path[:n]) {
				w.add(column(w, e, e.Path[n:]))
				break
			}
		}
	}
	return w
}

// plainNames is false when a name has a slash in it, and could be taken for two.
func plainNames(path []string) bool {
	return !slices.ContainsFunc(path, func(name string) bool { return strings.Contains(name, "/") })
}

func (w *where) add(condition string) {
	if condition != "" {
		w.conditions = append(w.conditions, "("+condition+")")
	}
}

// arg gives a value a name.
func (w *where) arg(v any) string {
	name := "f" + strconv.Itoa(len(w.args))
	w.args[name] = v
	return "@" + name
}

func (w *where) String() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return " where " + strings.Join(w.conditions, " and ")
}

// comparableTexts is false when SQL does not compare as query does: of texts that are dates with times.
func comparableTexts(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { _, isTime := query.Time(v); return isTime })
}

// textColumn holds a text; an empty one is shown as no attribute when it is optional.
func textColumn(sql string, optional bool) column {
	return func(w *where, e query.Expression, below []string) string {
		if len(below) > 0 || e.OfKey || !comparableTexts(e.Values) {
			return ""
		}
		condition := compareText(w, sql, e)
		if optional {
			condition += " and " + sql + " <> ''"
		}
		return condition
	}
}

func compareText(w *where, sql string, e query.Expression) string {
	values := w.arg(e.Values)
	switch e.Op {
	case query.Eq, query.In:
		return sql + " = any(" + values + "::text[])"
	case query.Neq, query.Nin:
		return sql + " <> all(" + values + "::text[])"
	case query.Cont, query.Ncont:
		found := "exists (select from unnest(" + values + "::text[]) as part (v) where strpos(" + sql + ", part.v) > 0)"
		if e.Op == query.Ncont {
			return "not " + found
		}
		return found
	default: // texts are ordered by their bytes, whatever the database's language is
		return sql + ` collate "C" ` + signs[e.Op] + " (" + values + "::text[])[1]"
	}
}

var signs = map[query.Op]string{query.Gt: ">", query.Gte: ">=", query.Lt: "<", query.Lte: "<="}

// timeColumn holds a time.
func timeColumn(sql string) column {
	return func(w *where, e query.Expression, below []string) string {
		var times []time.Time
		for _, v := range e.Values {
			// PostgreSQL's times end at microseconds.
			if at, ok := query.Time(v); ok && at.Nanosecond()%1000 == 0 && at.Year() > 0 {
				times = append(times, at)
			}
		}
		if len(below) > 0 || e.OfKey || len(times) < len(e.Values) {
			return ""
		}
		switch e.Op {
		case query.Eq, query.In:
			return sql + " = any(" + w.arg(times) + "::timestamptz[])"
		case query.Neq, query.Nin:
			return sql + " <> all(" + w.arg(times) + "::timestamptz[])"
		case query.Cont, query.Ncont:
			return ""
		default:
			return sql + " " + signs[e.Op] + " " + w.arg(times[0]) + "::timestamptz"
		}
	}
}

// boolColumn holds a boolean.
func boolColumn(sql string) column {
	return func(w *where, e query.Expression, below []string) string {
		b, ok := query.Bool(e.Values[0])
		if len(below) > 0 || e.OfKey || !ok || len(e.Values) > 1 {
			return ""
		}
		switch e.Op {
		case query.Eq, query.In:
			return sql + " = " + w.arg(b)
		case query.Neq, query.Nin:
			return sql + " <> " + w.arg(b)
		default:
			return ""
		}
	}
}

// presentColumn tells no more than whether the attribute is there.
func presentColumn(sql string) column {
	return func(*where, query.Expression, []string) string { return sql + " is not null" }
}

// documentColumn holds JSON in which what is shown at the attribute is at path.
func documentColumn(sql string, path ...string) column {
	return func(w *where, e query.Expression, below []string) string {
		steps := "$" + members(path) + members(below)
		return jsonCondition(w, sql, steps, e)
	}
}

// rawColumn holds JSON as a client has sent it: its numbers may have more digits than the ones that are compared.
func rawColumn(sql string, path ...string) column {
	document := documentColumn(sql, path...)
	return func(w *where, e query.Expression, below []string) string {
		if slices.ContainsFunc(e.Values, func(v string) bool { _, ok := query.Number(v); return ok }) {
			return ""
		}
		return document(w, e, below)
	}
}

// keyedColumn holds a list of objects with ids, which one version of the standard shows as it is and the other as a map
// by id. Which one is asked is not known here, so either form meets the condition.
func keyedColumn(sql string) column {
	return func(w *where, e query.Expression, below []string) string {
		forms := []string{jsonCondition(w, sql, "$"+members(below), e)}
		switch {
		case len(below) == 0 && e.OfKey:
			e.OfKey = false
			forms = append(forms, jsonCondition(w, sql, "$.id", e))
		case len(below) > 1 || len(below) == 1 && e.OfKey:
			forms = append(forms, jsonCondition(w, sql, "$[*] ? (@.id == "+quoted(below[0])+")"+members(below[1:]), e))
		}
		if slices.Contains(forms, "") {
			return ""
		}
		return strings.Join(forms, " or ")
	}
}

func members(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteString("." + quoted(name))
	}
	return b.String()
}

// quoted writes a string of jsonpath, which are those of JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s) // of a string it cannot fail
	return string(b)
}

// jsonCondition looks into jsonb by a path of SQL/JSON. In its lax mode, arrays on the way and at the end are looked
// into, and what does not exist is no error.
func jsonCondition(w *where, sql, steps string, e query.Expression) string {
	if !comparableTexts(e.Values) {
		return ""
	}
	if e.OfKey {
		steps += ".keyvalue().key"
	}
	return sql + " @? " + w.arg(steps+" ? ("+predicate(e)+")") + "::jsonpath"
}

// predicate compares the item @. Items of another type than the value's are unknown to SQL/JSON, but not equal here.
func predicate(e query.Expression) string {
	if !e.Op.Negative() {
		return anyOf(e, texts, numbers, booleans)
	}
	return `@.type() == "string" && ` + not(anyOf(e, texts)) +
		` || @.type() == "number" && ` + not(anyOf(e, numbers)) +
		` || @.type() == "boolean" && ` + not(anyOf(e, booleans))
}

func not(condition string) string {
	if condition == never {
		return always
	}
	return "!(" + condition + ")"
}

const (
	never  = "1 == 0"
	always = "1 == 1"
)

// anyOf is met when one of the values compares, as one of the given types.
func anyOf(e query.Expression, kinds ...func(op query.Op, value string) string) string {
	var alternatives []string
	for _, value := range e.Values {
		for _, kind := range kinds {
			if condition := kind(e.Op, value); condition != "" {
				alternatives = append(alternatives, condition)
			}
		}
	}
	if len(alternatives) == 0 {
		return never
	}
	return strings.Join(alternatives, " || ")
}

func texts(op query.Op, value string) string {
	switch op {
	case query.Cont, query.Ncont:
		if value == "" {
			return `@.type() == "string"`
		}
		return "@ like_regex " + quoted(value) + ` flag "q"` // q: no character is special
	default:
		return "@ " + jsonSign(op) + " " + quoted(value)
	}
}

func numbers(op query.Op, value string) string {
	n, ok := query.Number(value)
	if !ok || op == query.Cont || op == query.Ncont {
		return ""
	}
	return fmt.Sprintf("@ %s %s", jsonSign(op), strconv.FormatFloat(n, 'g', -1, 64))
}

func booleans(op query.Op, value string) string {
	if _, ok := query.Bool(value); !ok || op == query.Cont || op == query.Ncont {
		return ""
	}
	return "@ " + jsonSign(op) + " " + value
}

func jsonSign(op query.Op) string {
	if sign, ok := signs[op]; ok {
		return sign
	}
	return "==" // also of the negative ones, which are negated as a whole
}
