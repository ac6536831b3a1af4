package vnfpkg

import (
	"maps"
	"slices"
)

// additionalProperties are the members of a VNF's configurable properties that are not the standard's own (SOL001
// clause 6.2.37).
const additionalProperties = "additional_configurable_properties"

// additionalVnfcProperties are all members of a VNFC's configurable properties: the standard has none of its own.
const additionalVnfcProperties = "additional_vnfc_configurable_properties"

// initial reads the initial values of the attributes of a VnfInstance that clients may modify (SOL001 clauses 6.2.2,
// 6.2.36 and 6.2.37). Of the configurable properties it reads only the VNF's own, because Windlass lacks the functions
// that the standard ones switch on.
func (l *loader) initial(v *Vnfd) {
	modifiable := l.vnfMap("modifiable_attributes")
	v.Metadata, v.Extensions = membersOf(modifiable, "metadata"), membersOf(modifiable, "extensions")
	v.ConfigurableProperties = membersOf(l.vnfMap("configurable_properties"), additionalProperties)
	if l.defaults <= mostDefaults {
		v.Declared = l.declared()
	}
}

// membersOf is a member that is a mapping and not empty.
func membersOf(of map[string]any, name string) map[string]any {
	m, _ := of[name].(map[string]any)
	if len(m) == 0 {
		return nil
	}
	return m
}

// vnfMap is the value of a property of the VNF node whose type is a data type. The node's value overrides the default
// of its type, and that default overrides the defaults of the data type's members. The entry definition comes before
// flavours.
func (l *loader) vnfMap(name string) map[string]any {
	for _, doc := range l.docs {
		topology := doc.at("topology_template")
		for _, node := range topology.at("node_templates").members() {
			if typeName := node.at("type").str(); l.builtinType(typeName) == typeVNF {
				if out := l.valueOf(topology, l.property(typeName, name), node.at("properties", name)); len(out) > 0 {
					return out
				}
			}
		}
		if mapped := topology.at("substitution_mappings", "node_type").str(); mapped != "" {
			if out := l.valueOf(topology, l.property(mapped, name), nil); len(out) > 0 {
				return out
			}
		}
	}
	return nil
}

// property is the definition of a property in a node type or in a type that it derives from.
func (l *loader) property(typeName, name string) *value {
	for _, def := range derivation(l.nodeTypes, typeName) {
		if p := def.at("properties", name); p != nil {
			return p
		}
	}
	return nil
}

// valueOf is the value of a data type's property when given is assigned to it.
func (l *loader) valueOf(topology, property, given *value) map[string]any {
	out := l.defaultsOf(topology, property.at("type").str())
	overlay(out, plainInputs(topology, property.at("default")))
	overlay(out, plainInputs(topology, given))
	return out
}

// mostDefaults bounds the number of data type members that are read: nested types multiply.
const mostDefaults = 10_000

// defaultsOf are the defaults of the members of a data type, with those of the types that it derives from. It does not
// follow a type that contains itself again: trail is the path of types to it.
func (l *loader) defaultsOf(topology *value, typeName string, trail ...string) map[string]any {
	out := map[string]any{}
	if slices.Contains(trail, typeName) {
		return out
	}
	trail = append(slices.Clone(trail), typeName)
	for _, def := range slices.Backward(derivation(l.dataTypes, typeName)) {
		for name, member := range def.at("properties").members() {
			if l.defaults++; l.defaults > mostDefaults {
				if l.defaults == mostDefaults+1 {
					l.rep.problem(def.place(), "its nested data types have more than %d members",
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
