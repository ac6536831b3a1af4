package vnfpkg

import (
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
func (l *vnfdReader) initial(v *Vnfd) {
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
func (l *vnfdReader) vnfMap(name string) map[string]any {
	for _, doc := range l.docs {
		topology := doc.at("topology_template")
		for _, node := range topology.at("node_templates").members() {
			if typeName := node.at("type").str(); l.builtinType(typeName) == typeVNF {
				if out := l.valueOf(topology, l.declaration(typeName, name), node.at("properties", name)); len(out) > 0 {
					return out
				}
			}
		}
		if mapped := topology.at("substitution_mappings", "node_type").str(); mapped != "" {
			if out := l.valueOf(topology, l.declaration(mapped, name), nil); len(out) > 0 {
				return out
			}
		}
	}
	return nil
}

// declared reads these declarations from the types of the VNF node. The entry definition comes before flavours.
func (l *vnfdReader) declared() (d Declared) {
	for _, typeName := range l.vnfTypes() {
		modifiable := l.members(l.declaration(typeName, "modifiable_attributes").at("type").str(), nil)
		configurable := l.members(l.declaration(typeName, "configurable_properties").at("type").str(), nil)
		keepFirst(&d.Metadata, modifiable["metadata"])
		keepFirst(&d.Extensions, modifiable["extensions"])
		keepFirst(&d.ConfigurableProperties, configurable[additionalProperties])
	}
	return d
}

func keepFirst(group *map[string]Member, declared Member) {
	if len(*group) == 0 {
		*group = declared.Members
	}
}

// vnfTypes are the types of the VNF node: its own type, and the types that flavours substitute for it.
func (l *vnfdReader) vnfTypes() (out []string) {
	add := func(typeName string) {
		if typeName != "" && !slices.Contains(out, typeName) {
			out = append(out, typeName)
		}
	}
	for _, doc := range l.docs {
		topology := doc.at("topology_template")
		for _, node := range topology.at("node_templates").members() {
			if typeName := node.at("type").str(); l.builtinType(typeName) == typeVNF {
				add(typeName)
			}
		}
		add(topology.at("substitution_mappings", "node_type").str())
	}
	return out
}
