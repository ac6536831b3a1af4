package store

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/query"
)

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
func jsonCondition(w *where, sql, steps string, e query.Expression, numbers comparison) string {
	if e.OfKey {
		steps += ".keyvalue().key"
	}
	return sql + " @? " + w.arg(steps+" ? ("+predicate(e, numbers)+")") + "::jsonpath"
}

// exists is the condition that the column has something at the steps of its document.
func exists(w *where, sql, steps string) string {
	if steps == "" || steps == "$" {
		return sql + " is not null"
	}
	return sql + " @? " + w.arg(steps) + "::jsonpath"
}

// comparison makes a condition for the item @ of one type; "" when the value has another type.
type comparison func(op query.Op, value string) string

// predicate compares the item @. SQL/JSON treats a comparison of different types as unknown, but here such items are
// not equal.
func predicate(e query.Expression, numbers comparison) string {
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
func anyOf(e query.Expression, types ...comparison) string {
	var alternatives []string
	for _, value := range e.Values {
		for _, compare := range types {
			if condition := compare(e.Op, value); condition != "" {
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
