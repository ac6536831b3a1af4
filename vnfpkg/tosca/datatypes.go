package tosca

import (
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// Declaration is the definition of a property in a node type or in a type that it derives from.
func (l *Definitions) Declaration(typeName, name string) *document.Value {
	for _, def := range Derivation(l.NodeTypes, typeName) {
		if p := def.At("properties", name); p != nil {
			return p
		}
	}
	return nil
}

// ValueOf is the value of a data type's property when given is assigned to it.
func (l *Definitions) ValueOf(topology, property, given *document.Value) map[string]any {
	out := l.defaultsOf(topology, property.At("type").Str())
	overlay(out, plainInputs(topology, property.At("default")))
	overlay(out, plainInputs(topology, given))
	return out
}

// MostDefaults bounds the number of data type members that are read: nested types multiply.
const MostDefaults = 10_000

// defaultsOf are the defaults of the members of a data type, with those of the types that it derives from. It does not
// follow a type that contains itself again: trail is the path of types to it.
func (l *Definitions) defaultsOf(topology *document.Value, typeName string, trail ...string) map[string]any {
	out := map[string]any{}
	if slices.Contains(trail, typeName) {
		return out
	}
	trail = append(slices.Clone(trail), typeName)
	for _, def := range slices.Backward(Derivation(l.dataTypes, typeName)) {
		for name, member := range def.At("properties").Members() {
			if l.Defaults++; l.Defaults > MostDefaults {
				if l.Defaults == MostDefaults+1 {
					l.Problem(def.Place(), "its nested data types have more than %d members",
						MostDefaults)
				}
				return out
			}
			if below := l.defaultsOf(topology, member.At("type").Str(), trail...); len(below) > 0 {
				overlay(out, map[string]any{name: below})
			}
			if member.Has("default") {
				overlay(out, map[string]any{name: plainInputs(topology, member.At("default"))})
			}
		}
	}
	return out
}

// plainInputs is a value with each {get_input: name} replaced by the input's default; nil for an input without a
// default.
func plainInputs(topology, v *document.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.IsMap() && len(v.Keys) == 1 && v.At("get_input").Str() != "":
		return plainInputs(nil, ResolveInput(topology, v))
	case v.IsMap():
		out := map[string]any{}
		for name, item := range v.Members() {
			out[name] = plainInputs(topology, item)
		}
		return out
	default:
		return v.Plain()
	}
}

// overlay merges the given value into there, member by member; nil changes nothing.
func overlay(there map[string]any, given any) {
	members, _ := given.(map[string]any)
	for name, value := range members {
		below, isMap := value.(map[string]any)
		present, both := there[name].(map[string]any)
		switch {
		case value == nil:
		case isMap && both:
			merged := maps.Clone(present)
			overlay(merged, below)
			there[name] = merged
		case isMap:
			clean := map[string]any{}
			overlay(clean, below)
			there[name] = clean
		default:
			there[name] = value
		}
	}
}

// Members are the members of a data type and of the types that it derives from. They are nil for an unknown type and
// for a type that contains itself; trail is the path of types to it.
func (l *Definitions) Members(typeName string, trail []string) map[string]descriptor.Member {
	if slices.Contains(trail, typeName) {
		return nil
	}
	trail = append(slices.Clone(trail), typeName)
	out := map[string]descriptor.Member{}
	for _, def := range slices.Backward(Derivation(l.dataTypes, typeName)) {
		for name, property := range def.At("properties").Members() {
			if l.declarations++; l.declarations > MostDefaults {
				if l.declarations == MostDefaults+1 {
					l.Problem(def.Place(), "its nested data types declare more than %d members",
						MostDefaults)
				}
				return out
			}
			m := l.typed(property, trail)
			m.Required = !strings.EqualFold(property.At("required").Str(), "false")
			out[name] = m
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// typed reads a definition with a type: a property, or the entry schema of a list or map.
func (l *Definitions) typed(def *document.Value, trail []string) (m descriptor.Member) {
	typeName := def.At("type").Str()
	if def.Str() != "" { // only a type
		typeName = def.Str()
	}
	m.ValidValues = validValues(def)
	chain := Derivation(l.dataTypes, typeName)
	base := typeName
	if len(chain) > 0 {
		base = chain[len(chain)-1].At("derived_from").Str()
	}
	for _, of := range chain { // a data type may be a text or a number with constraints
		if m.ValidValues == nil {
			m.ValidValues = validValues(of)
		}
	}
	switch {
	case strings.HasPrefix(base, "scalar-unit."), base == "timestamp", base == "version":
		m.Type = descriptor.TypeString
	case base == string(descriptor.TypeString),
		base == string(descriptor.TypeInteger), base == string(descriptor.TypeFloat),
		base == string(descriptor.TypeBoolean):
		m.Type = descriptor.ValueType(base)
	case base == string(descriptor.TypeList), base == string(descriptor.TypeMap):
		m.Type = descriptor.ValueType(base)
		for _, of := range append([]*document.Value{def}, chain...) {
			if entry := of.At("entry_schema"); entry != nil {
				schema := l.typed(entry, trail)
				m.Entry = &schema
				break
			}
		}
	default:
		if m.Members = l.Members(typeName, trail); m.Members != nil {
			m.Type = descriptor.TypeObject
		}
	}
	return m
}

// validValues are the values that constraints allow. They are nil if no constraint lists values, or if a listed value
// is not plain.
func validValues(def *document.Value) (out []any) {
	for name, list := range def.At("constraints").Named() {
		if name != "valid_values" {
			continue
		}
		for _, item := range list.List() {
			if item.IsMap() || item.IsList() || item.IsNull() {
				return nil
			}
			out = append(out, item.Plain())
		}
	}
	return out
}
