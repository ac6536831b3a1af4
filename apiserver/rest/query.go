package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/query"
)

// ListRules say which query parameters a list resource takes (SOL013 clauses 5.2 to 5.4).
type ListRules struct {
	// Excluded are left out unless asked for.
	Excluded []string
	// Mandatory can not be left out.
	Mandatory []string
	// View is the type that shows an item: its members are the attributes that there are.
	View reflect.Type
	// Unused are the standard's attributes that never have a value in Windlass. Clients may still ask for them.
	Unused []string
	// Aliases are further names of attributes in filters, with their paths.
	Aliases map[string][]string
	// FilterOnly is for lists that have no attribute selectors in the standard. It ignores selectors, because ETSI's
	// conformance tests send them there.
	FilterOnly bool
}

// listQuery is a client's query of a list.
type listQuery struct {
	rules   ListRules
	filter  query.Filter
	fields  []string // fields=
	exclude []string // exclude_fields=
	all     bool
	// byDefault adds the default attributes to fields.
	byDefault bool
	// marker is where the page begins, sealed; "" for the first one.
	marker string
	// whole asks for everything in one answer.
	whole bool
}

// queryOf reads the query of a request. net/url silently drops a parameter that contains a semicolon, and a semicolon
// joins the expressions of a filter that a client has not encoded.
func queryOf(c echo.Context) (url.Values, error) {
	params, err := url.ParseQuery(strings.ReplaceAll(c.Request().URL.RawQuery, ";", "%3B"))
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The query of the URL is not encoded correctly: %s.", err)
	}
	return params, nil
}

// parseQuery reads the parameters of a list. Unknown parameters are mistakes, as SOL013 wants.
func parseQuery(params url.Values, rules ListRules) (listQuery, error) {
	q := listQuery{rules: rules}
	if v, ok := params[tackersExclude]; ok && !params.Has("exclude_fields") {
		params["exclude_fields"] = v
		params.Del(tackersExclude)
	}
	var problems []lcm.Problem
	bad := func(name, detail string) { problems = append(problems, lcm.Problem{Path: name, Detail: detail}) }
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if len(params[name]) > 1 {
			bad(name, "is given more than once")
		}
		if rules.FilterOnly && slices.Contains(selectors, name) {
			continue
		}
		switch value := params.Get(name); name {
		case "filter":
			q.filter = rules.parseFilter(name, value, bad)
		case "fields":
			q.fields = rules.attributePaths(name, value, bad)
		case "exclude_fields":
			q.exclude = rules.attributePaths(name, value, bad)
		case "all_fields":
			q.all = true
		case "exclude_default":
			q.byDefault = true
		case "all_records": // of Tacker: no pages
			q.whole = value != "no" && value != "false"
		case "nextpage_opaque_marker":
			if q.marker = value; value == "" {
				bad(name, notOurMarker)
			}
		default:
			bad(name, "is not a query parameter of this resource")
		}
	}
	if detail := conflict(params); detail != "" && !rules.FilterOnly {
		bad("selectors", detail)
	}
	return q, lcm.InvalidAll("The query has mistakes", problems)
}

// parseFilter reads a filter of attributes that the resource has.
func (r ListRules) parseFilter(param, text string, bad func(name, detail string)) query.Filter {
	filter, err := query.Parse(text)
	if err != nil {
		bad(param, err.Error())
	}
	for i, e := range filter {
		if path, ok := r.Aliases[e.Path[0]]; ok {
			filter[i].Path = slices.Concat(path, e.Path[1:])
			continue
		}
		r.checkKnown(param, e.Path[0], bad)
	}
	return filter
}

// tackersExclude is how Tacker's client writes exclude_fields where it lists operations.
const tackersExclude = "exclude-fields"

const notOurMarker = "is not a marker that this server returned for this list"

// selectors are the attribute selectors of SOL013 clause 5.3.
var selectors = []string{"all_fields", "exclude_default", "exclude_fields", "fields"}

// attributePaths reads a list of attributes, and of parts of them.
func (r ListRules) attributePaths(param, value string, bad func(name, detail string)) []string {
	paths := strings.Split(value, ",")
	if slices.ContainsFunc(paths, func(n string) bool { return slices.Contains(strings.Split(n, "/"), "") }) {
		bad(param, "must list attributes like name or name/name, with commas between them")
		return paths
	}
	for _, path := range paths {
		top, _, _ := strings.Cut(path, "/")
		r.checkKnown(param, top, bad)
	}
	return paths
}

// checkKnown refuses an attribute that the resource does not have (SOL013 clauses 5.2.2 and 5.3.2). It checks only the
// first name of a path: the levels below may be maps with any keys, or parts that only some items have.
func (r ListRules) checkKnown(param, attribute string, bad func(name, detail string)) {
	if r.View == nil || slices.Contains(attributeNamesOf(r.View), attribute) || slices.Contains(r.Unused, attribute) {
		return
	}
	bad(param, fmt.Sprintf("names %q, which is not an attribute of this resource", attribute))
}

// conflict tells which selectors can not be combined: only fields with exclude_default may be.
func conflict(params url.Values) string {
	var given []string
	for _, name := range selectors {
		if params.Has(name) {
			given = append(given, name)
		}
	}
	if len(given) < 2 || slices.Equal(given, []string{"exclude_default", "fields"}) {
		return ""
	}
	return strings.Join(given, " and ") + " exclude each other"
}

// NoQuery refuses every query parameter.
func NoQuery(c echo.Context) error {
	params, err := queryOf(c)
	if err != nil {
		return err
	}
	var problems []lcm.Problem
	for _, name := range slices.Sorted(maps.Keys(params)) {
		problems = append(problems, lcm.Problem{Path: name, Detail: "is not a query parameter of this resource"})
	}
	return lcm.InvalidAll("The query has mistakes", problems)
}

// Document is v as JSON has it.
func Document(v any) (map[string]any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	return doc, json.Unmarshal(b, &doc)
}

// ExactDocument is Document with numbers as they are written.
func ExactDocument(v any) (doc map[string]any, err error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	return doc, dec.Decode(&doc)
}

// met tells whether a view meets the filter. Only the attributes that the filter names are looked at.
func (q listQuery) met(view any) (bool, error) {
	if len(q.filter) == 0 {
		return true, nil
	}
	named := func(name string) bool {
		return slices.ContainsFunc(q.filter, func(e query.Expression) bool { return e.Path[0] == name })
	}
	doc, err := Document(onlyAttributes(view, named))
	return err == nil && q.filter.Matches(doc), err
}

// item applies the selectors to a view (SOL013 clause 5.3). fields adds to the mandatory attributes, and together with
// exclude_default to the default attributes. exclude_fields removes from all attributes.
func (q listQuery) item(view any) (json.RawMessage, error) {
	if q.all {
		return json.Marshal(view)
	}
	if q.exclude == nil {
		view = onlyAttributes(view, func(name string) bool {
			return !slices.Contains(q.rules.Excluded, name) ||
				slices.ContainsFunc(q.fields, func(path string) bool { return isAt(path, name) })
		})
	}
	if q.exclude == nil && q.fields == nil {
		return json.Marshal(view)
	}
	doc, err := ExactDocument(view)
	if err != nil {
		return nil, err
	}
	return json.Marshal(q.pick(doc))
}

// pick applies fields or exclude_fields.
func (q listQuery) pick(doc map[string]any) map[string]any {
	if q.exclude != nil {
		for _, path := range q.exclude {
			if top, _, _ := strings.Cut(path, "/"); path != top || !slices.Contains(q.rules.Mandatory, top) {
				remove(doc, strings.Split(path, "/"))
			}
		}
		return doc
	}
	out := maps.Clone(doc)
	for _, name := range q.rules.Excluded {
		delete(out, name)
	}
	for _, path := range q.fields {
		include(out, doc, strings.Split(path, "/"))
	}
	if !q.byDefault {
		maps.DeleteFunc(out, func(name string, _ any) bool {
			return !slices.Contains(q.rules.Mandatory, name) &&
				!slices.ContainsFunc(q.fields, func(path string) bool { return isAt(path, name) })
		})
	}
	return out
}

// isAt tells whether a path of a selector leads to an attribute of that name, or into it.
func isAt(path, name string) bool { return path == name || strings.HasPrefix(path, name+"/") }

// unseen returns the attributes that are left out by default, and their parts that the selectors or the filter name.
func (q listQuery) unseen() (omit, seen []string) {
	if q.all || q.exclude != nil {
		return nil, nil
	}
	seen = slices.Clone(q.fields)
	for _, e := range q.filter {
		seen = append(seen, strings.Join(e.Path, "/"))
	}
	return q.rules.Excluded, seen
}

func remove(v any, path []string) {
	switch v := v.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(v, path[0])
			return
		}
		remove(v[path[0]], path[1:])
	case []any:
		for _, e := range v {
			remove(e, path)
		}
	}
}

// include copies the attribute at path from doc to out.
func include(out, doc map[string]any, path []string) {
	if v, ok := doc[path[0]]; ok {
		out[path[0]] = included(out[path[0]], v, path[1:])
	}
}

// included copies the value at path from the original into the copy. A path through an array applies to each of its
// items; the items keep their places.
func included(into, from any, path []string) any {
	if len(path) == 0 {
		return from
	}
	switch from := from.(type) {
	case map[string]any:
		object, ok := into.(map[string]any)
		if !ok {
			object = map[string]any{}
		}
		include(object, from, path)
		return object
	case []any:
		list, ok := into.([]any)
		if !ok {
			list = make([]any, len(from))
		}
		for i, item := range from {
			list[i] = included(list[i], item, path)
		}
		return list
	default: // nothing is below a text or a number
		return from
	}
}
