package vnfpkg

import (
	"slices"
	"strings"
)

// Declared holds the VNFD's declarations of the attributes of a VnfInstance that clients may modify (SOL001 clauses
// 6.2.2, 6.2.36 and 6.2.37). A group without declared members is empty. All groups are empty for a package that an
// older Windlass stored without them.
type Declared struct {
	Metadata   map[string]Member `json:"metadata,omitempty"`
	Extensions map[string]Member `json:"extensions,omitempty"`
	// ConfigurableProperties are the VNF's own. The types of SOL001 declare the standard ones, for every VNF.
	ConfigurableProperties map[string]Member `json:"configurableProperties,omitempty"`
}

// Member is the definition of a value: a property of a data type, or an entry of a list or map.
type Member struct {
	// Type is the type that the value must have; "" allows any.
	Type ValueType `json:"type,omitempty"`
	// Required follows TOSCA: a property is required unless its definition says that it is not.
	Required bool `json:"required,omitempty"`
	// ValidValues are the allowed texts, numbers and truth values; nil allows all values of the type.
	ValidValues []any `json:"validValues,omitempty"`
	// Entry is the definition of the entries of a list or map; nil allows any.
	Entry *Member `json:"entry,omitempty"`
	// Members are the members of an object.
	Members map[string]Member `json:"members,omitempty"`
}

// ValueType is TOSCA's name for the type of a value, or TypeObject.
type ValueType string

// The types of values. TOSCA types that are written as text, such as a timestamp or a size with its unit, are strings.
const (
	TypeString  ValueType = "string"
	TypeInteger ValueType = "integer"
	TypeFloat   ValueType = "float"
	TypeBoolean ValueType = "boolean"
	TypeList    ValueType = "list"
	TypeMap     ValueType = "map"
	TypeObject  ValueType = "object" // of a data type with members
)

// declared reads these declarations from the types of the VNF node. The entry definition comes before flavours.
func (l *loader) declared() (d Declared) {
	for _, typeName := range l.vnfTypes() {
		modifiable := l.members(l.property(typeName, "modifiable_attributes").at("type").str(), nil)
		configurable := l.members(l.property(typeName, "configurable_properties").at("type").str(), nil)
		keepFirst(&d.Metadata, modifiable["metadata"])
		keepFirst(&d.Extensions, modifiable["extensions"])
		keepFirst(&d.ConfigurableProperties, configurable[additionalProperties])
	}
	return d
}

// vnfcProperties are the configurable properties that a type of VDU declares for its VNFCs (SOL001:
// VnfcConfigurableProperties).
func (l *loader) vnfcProperties(vduType string) map[string]Member {
	return l.members(l.property(vduType, "configurable_properties").at("type").str(),
		nil)[additionalVnfcProperties].Members
}

func keepFirst(group *map[string]Member, declared Member) {
	if len(*group) == 0 {
		*group = declared.Members
	}
}

// vnfTypes are the types of the VNF node: its own type, and the types that flavours substitute for it.
func (l *loader) vnfTypes() (out []string) {
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

// members are the members of a data type and of the types that it derives from. They are nil for an unknown type and
// for a type that contains itself; trail is the path of types to it.
func (l *loader) members(typeName string, trail []string) map[string]Member {
	if slices.Contains(trail, typeName) {
		return nil
	}
	trail = append(slices.Clone(trail), typeName)
	out := map[string]Member{}
	for _, def := range slices.Backward(derivation(l.dataTypes, typeName)) {
		for name, property := range def.at("properties").members() {
			if l.declarations++; l.declarations > mostDefaults {
				if l.declarations == mostDefaults+1 {
					l.rep.problem(def.place(), "its nested data types declare more than %d members",
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
func (l *loader) typed(def *value, trail []string) (m Member) {
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
