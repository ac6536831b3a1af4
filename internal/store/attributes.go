package store

import (
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/query"
)

// Attributes is the table of the attributes of a resource of the standard: it says where the database has each of them.
// A filter's condition in SQL is made from the rows whose path is the attribute's, or leads to it. An attribute that no
// row leads to does not exist, and no filter matches it. An attribute of several rows may be in each of these places. A
// condition covers every row of the database that the filter matches, and may cover more; the caller filters the result
// again.
type Attributes []attributeRow

// attributeRow is a row of the table. Its Path are the names of an attribute in the API with slashes between them. The
// name * is any key of a map, whose entries are objects.
type attributeRow struct {
	Path string
	place
}

// place is where the database has an attribute.
type place struct {
	kind kind
	// column is a column, or an expression of SQL.
	column string
	// steps lead to the attribute in a document: a SQL/JSON path, in which {key} is the key at *, and {position} is this
	// key as the index of an array. For a link they are the name of the list before the id in its URL.
	steps string
	// value is the attribute's value where a row of the database has the place (kind constant).
	value any
	// members are the names that an object may have; nil for any.
	members []string
	// elsewhere is a name below the attribute that other rows have.
	elsewhere string
	// when is the condition for the rows of the database that have the attribute here; "" for all.
	when string
}

// kind tells what a place has.
type kind int

const (
	mandatoryText kind = iota
	optionalText       // an empty text is a missing attribute
	moment             // a time
	boolean
	document // JSON that has the attribute in the form of the API, with all attributes below it
	request  // such JSON exactly as a client sent it: its numbers may have more digits than a comparison uses
	mapKeys  // JSON that has the keys of the attribute, which is a map
	object   // an object of the standard, or a list of objects; the rows below it have their attributes
	presence // SQL knows only which rows of the database have the attribute, and what is below it
	constant // the attribute has the value where the place exists; several rows have the possible values
	link     // the id in URLs of a resource, or of its tasks
	vnfcID   // the id of a VNFC in SOL002
)

// in makes a place in a column, at the steps.
func (k kind) in(column string, steps ...string) place {
	return place{kind: k, column: column, steps: strings.Join(steps, "")}
}

// is makes the place of a constant.
func (p place) is(value any) place {
	p.value = value
	return p
}

// except excludes a name below the attribute, which other rows have.
func (p place) except(name string) place {
	p.elsewhere = name
	return p
}

// objectAt makes the table of an object of the standard from the tables of all its attributes.
func objectAt(path string, object place, tables ...Attributes) Attributes {
	out := Attributes{{}}
	for _, row := range slices.Concat(tables...) {
		name, _, _ := strings.Cut(row.Path, "/")
		object.members = append(object.members, name)
		out = append(out, attributeRow{path + "/" + row.Path, row.place})
	}
	out[0] = attributeRow{path, object}
	return out
}

// when limits the places to the rows of the database that meet a condition.
func (a Attributes) when(condition string) Attributes {
	for i := range a {
		a[i].when = condition
	}
	return a
}

// Finds tells whether the table has the attribute of an expression. Tests compare the tables with the API's answers.
func (a Attributes) Finds(e query.Expression) bool {
	return a.condition(&where{args: pgx.NamedArgs{}}, e) != nobody
}

// whereOf makes the conditions of a filter.
func (a Attributes) whereOf(f query.Filter) *where {
	w := &where{args: pgx.NamedArgs{}}
	for _, e := range f {
		w.add(a.condition(w, e))
	}
	return w
}

// condition makes the condition for an expression.
func (a Attributes) condition(w *where, e query.Expression) string {
	var places []string
	for _, row := range a {
		if key, below, ok := row.leadsTo(e); ok {
			places = append(places, row.meets(w, e, key, below))
		}
	}
	return either(places...)
}

// leadsTo tells whether the row has the expression's attribute, or something around it. key is the name at *, and below
// are the names after the row's path.
func (a attributeRow) leadsTo(e query.Expression) (key string, below []string, ok bool) {
	below = e.Path
	for name := range strings.SplitSeq(a.Path, "/") {
		switch {
		case len(below) == 0 || name != "*" && name != below[0]:
			return "", nil, false
		case name == "*":
			key = below[0]
		}
		below = below[1:]
	}
	if len(below) == 0 {
		return key, nil, e.OfKey || !strings.HasSuffix(a.Path, "*") // an entry of a map meets no comparison
	}
	return key, below, below[0] != a.elsewhere
}

// meets makes the condition for the place. key is the name at * of the row's path, and below are the names after it.
func (p place) meets(w *where, e query.Expression, key string, below []string) string {
	position, err := strconv.ParseUint(key, 10, 31)
	if err != nil && strings.Contains(p.steps, "{position}") {
		return nobody
	}
	steps := strings.NewReplacer("{key}", quoted(key), "{position}", strconv.FormatUint(position, 10)).Replace(p.steps)
	condition := p.compare(w, e, steps, below)
	if p.when == "" || condition == nobody {
		return condition
	}
	return p.when + " and (" + condition + ")"
}

// compare makes the condition for any row of the database.
func (p place) compare(w *where, e query.Expression, steps string, below []string) string {
	switch {
	case p.kind == presence:
		return exists(w, p.column, steps)
	case p.kind == link:
		return compareLink(w, p.column, p.steps, e)
	case len(below) == 0 && e.OfKey && (p.kind == object || p.members != nil):
		can := p.members == nil || slices.ContainsFunc(p.members, func(name string) bool { return e.Meets(name) })
		return onlyIf(can, exists(w, p.column, steps))
	case p.kind == document:
		return jsonCondition(w, p.column, steps+members(below), e, numbers)
	case p.kind == request:
		return jsonCondition(w, p.column, steps+members(below), e, nearNumbers)
	case len(below) > 0 || e.OfKey != (p.kind == mapKeys):
		return nobody // the other kinds have nothing below them
	default:
		return p.compareValue(w, e, steps)
	}
}

// compareValue makes the condition for an attribute that has nothing below it.
func (p place) compareValue(w *where, e query.Expression, steps string) string {
	switch p.kind {
	case mandatoryText:
		return compareText(w, p.column, e)
	case optionalText:
		return compareText(w, p.column, e) + " and " + p.column + " <> ''"
	case moment:
		return compareTime(w, p.column, e)
	case boolean:
		return either(onlyIf(e.Meets(true), p.column), onlyIf(e.Meets(false), "not "+p.column))
	case vnfcID:
		return compareVnfcID(w, e)
	case mapKeys:
		e.OfKey = false
		return jsonCondition(w, p.column, steps, e, numbers)
	case constant:
		return onlyIf(e.Meets(p.value), exists(w, p.column, steps))
	default: // an object meets no comparison
		return nobody
	}
}
