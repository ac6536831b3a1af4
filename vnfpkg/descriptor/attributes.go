package descriptor

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
