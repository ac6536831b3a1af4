package vnfpkg

import (
	"maps"
	"slices"
	"strings"
)

// declaration is the definition of a property in a node type or in a type that it derives from.
func (l *definitions) declaration(typeName, name string) *value {
	for _, def := range derivation(l.nodeTypes, typeName) {
		if p := def.at("properties", name); p != nil {
			return p
		}
	}
	return nil
}

// valueOf is the value of a data type's property when given is assigned to it.
func (l *definitions) valueOf(topology, property, given *value) map[string]any {
	out := l.defaultsOf(topology, property.at("type").str())
	overlay(out, plainInputs(topology, property.at("default")))
	overlay(out, plainInputs(topology, given))
	return out
}

// mostDefaults bounds the number of data type members that are read: nested types multiply.
const mostDefaults = 10_000

// defaultsOf are the defaults of the members of a data type, with those of the types that it derives from. It does not
// follow a type that contains itself again: trail is the path of types to it.
func (l *definitions) defaultsOf(topology *value, typeName string, trail ...string) map[string]any {
	out := map[string]any{}
	if slices.Contains(trail, typeName) {
		return out
	}
	trail = append(slices.Clone(trail), typeName)
	for _, def := range slices.Backward(derivation(l.dataTypes, typeName)) {
		for name, member := range def.at("properties").members() {
			if l.defaults++; l.defaults > mostDefaults {
				if l.defaults == mostDefaults+1 {
					l.problem(def.place(), "its nested data types have more than %d members",
						mostDefaults)
				}
				return out
			}
			if below := l.defaultsOf(topology, member.at("type").str(), trail...); len(below) > 0 {
				overlay(out, map[string]any{name: below})
			}
			if member.has("default") {
				overlay(out, map[string]any{name: plainInputs(topology, member.at("default"))})
			}
		}
	}
	return out
}

// plainInputs is a value with each {get_input: name} replaced by the input's default; nil for an input without a
// default.
func plainInputs(topology, v *value) any {
	switch {
	case v.isNull():
		return nil
	case v.isMap() && len(v.keys) == 1 && v.at("get_input").str() != "":
		return plainInputs(nil, resolveInput(topology, v))
	case v.isMap():
		out := map[string]any{}
		for name, item := range v.members() {
			out[name] = plainInputs(topology, item)
		}
		return out
	default:
		return v.plain()
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

// members are the members of a data type and of the types that it derives from. They are nil for an unknown type and
// for a type that contains itself; trail is the path of types to it.
func (l *definitions) members(typeName string, trail []string) map[string]Member {
	if slices.Contains(trail, typeName) {
		return nil
	}
	trail = append(slices.Clone(trail), typeName)
	out := map[string]Member{}
	for _, def := range slices.Backward(derivation(l.dataTypes, typeName)) {
		for name, property := range def.at("properties").members() {
			if l.declarations++; l.declarations > mostDefaults {
				if l.declarations == mostDefaults+1 {
					l.problem(def.place(), "its nested data types declare more than %d members",
						mostDefaults)
				}
				return out
			}
			m := l.typed(property, trail)
			m.Required = !strings.EqualFold(property.at("required").str(), "false")
			out[name] = m
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// typed reads a definition with a type: a property, or the entry schema of a list or map.
func (l *definitions) typed(def *value, trail []string) (m Member) {
	typeName := def.at("type").str()
	if def.str() != "" { // only a type
		typeName = def.str()
	}
	m.ValidValues = validValues(def)
	chain := derivation(l.dataTypes, typeName)
	base := typeName
	if len(chain) > 0 {
		base = chain[len(chain)-1].at("derived_from").str()
	}
	for _, of := range chain { // a data type may be a text or a number with constraints
		if m.ValidValues == nil {
			m.ValidValues = validValues(of)
		}
	}
	switch {
	case strings.HasPrefix(base, "scalar-unit."), base == "timestamp", base == "version":
		m.Type = TypeString
	case base == string(TypeString), base == string(TypeInteger), base == string(TypeFloat), base == string(TypeBoolean):
		m.Type = ValueType(base)
	case base == string(TypeList), base == string(TypeMap):
		m.Type = ValueType(base)
		for _, of := range append([]*value{def}, chain...) {
			if entry := of.at("entry_schema"); entry != nil {
				schema := l.typed(entry, trail)
				m.Entry = &schema
				break
			}
		}
	default:
		if m.Members = l.members(typeName, trail); m.Members != nil {
			m.Type = TypeObject
		}
	}
	return m
}

// validValues are the values that constraints allow. They are nil if no constraint lists values, or if a listed value
// is not plain.
func validValues(def *value) (out []any) {
	for name, list := range def.at("constraints").named() {
		if name != "valid_values" {
			continue
		}
		for _, item := range list.list() {
			if item.isMap() || item.isList() || item.isNull() {
				return nil
			}
			out = append(out, item.plain())
		}
	}
	return out
}
