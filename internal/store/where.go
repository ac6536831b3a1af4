package store

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/query"
)

// attributes maps the attributes of a resource of the standard to their columns, by path: "id", or a path such as
// "instantiatedVnfInfo/flavourId" when only a part is stored in its shown form. It lists every attribute, or the object
// around it. A path without an entry is no attribute, and no filter matches it. A filter's condition covers every row
// that the filter matches, and may cover more; the caller filters the result again.
type attributes map[string]column

// column makes the condition for an expression; below is the rest of its path below the column. It returns "" when SQL
// cannot express the condition. Then the query reads the whole list.
type column func(w *where, e query.Expression, below []string) string

// nobody is the condition that no row meets.
const nobody = "false"

// either holds when one of the conditions holds.
func either(conditions ...string) string {
	var some []string
	for _, c := range conditions {
		switch c {
		case "":
			return ""
		case nobody:
		default:
			some = append(some, c)
		}
	}
	if len(some) == 0 {
		return nobody
	}
	return "(" + strings.Join(some, " or ") + ")"
}

// with adds more attributes.
func (a attributes) with(more attributes) attributes {
	maps.Copy(a, more)
	return a
}

// where collects conditions and their arguments.
type where struct {
	conditions []string
	args       pgx.NamedArgs
}

// whereOf makes the conditions of a filter; args are the other arguments of the statement.
func (a attributes) whereOf(f query.Filter, args pgx.NamedArgs) *where {
	w := &where{args: pgx.NamedArgs{}}
	maps.Copy(w.args, args)
	for _, e := range f {
		w.add(a.column(e.Path)(w, e))
	}
	return w
}

// column finds the column for the longest known beginning of the path.
func (a attributes) column(path []string) func(*where, query.Expression) string {
	for n := len(path); n > 0; n-- {
		if column := a[strings.Join(path[:n], "/")]; column != nil && plainNames(path[:n]) {
			return func(w *where, e query.Expression) string { return column(w, e, path[n:]) }
		}
	}
	return func(*where, query.Expression) string { return nobody }
}

// plainNames is false when a name contains a slash and so looks like two names.
func plainNames(path []string) bool {
	return !slices.ContainsFunc(path, func(name string) bool { return strings.Contains(name, "/") })
}

func (w *where) add(condition string) {
	if condition != "" {
		w.conditions = append(w.conditions, "("+condition+")")
	}
}

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

// unknownColumn is for attributes that SQL cannot look up.
func unknownColumn(*where, query.Expression, []string) string { return "" }

// textColumn holds a text. When it is optional, an empty text counts as a missing attribute.
func textColumn(sql string, optional bool) column {
	return func(w *where, e query.Expression, below []string) string {
		if len(below) > 0 || e.OfKey {
			return nobody
		}
		condition := compareText(w, sql, e)
		if optional {
			condition += " and " + sql + " <> ''"
		}
		return condition
	}
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

// timeColumn holds a time. A value that is no time is compared with the shown text of the column.
func timeColumn(sql string) column {
	return func(w *where, e query.Expression, below []string) string {
		if len(below) > 0 || e.OfKey {
			return nobody
		}
		var times []time.Time
		for _, v := range e.Values {
			// PostgreSQL stores times to the microsecond.
			if at, ok := query.Time(v); ok && at.Nanosecond()%1000 == 0 && at.Year() > 0 {
				times = append(times, at)
			}
		}
		if len(times) < len(e.Values) {
			return compareText(w, timeText(sql), e)
		}
		switch e.Op {
		case query.Eq, query.In:
			return sql + " = any(" + w.arg(times) + "::timestamptz[])"
		case query.Neq, query.Nin:
			return sql + " <> all(" + w.arg(times) + "::timestamptz[])"
		case query.Cont, query.Ncont:
			return compareText(w, timeText(sql), e)
		default:
			return sql + " " + signs[e.Op] + " " + w.arg(times[0]) + "::timestamptz"
		}
	}
}

// timeText writes a time as encoding/json does, without trailing zeros in its fraction.
func timeText(sql string) string {
	return `(rtrim(rtrim(to_char(` + sql + ` at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z')`
}

// constant is a possible value of an attribute (text, number or boolean), with the condition for the rows that have it.
type constant struct {
	value     any
	condition string
}

// constantColumn is for an attribute with few possible values.
func constantColumn(constants ...constant) column {
	return func(_ *where, e query.Expression, below []string) string {
		if len(below) > 0 || e.OfKey {
			return nobody
		}
		return constantsOf(e, constants...)
	}
}

// constantsOf makes the condition for the rows whose value meets the expression.
func constantsOf(e query.Expression, constants ...constant) string {
	var conditions []string
	for _, c := range constants {
		if e.Meets(c.value) {
			conditions = append(conditions, c.condition)
		}
	}
	return either(conditions...)
}

// boolColumn holds a boolean.
func boolColumn(sql string) column {
	return constantColumn(constant{true, sql}, constant{false, "not " + sql})
}

// presentColumn only tells whether the attribute exists.
func presentColumn(sql string) column {
	return func(*where, query.Expression, []string) string { return sql + " is not null" }
}

// objectColumn is an object of the standard, or a list of objects. The entries below it list all of its attributes.
func objectColumn(sql string) column {
	return func(_ *where, e query.Expression, below []string) string {
		if len(below) > 0 || !e.OfKey {
			return nobody
		}
		return sql + " is not null"
	}
}

// eitherColumn is for an attribute that is stored in one of several columns.
func eitherColumn(columns ...column) column {
	return func(w *where, e query.Expression, below []string) string {
		var conditions []string
		for _, c := range columns {
			conditions = append(conditions, c(w, e, below))
		}
		return either(conditions...)
	}
}

// whenColumn is for an attribute that only rows with a condition have.
func whenColumn(condition string, column column) column {
	return func(w *where, e query.Expression, below []string) string {
		switch found := column(w, e, below); found {
		case nobody:
			return nobody
		case "":
			return condition
		default:
			return condition + " and (" + found + ")"
		}
	}
}

// linkColumn is for URLs of a resource, or of one of its tasks. sql is the id that follows the list's name in the URL.
func linkColumn(sql, list string) column {
	return func(w *where, e query.Expression, _ []string) string {
		if e.OfKey || e.Op != query.Eq && e.Op != query.In {
			return ""
		}
		ids := []string{}
		for _, value := range e.Values {
			if at := strings.LastIndex(value, list); at >= 0 {
				id, _, _ := strings.Cut(value[at+len(list):], "/")
				ids = append(ids, id)
			}
		}
		return sql + " = any(" + w.arg(ids) + "::text[])"
	}
}
