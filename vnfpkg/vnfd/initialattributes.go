package vnfd

import (
	"slices"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// additionalProperties are the members of a VNF's configurable properties that are not the standard's own (SOL001
// clause 6.2.37).
const additionalProperties = "additional_configurable_properties"

// additionalVnfcProperties are all members of a VNFC's configurable properties: the standard has none of its own.
const additionalVnfcProperties = "additional_vnfc_configurable_properties"

// initial reads the initial values of the attributes of a VnfInstance that clients may modify (SOL001 clauses 6.2.2,
// 6.2.36 and 6.2.37). Of the configurable properties it reads only the VNF's own, because Windlass lacks the functions
// that the standard ones switch on.
func (l *reader) initial(v *descriptor.Vnfd) {
	modifiable := l.vnfMap("modifiable_attributes")
	v.Metadata, v.Extensions = membersOf(modifiable, "metadata"), membersOf(modifiable, "extensions")
	v.ConfigurableProperties = membersOf(l.vnfMap("configurable_properties"), additionalProperties)
	if l.Defaults <= tosca.MostDefaults {
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
func (l *reader) vnfMap(name string) map[string]any {
	for _, doc := range l.Docs {
		topology := doc.At("topology_template")
		for _, node := range topology.At("node_templates").Members() {
			if typeName := node.At("type").Str(); l.BuiltinType(typeName) == tosca.TypeVNF {
				if out := l.ValueOf(topology, l.Declaration(typeName, name), node.At("properties", name)); len(out) > 0 {
					return out
				}
			}
		}
		if mapped := topology.At("substitution_mappings", "node_type").Str(); mapped != "" {
			if out := l.ValueOf(topology, l.Declaration(mapped, name), nil); len(out) > 0 {
				return out
			}
		}
	}
	return nil
}

// declared reads these declarations from the types of the VNF node. The entry definition comes before flavours.
func (l *reader) declared() (d descriptor.Declared) {
	for _, typeName := range l.vnfTypes() {
		modifiable := l.Members(l.Declaration(typeName, "modifiable_attributes").At("type").Str(), nil)
		configurable := l.Members(l.Declaration(typeName, "configurable_properties").At("type").Str(), nil)
		keepFirst(&d.Metadata, modifiable["metadata"])
		keepFirst(&d.Extensions, modifiable["extensions"])
		keepFirst(&d.ConfigurableProperties, configurable[additionalProperties])
	}
	return d
}

func keepFirst(group *map[string]descriptor.Member, declared descriptor.Member) {
	if len(*group) == 0 {
		*group = declared.Members
	}
}

// vnfTypes are the types of the VNF node: its own type, and the types that flavours substitute for it.
func (l *reader) vnfTypes() (out []string) {
	add := func(typeName string) {
		if typeName != "" && !slices.Contains(out, typeName) {
			out = append(out, typeName)
		}
	}
	for _, doc := range l.Docs {
		topology := doc.At("topology_template")
		for _, node := range topology.At("node_templates").Members() {
			if typeName := node.At("type").Str(); l.BuiltinType(typeName) == tosca.TypeVNF {
				add(typeName)
			}
		}
		add(topology.At("substitution_mappings", "node_type").Str())
	}
	return out
}
