package params

import (
	"reflect"
	"strings"
)

// Member describes a parameter, for pages and for requests to fill in.
type Member struct {
	Name string
	// Kind is its type in JSON: "text", "number", "list of objects".
	Kind string
	// Rules are for people, "" for none; Default is the value of an absent member.
	Rules, Default string
	// Required is set if the member must be present, or if it is an object with a required member. Optional is set if it
	// may be absent.
	Required, Optional bool
	// Members are the members of the object, or of the objects in it.
	Members []Member
}

// IsList and IsMap tell whether Kind is a list or a map.
func (m Member) IsList() bool { return strings.HasPrefix(m.Kind, "list") }

// IsMap tells whether the names of the members are the reader's choice.
func (m Member) IsMap() bool { return strings.HasPrefix(m.Kind, "map") }

// Kinder is implemented by types with their own reader, to name their type in JSON.
type Kinder interface {
	ParamKind() string
}

// Describe tells which members a struct has, in the order of its fields. of is a value of its type.
func Describe(of any) []Member { return describe(reflect.TypeOf(of)) }

func describe(of reflect.Type) (out []Member) {
	for f := range of.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner, kind := kindOf(f.Type)
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "":
			out = append(out, describe(inner)...)
			continue
		}
		u := rulesOf(f)
		m := Member{
			Name: name, Kind: kind, Rules: sentences(f.Tag.Get("param")), Default: u.fallback, Required: u.required,
			Optional: strings.Contains(options, "omit") || f.Type.Kind() == reflect.Pointer,
		}
		if inner.Kind() == reflect.Struct && !isKinder(inner) && inner.PkgPath() != "" {
			m.Members = describe(inner)
		}
		out = append(out, m)
	}
	return out
}

func isKinder(t reflect.Type) bool { return t.Implements(reflect.TypeFor[Kinder]()) }

// kindOf is the JSON name of a type, and the type of its items.
func kindOf(t reflect.Type) (inner reflect.Type, kind string) {
	switch {
	case isKinder(t) && t.Kind() != reflect.Pointer:
		return t, reflect.Zero(t).Interface().(Kinder).ParamKind()
	case t.Kind() == reflect.Pointer:
		return kindOf(t.Elem())
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		inner, kind = kindOf(t.Elem())
		return inner, "list of " + plural(kind)
	case t.Kind() == reflect.Map:
		inner, kind = kindOf(t.Elem())
		return inner, "map of " + plural(kind)
	case t.Kind() == reflect.Struct:
		return t, "object"
	case t.Kind() == reflect.Bool:
		return t, "boolean"
	case t.Kind() == reflect.Int:
		return t, "number"
	case t.Kind() == reflect.String:
		return t, "text"
	default:
		return t, "any"
	}
}

func article(word string) string {
	if strings.ContainsAny(word[:min(1, len(word))], "aeio") {
		return "an "
	}
	return "a "
}

// sentences are the rules of a tag for people.
func sentences(tag string) string {
	var out []string
	unit := ""
	for part := range strings.SplitSeq(tag, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "required":
			out = append(out, strings.TrimSuffix("required: "+value, ": "))
		case "default":
			out = append(out, "default `"+value+"`")
		case "min":
			out = append(out, "at least "+value)
		case "max":
			out = append(out, "at most "+value)
		case "unit":
			unit = "in " + value
		case "enum":
			out = append(out, "one of `"+strings.ReplaceAll(value, "|", "`, `")+"`")
		case "is":
			out = append(out, article(value)+value)
		case "notnull":
			out = append(out, "not null")
		}
	}
	if unit != "" {
		out = append(out, unit)
	}
	return strings.Join(out, "; ")
}

// plural is the plural of a kind: "texts, sealed".
func plural(kind string) string {
	if kind == "any" {
		return "any values"
	}
	first, rest, more := strings.Cut(kind, ", ")
	first = strings.TrimSuffix(first, "s") + "s"
	if more {
		return first + ", " + rest
	}
	return first
}
