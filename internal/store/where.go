package store

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/query"
)

// nobody is the condition that no row meets. Every row meets anybody: SQL cannot express the condition, so the query
// reads the whole list.
const nobody, anybody = "false", "true"

// either holds when one of the conditions holds.
func either(conditions ...string) string {
	conditions = slices.DeleteFunc(conditions, func(c string) bool { return c == nobody })
	if len(conditions) == 0 {
		return nobody
	}
	return "(" + strings.Join(conditions, " or ") + ")"
}

// onlyIf is the condition if it can hold.
func onlyIf(can bool, condition string) string {
	if can {
		return condition
	}
	return nobody
}

// where collects conditions and their arguments.
type where struct {
	conditions []string
	args       pgx.NamedArgs
}

func (w *where) add(condition string) { w.conditions = append(w.conditions, "("+condition+")") }

// arg adds a value to the arguments and returns its name.
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

// compareText compares as package query does. For texts that are times it lets too many rows through.
func compareText(w *where, sql string, e query.Expression) string {
	switch e.Op {
	case query.Eq, query.In:
		return either(append(aroundTimes(w, sql, e.Values), sql+" = any("+w.arg(e.Values)+"::text[])")...)
	case query.Neq, query.Nin:
		return sql + " <> all(" + w.arg(e.Values) + "::text[])"
	case query.Cont:
		return contains(w, sql, e.Values)
	case query.Ncont:
		return "not " + contains(w, sql, e.Values)
	default: // texts are ordered by bytes, regardless of the database's locale
		sign, value := signs[e.Op], e.Values[0]
		if at, ok := query.Time(value); ok {
			sign, value = besideTime(e.Op, at)
		}
		return sql + ` collate "C" ` + sign + " " + w.arg(value) + "::text"
	}
}

var signs = map[query.Op]string{query.Gt: ">", query.Gte: ">=", query.Lt: "<", query.Lte: "<="}

// contains makes a condition that a trigram index can answer, where there is one.
func contains(w *where, sql string, parts []string) string {
	var conditions []string
	for _, part := range parts {
		conditions = append(conditions, sql+" like "+w.arg("%"+likeEscape.Replace(part)+"%")+"::text")
	}
	return either(conditions...)
}

var likeEscape = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)

// aroundTimes makes conditions that match any text of the same time, for those values that are times.
func aroundTimes(w *where, sql string, values []string) (conditions []string) {
	for _, value := range values {
		if at, ok := query.Time(value); ok {
			from, to := around(at)
			conditions = append(conditions,
				sql+` collate "C" > `+w.arg(from)+"::text and "+sql+` collate "C" < `+w.arg(to)+"::text")
		}
	}
	return conditions
}

// around returns two texts. Every text of the time in any time zone lies between them: clocks are at most 25 hours
// apart.
func around(at time.Time) (from, to string) {
	from, to = at.UTC().Add(-26*time.Hour).Format(time.DateOnly), at.UTC().Add(50*time.Hour).Format(time.DateOnly)
	if len(to) > len(time.DateOnly) {
		to = ":" // sorts after every digit
	}
	return from, to
}

// besideTime returns a comparison that holds for every text for which op and the time hold.
func besideTime(op query.Op, at time.Time) (sign, text string) {
	from, to := around(at)
	if op == query.Gt || op == query.Gte {
		return ">", from
	}
	return "<", to
}

// compareTime compares a column of times. A value that is no time is compared with the shown text of the column.
func compareTime(w *where, sql string, e query.Expression) string {
	var times []time.Time
	for _, v := range e.Values {
		// PostgreSQL stores times to the microsecond.
		if at, ok := query.Time(v); ok && at.Nanosecond()%1000 == 0 && at.Year() > 0 {
			times = append(times, at)
		}
	}
	if len(times) < len(e.Values) || e.Op == query.Cont || e.Op == query.Ncont {
		return compareText(w, timeText(sql), e)
	}
	switch e.Op {
	case query.Eq, query.In:
		return sql + " = any(" + w.arg(times) + "::timestamptz[])"
	case query.Neq, query.Nin:
		return sql + " <> all(" + w.arg(times) + "::timestamptz[])"
	default:
		return sql + " " + signs[e.Op] + " " + w.arg(times[0]) + "::timestamptz"
	}
}

// timeText writes a time as encoding/json does, without trailing zeros in its fraction.
func timeText(sql string) string {
	return `(rtrim(rtrim(to_char(` + sql + ` at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z')`
}

// compareLink compares URLs of a resource, or of its tasks. sql is the id that follows the list's name in the URL.
func compareLink(w *where, sql, list string, e query.Expression) string {
	if e.OfKey || e.Op != query.Eq && e.Op != query.In {
		return anybody
	}
	var ids []string
	for _, value := range e.Values {
		if at := strings.LastIndex(value, list); at >= 0 {
			id, _, _ := strings.Cut(value[at+len(list):], "/")
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nobody
	}
	return sql + " = any(" + w.arg(ids) + "::text[])"
}
