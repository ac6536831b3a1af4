// Package tosca reads TOSCA definitions: imports, types and what they derive from, defaults, inputs and data types. It
// knows the names of SOL001's types, and not what a VNF is.
package tosca

import (
	"path"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// MaxItems bounds VDUs, aspects, levels, steps and flavours, which are multiplied with each other.
const MaxItems = 100

// Definitions are the TOSCA definitions of one package: its entry definition and what that imports.
type Definitions struct {
	*archive.Reader
	// docs are the definitions, in the order of their first import; nodeTypes are the node types of all of them.
	Docs      []*document.Value
	loaded    map[string]bool
	NodeTypes map[string]*document.Value
	// policyTypes are the types that the definitions derive from the standard's policy types.
	PolicyTypes     map[string]*document.Value
	dataTypes       map[string]*document.Value
	capabilityTypes map[string]*document.Value
	// defaults counts the data type members that were read for their defaults.
	Defaults int
	// declarations counts the data type members that were read for their types.
	declarations int
	// incomplete is set when a definition could not be read: something that is missing may have been in it.
	Incomplete bool
}

// Read reads the entry definition and what it imports.
func Read(files *archive.Reader, entry string) *Definitions {
	l := &Definitions{Reader: files, loaded: map[string]bool{}}
	l.definition(entry, nil)
	l.collectNodeTypes()
	return l
}

// definition reads a definition and its imports, depth first. trail is the chain of imports to it.
func (l *Definitions) definition(name string, trail []string) {
	if i := slices.Index(trail, name); i >= 0 {
		l.Problem(trail[len(trail)-1], "imports %s, which in turn imports this file: %s", name,
			strings.Join(append(trail[i:], name), " -> "))
		return
	}
	if l.loaded[name] {
		return
	}
	l.loaded[name] = true
	root := l.YAML(name)
	if root == nil {
		l.Incomplete = true
		return
	}
	l.Docs = append(l.Docs, root)
	if version := root.At("tosca_definitions_version"); !strings.HasPrefix(version.Str(), "tosca_simple_yaml_1") {
		l.Problem(name, "its tosca_definitions_version is %s; Windlass knows tosca_simple_yaml_1_2 and other "+
			"versions 1.x", document.Quote(version.Str()))
	}
	trail = append(slices.Clone(trail), name)
	for _, item := range root.At("imports").List() {
		ref := importedFile(item)
		if target, ok := l.resolveImport(item, name, ref); ok {
			l.definition(target, trail)
		}
	}
}

// importedFile reads the forms of an import (TOSCA simple profile 1.2, clause 3.6.8): a name, {file: name},
// {alias: name} and {alias: {file: name}}.
func importedFile(item *document.Value) string {
	if item.IsMap() {
		if file := item.At("file").Str(); file != "" {
			return file
		}
		if len(item.Items) == 1 {
			return importedFile(item.Items[0])
		}
	}
	return item.Str()
}

// resolveImport finds the file of an import, relative to the importing file or else to the root of the
// package; false when there is nothing to read.
func (l *Definitions) resolveImport(item *document.Value, from, ref string) (string, bool) {
	base := path.Base(ref)
	if strings.HasPrefix(base, "etsi_nfv_sol001_") { // Windlass knows these types
		return "", false
	}
	switch {
	case ref == "":
		l.Problem(item.Place(), "the import does not name a file")
	case strings.Contains(ref, "://"):
		l.Problem(item.Place(), "imports %s; only files in the package are read", document.Quote(ref))
	default:
		if target, ok := l.Locate(from, ref); ok {
			return target, true
		}
		l.Problem(item.Place(), "imports %s, which the archive lacks", document.Quote(ref))
	}
	l.Incomplete = true
	return "", false
}

func (l *Definitions) collectNodeTypes() {
	l.NodeTypes = map[string]*document.Value{}
	for _, doc := range l.Docs {
		for name, def := range doc.At("node_types").Members() {
			if _, twice := l.NodeTypes[name]; twice {
				l.Problem(def.Place(), "the node type %s is defined twice", document.Quote(name))
				continue
			}
			l.NodeTypes[name] = def
		}
	}
	l.PolicyTypes, l.dataTypes, l.capabilityTypes = l.types("policy_types"), l.types("data_types"),
		l.types("capability_types")
}

// types are the definitions of a kind; if two have one name, the first counts.
func (l *Definitions) types(kind string) map[string]*document.Value {
	out := map[string]*document.Value{}
	for _, doc := range l.Docs {
		for name, def := range doc.At(kind).Members() {
			if _, twice := out[name]; !twice {
				out[name] = def
			}
		}
	}
	return out
}

// BuiltinType follows derived_from to a type of the standard ("tosca. ..."); "" when there is none.
func (l *Definitions) BuiltinType(name string) string { return Builtin(l.NodeTypes, name) }

// Builtin follows derived_from to a type of the standard ("tosca. ..."); "" when there is none.
func Builtin(types map[string]*document.Value, name string) string {
	for range len(types) + 1 {
		if strings.HasPrefix(name, "tosca.") {
			return name
		}
		name = types[name].At("derived_from").Str()
	}
	return ""
}

// TypeDefault finds the default of a property in the type or those it derives from.
func (l *Definitions) TypeDefault(typeName, property string) *document.Value {
	return InheritedDefault(l.NodeTypes, typeName, "properties", property)
}

// InheritedDefault finds the default of the definition at path, in the type or the types that it derives from. A
// definition that allows a single value has that value.
func InheritedDefault(types map[string]*document.Value, typeName string, path ...string) *document.Value {
	for _, def := range Derivation(types, typeName) {
		p := def.At(path...)
		if p.Has("default") {
			return p.At("default")
		}
		for _, constraint := range p.At("constraints").List() {
			if only := constraint.At("valid_values"); only.IsList() && len(only.Items) == 1 {
				return only.Items[0]
			}
		}
	}
	return nil
}

// Capability is a property of a node's capability virtual_compute: the node's own value, else the default from the
// node's type, else the default from the capability's type.
func (l *Definitions) Capability(node *document.Value, property string) *document.Value {
	const capability = "virtual_compute"
	if own := node.At("capabilities", capability, "properties"); own.Has(property) {
		return own.At(property)
	}
	typeName := node.At("type").Str()
	if v := InheritedDefault(l.NodeTypes, typeName, "capabilities", capability, "properties", property); v != nil {
		return v
	}
	for _, def := range Derivation(l.NodeTypes, typeName) {
		if of := def.At("capabilities", capability, "type").Str(); of != "" {
			return InheritedDefault(l.capabilityTypes, of, "properties", property)
		}
	}
	return nil
}

// Derivation is a type and the types that it derives from, itself first.
func Derivation(types map[string]*document.Value, typeName string) (chain []*document.Value) {
	for range len(types) + 1 {
		def := types[typeName]
		if def == nil {
			break
		}
		chain = append(chain, def)
		typeName = def.At("derived_from").Str()
	}
	return chain
}

// Room reports whether one more item may follow n others.
func (l *Definitions) Room(what string, n int, at *document.Value) bool {
	if n >= MaxItems {
		l.Problem(at.File, "has more than the %d %s allowed", MaxItems, what)
	}
	return n < MaxItems
}
