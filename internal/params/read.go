package params

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// reading is one walk through a document.
type reading struct {
	Manner
	findings
	unknown []Problem
}

func (r *reading) tell(path, format string, args ...any) { r.wrong(&r.findings, path, format, args...) }

// member reads a value that may be absent.
func (r *reading) member(path string, doc json.RawMessage, v reflect.Value, u rules) {
	null := isNull(doc)
	switch {
	case len(doc) == 0 && u.required && r.Standard && !r.Kept:
		r.tell(path, "%s", u.missing())
	case len(doc) == 0:
		r.absent(path, v, u)
	case null && !r.Kept && (u.notNull || u.required && r.Standard && !isRaw(v.Type())):
		r.tell(path, "must not be null")
	case null && !isRaw(v.Type()) && !isOwn(v.Type()):
		r.absent(path, v, u)
	default:
		r.value(path, doc, v, u)
	}
}

// absent fills in defaults. An absent value of a standard request gets no defaults for its members.
func (r *reading) absent(path string, v reflect.Value, u rules) {
	if v.Kind() == reflect.Struct && !isOwn(v.Type()) && !r.Standard {
		r.object(path, nil, v)
		return
	}
	u.fill(v)
}

// value reads a present value. It reports a wrong type and returns false.
func (r *reading) value(path string, doc json.RawMessage, v reflect.Value, u rules) bool {
	if v.Kind() == reflect.Pointer {
		to := reflect.New(v.Type().Elem())
		if !r.value(path, doc, to.Elem(), u) {
			return false
		}
		v.Set(to)
		return true
	}
	switch t := v.Addr().Interface().(type) {
	case Own:
		if must := t.ReadParam(doc); must != "" {
			r.mistyped(path, must, doc)
			return false
		}
		r.holds(path, v, u)
		return true
	case Usual:
		doc = t.Usual(doc)
	}
	if isRaw(v.Type()) {
		return r.raw(path, doc, v)
	}
	switch v.Kind() {
	case reflect.Struct:
		return r.structure(path, doc, v)
	case reflect.Map:
		return r.mapped(path, doc, v, u)
	case reflect.Slice:
		return r.list(path, doc, v, u)
	default:
		return r.scalar(path, doc, v, u)
	}
}

func isRaw(t reflect.Type) bool {
	return t.Kind() == reflect.Interface || t == reflect.TypeFor[json.RawMessage]()
}

// raw takes the value unchanged. The value is part of a document that was read, so only numbers can be wrong in it.
func (r *reading) raw(path string, doc json.RawMessage, v reflect.Value) bool {
	if json.Unmarshal(doc, v.Addr().Interface()) != nil {
		r.tell(path, "has a number that does not fit into 64 bits")
		return false
	}
	if v.Kind() == reflect.Interface { // a json.RawMessage keeps its digits
		if exact, err := Unmarshal(doc); err == nil {
			r.exact(path, exact)
		}
	}
	return true
}

func (r *reading) mistyped(path, must string, doc json.RawMessage) {
	if isNull(doc) && r.Standard {
		r.tell(path, "must not be null")
		return
	}
	r.tell(path, "must be %s, not %s", must, nameOf(doc))
}

func (r *reading) members(path string, doc json.RawMessage) (map[string]json.RawMessage, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(doc, &members) != nil || members == nil {
		r.mistyped(path, "an object", doc)
		return nil, false
	}
	return members, true
}

func (r *reading) structure(path string, doc json.RawMessage, v reflect.Value) bool {
	members, ok := r.members(path, doc)
	if !ok {
		return false
	}
	if n, is := reflect.TypeAssert[noter](v.Addr()); is {
		n.note(doc, members)
	}
	r.object(path, members, v)
	return true
}

func (r *reading) object(path string, members map[string]json.RawMessage, v reflect.Value) {
	fields := fieldsOf(v.Type())
	for _, f := range fields {
		r.member(MemberPath(path, f.name), trim(members[f.name]), v.FieldByIndex(f.index), f.rules)
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		r.key(path, key, fields)
	}
	if s, ok := reflect.TypeAssert[Settler](v.Addr()); ok {
		s.Settle()
	}
}

// key reports members that have no field. Some documents are read a second time by encoding/json, which ignores case.
// There, a name that differs only by its case is refused: it would fill the member unchecked.
func (r *reading) key(path, key string, fields []field) {
	if slices.ContainsFunc(fields, func(f field) bool { return f.name == key }) {
		return
	}
	at := MemberPath(path, key)
	for _, f := range fields {
		if r.Standard && strings.EqualFold(f.name, key) {
			r.tell(at, "must be written %s", f.name)
			return
		}
	}
	names := make([]string, 0, len(fields))
	for _, f := range fields {
		names = append(names, f.name)
	}
	r.unknown = append(r.unknown, Problem{at, r.unknownDetail(Meant(key, names))})
}

// unknownDetail names the member that was probably meant by a member without a field, "" for none.
func (r *reading) unknownDetail(meant string) string {
	switch {
	case r.Standard && meant == "":
		return "is unknown"
	case r.Standard:
		return "is unknown; did you mean " + meant + "?"
	case meant == "":
		return "is not a parameter that Windlass knows: correct its name, or leave it out."
	default:
		return "is not a parameter that Windlass knows; did you mean " + meant + "?"
	}
}

func (r *reading) mapped(path string, doc json.RawMessage, v reflect.Value, u rules) bool {
	members, ok := r.members(path, doc)
	if !ok {
		return false
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(members)))
	for _, key := range slices.Sorted(maps.Keys(members)) {
		item := reflect.New(v.Type().Elem()).Elem()
		if r.item(MemberPath(path, key), trim(members[key]), item, u.ofItems()) {
			v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), item)
		}
	}
	return true
}

// list keeps a place for a wrong item, so that the paths of later items are right.
func (r *reading) list(path string, doc json.RawMessage, v reflect.Value, u rules) bool {
	var list []json.RawMessage
	if json.Unmarshal(doc, &list) != nil || list == nil {
		r.mistyped(path, listOf(v.Type().Elem()), doc)
		return false
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, item := range list {
		r.item(ItemPath(path, i), trim(item), v.Index(i), u.ofItems())
	}
	return true
}

// item reads an item of a list or a map. A null is an item if the type has a nil for it.
func (r *reading) item(path string, doc json.RawMessage, v reflect.Value, u rules) bool {
	if isNull(doc) && v.Kind() == reflect.Pointer {
		return true
	}
	if isNull(doc) && v.Kind() == reflect.Struct && !isOwn(v.Type()) && !r.Standard {
		r.absent(path, v, u)
		return true
	}
	return r.value(path, doc, v, u)
}

func listOf(item reflect.Type) string {
	switch item.Kind() {
	case reflect.String:
		return "a list of strings"
	case reflect.Struct:
		return "a list of objects"
	default:
		return "a list"
	}
}

// holds checks a value of the standard's requests.
func (r *reading) holds(path string, v reflect.Value, u rules) {
	if !r.Standard || r.Kept {
		return
	}
	if u.required && v.Kind() == reflect.String && v.String() == "" {
		r.tell(path, "must not be empty")
		return
	}
	if why := u.value(v, r.Checks); why != "" {
		r.tell(path, "%s", why)
	}
}
