package store

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/query"
)

// documentColumn holds JSON that has the shown attribute at path.
func documentColumn(sql string, path ...string) column {
	return func(w *where, e query.Expression, below []string) string {
		return jsonCondition(w, sql, root+members(path)+members(below), e, numbers)
	}
}

// rawColumn holds JSON exactly as a client sent it. Its numbers may have more digits than a comparison uses.
func rawColumn(sql string, path ...string) column {
	return func(w *where, e query.Expression, below []string) string {
		return jsonCondition(w, sql, root+members(path)+members(below), e, nearNumbers)
	}
}

// keyedColumn holds, at path, a list of objects with ids. One version of the standard shows the list, and the other a
// map by id. The requested version is not known here, so a condition holds if it holds in either form. keys are the
// keys of the objects.
func keyedColumn(sql string, path []string, keys ...string) column {
	list := root + members(path)
	return func(w *where, e query.Expression, below []string) string {
		if len(below) == 0 && e.OfKey {
			conditions := []string{jsonCondition(w, sql, list+".id", plain(e), numbers)}
			if slices.ContainsFunc(keys, func(key string) bool { return e.Meets(key) }) {
				conditions = append(conditions, sql+" is not null")
			}
			return either(conditions...)
		}
		conditions := []string{jsonCondition(w, sql, list+members(below), e, numbers)}
		if len(below) > 1 || len(below) == 1 && e.OfKey {
			conditions = append(conditions, jsonCondition(w, sql, list+"[*] ? (@.id == "+quoted(below[0])+")"+members(below[1:]),
				e, numbers))
		}
		return either(conditions...)
	}
}

// formsColumn holds a request. At path, one version of the standard has a list of objects, and the other a map of
// objects. The list has the map's keys as members idKey. The API shows the form of the requested version.
func formsColumn(sql string, path []string, idKey string) column {
	there := root + members(path)
	return func(w *where, e query.Expression, below []string) string {
		find := func(version int, steps string, e query.Expression) string {
			return "api_version = " + strconv.Itoa(version) + " and " + jsonCondition(w, sql, steps, e, nearNumbers)
		}
		shownAsItCame := jsonCondition(w, sql, there+members(below), e, nearNumbers)
		if len(below) == 0 && e.OfKey {
			return sql + " @? " + w.arg(there) + "::jsonpath"
		}
		if len(below) == 0 {
			return shownAsItCame
		}
		conditions := []string{
			shownAsItCame,
			find(1, there+"[*] ? (@."+quoted(idKey)+" == "+quoted(below[0])+")"+members(below[1:]), e),
			find(2, there+".*"+members(below), e),
		}
		if _, err := strconv.Atoi(below[0]); err == nil { // an object without that member has its position as key
			conditions = append(conditions, find(1, there+"[*]"+members(below[1:]), e))
		}
		if len(below) == 1 && below[0] == idKey {
			conditions = append(conditions, find(2, there+".keyvalue().key", e))
		}
		return either(conditions...)
	}
}

// plain makes the expression compare values, not keys.
func plain(e query.Expression) query.Expression {
	e.OfKey = false
	return e
}

// root is the beginning of a SQL/JSON path.
const root = "$"

func members(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteString("." + quoted(name))
	}
	return b.String()
}

// quoted writes a string of jsonpath, which has the syntax of JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s) // cannot fail for a string
	return string(b)
}

// jsonCondition looks into jsonb by a SQL/JSON path. In lax mode, the path looks into arrays on its way and at its end,
// and a missing member is no error.
func jsonCondition(w *where, sql, steps string, e query.Expression, numbers kind) string {
	if e.OfKey {
		steps += ".keyvalue().key"
	}
	return sql + " @? " + w.arg(steps+" ? ("+predicate(e, numbers)+")") + "::jsonpath"
}

// kind makes a condition for the item @ of one type; "" when the value has another type.
type kind func(op query.Op, value string) string

// predicate compares the item @. SQL/JSON treats a comparison of different types as unknown, but here such items are
// not equal.
func predicate(e query.Expression, numbers kind) string {
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

// anyOf holds when one of the values compares, as one of the given types.
func anyOf(e query.Expression, kinds ...kind) string {
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

// texts is exact except for texts that are times, where it lets too many rows through.
func texts(op query.Op, value string) string {
	if op == query.Cont || op == query.Ncont {
		if value == "" {
			return `@.type() == "string"`
		}
		return "@ like_regex " + quoted(value) + ` flag "q"` // q: no character is special
	}
	at, isTime := query.Time(value)
	switch {
	case !isTime || op.Negative():
		return "@ " + jsonSign(op) + " " + quoted(value)
	case signs[op] != "":
		sign, text := besideTime(op, at)
		return "@ " + sign + " " + quoted(text)
	default:
		from, to := around(at)
		return "(@ > " + quoted(from) + " && @ < " + quoted(to) + ")"
	}
}

func numbers(op query.Op, value string) string {
	n, ok := query.Number(value)
	if !ok || op == query.Cont || op == query.Ncont {
		return ""
	}
	return "@ " + jsonSign(op) + " " + number(n)
}

// nearNumbers is for numbers that are rounded before the comparison. It lets through every number that may round to the
// value.
func nearNumbers(op query.Op, value string) string {
	n, ok := query.Number(value)
	if !ok || op != query.Eq && op != query.In && op != query.Gte && op != query.Lte {
		return numbers(op, value)
	}
	least, most := math.Nextafter(n, math.Inf(-1)), math.Nextafter(n, math.Inf(1))
	switch {
	case math.IsInf(least, 0) || math.IsInf(most, 0):
		return `@.type() == "number"`
	case op == query.Gte:
		return "@ > " + number(least)
	case op == query.Lte:
		return "@ < " + number(most)
	default:
		return "(@ > " + number(least) + " && @ < " + number(most) + ")"
	}
}

func number(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

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
	return "==" // also for negated expressions, which are negated as a whole
}
