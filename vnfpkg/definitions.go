package vnfpkg

import (
	"path"
	"slices"
	"strings"
)

// maxItems bounds VDUs, aspects, levels, steps and flavours, which are multiplied with each other.
const maxItems = 100

// definitions are the TOSCA definitions of one package: its entry definition and what that imports.
type definitions struct {
	*packageReader
	// docs are the definitions, in the order of their first import; nodeTypes are the node types of all of them.
	docs      []*value
	loaded    map[string]bool
	nodeTypes map[string]*value
	// policyTypes are the types that the definitions derive from the standard's policy types.
	policyTypes     map[string]*value
	dataTypes       map[string]*value
	capabilityTypes map[string]*value
	// defaults counts the data type members that were read for their defaults.
	defaults int
	// declarations counts the data type members that were read for their types.
	declarations int
	// incomplete is set when a definition could not be read: something that is missing may have been in it.
	incomplete bool
}

// readDefinitions reads the entry definition and what it imports.
func readDefinitions(files *packageReader, entry string) *definitions {
	l := &definitions{packageReader: files, loaded: map[string]bool{}}
	l.definition(entry, nil)
	l.collectNodeTypes()
	return l
}

// definition reads a definition and its imports, depth first. trail is the chain of imports to it.
func (l *definitions) definition(name string, trail []string) {
	if i := slices.Index(trail, name); i >= 0 {
		l.problem(trail[len(trail)-1], "imports %s, which in turn imports this file: %s", name,
			strings.Join(append(trail[i:], name), " -> "))
		return
	}
	if l.loaded[name] {
		return
	}
	l.loaded[name] = true
	root := l.yaml(name)
	if root == nil {
		l.incomplete = true
		return
	}
	l.docs = append(l.docs, root)
	if version := root.at("tosca_definitions_version"); !strings.HasPrefix(version.str(), "tosca_simple_yaml_1") {
		l.problem(name, "its tosca_definitions_version is %s; Windlass knows tosca_simple_yaml_1_2 and other "+
			"versions 1.x", quoteName(version.str()))
	}
	trail = append(slices.Clone(trail), name)
	for _, item := range root.at("imports").list() {
		ref := importedFile(item)
		if target, ok := l.resolveImport(item, name, ref); ok {
			l.definition(target, trail)
		}
	}
}

// importedFile reads the forms of an import (TOSCA simple profile 1.2, clause 3.6.8): a name, {file: name},
// {alias: name} and {alias: {file: name}}.
func importedFile(item *value) string {
	if item.isMap() {
		if file := item.at("file").str(); file != "" {
			return file
		}
		if len(item.items) == 1 {
			return importedFile(item.items[0])
		}
	}
	return item.str()
}

// resolveImport finds the file of an import, relative to the importing file or else to the root of the
// package; false when there is nothing to read.
func (l *definitions) resolveImport(item *value, from, ref string) (string, bool) {
	base := path.Base(ref)
	if strings.HasPrefix(base, "etsi_nfv_sol001_") { // Windlass knows these types
		return "", false
	}
	switch {
	case ref == "":
		l.problem(item.place(), "the import does not name a file")
	case strings.Contains(ref, "://"):
		l.problem(item.place(), "imports %s; only files in the package are read", quoteName(ref))
	default:
		if target, ok := l.locate(from, ref); ok {
			return target, true
		}
		l.problem(item.place(), "imports %s, which the archive lacks", quoteName(ref))
	}
	l.incomplete = true
	return "", false
}

func (l *definitions) collectNodeTypes() {
	l.nodeTypes = map[string]*value{}
	for _, doc := range l.docs {
		for name, def := range doc.at("node_types").members() {
			if _, twice := l.nodeTypes[name]; twice {
				l.problem(def.place(), "the node type %s is defined twice", quoteName(name))
				continue
			}
			l.nodeTypes[name] = def
		}
	}
	l.policyTypes, l.dataTypes, l.capabilityTypes = l.types("policy_types"), l.types("data_types"),
		l.types("capability_types")
}

// types are the definitions of a kind; if two have one name, the first counts.
func (l *definitions) types(kind string) map[string]*value {
	out := map[string]*value{}
	for _, doc := range l.docs {
		for name, def := range doc.at(kind).members() {
			if _, twice := out[name]; !twice {
				out[name] = def
			}
		}
	}
	return out
}

// builtinType follows derived_from to a type of the standard ("tosca. ..."); "" when there is none.
func (l *definitions) builtinType(name string) string { return builtin(l.nodeTypes, name) }

func builtin(types map[string]*value, name string) string {
	for range len(types) + 1 {
		if strings.HasPrefix(name, "tosca.") {
			return name
		}
		name = types[name].at("derived_from").str()
	}
	return ""
}

// typeDefault finds the default of a property in the type or those it derives from.
func (l *definitions) typeDefault(typeName, property string) *value {
	return inheritedDefault(l.nodeTypes, typeName, "properties", property)
}

// inheritedDefault finds the default of the definition at path, in the type or the types that it derives from. A
// definition that allows a single value has that value.
func inheritedDefault(types map[string]*value, typeName string, path ...string) *value {
	for _, def := range derivation(types, typeName) {
		p := def.at(path...)
		if p.has("default") {
			return p.at("default")
		}
		for _, constraint := range p.at("constraints").list() {
			if only := constraint.at("valid_values"); only.isList() && len(only.items) == 1 {
				return only.items[0]
			}
		}
	}
	return nil
}

// capability is a property of a node's capability virtual_compute: the node's own value, else the default from the
// node's type, else the default from the capability's type.
func (l *definitions) capability(node *value, property string) *value {
	const capability = "virtual_compute"
	if own := node.at("capabilities", capability, "properties"); own.has(property) {
		return own.at(property)
	}
	typeName := node.at("type").str()
	if v := inheritedDefault(l.nodeTypes, typeName, "capabilities", capability, "properties", property); v != nil {
		return v
	}
	for _, def := range derivation(l.nodeTypes, typeName) {
		if of := def.at("capabilities", capability, "type").str(); of != "" {
			return inheritedDefault(l.capabilityTypes, of, "properties", property)
		}
	}
	return nil
}

// derivation is a type and the types that it derives from, itself first.
func derivation(types map[string]*value, typeName string) (chain []*value) {
	for range len(types) + 1 {
		def := types[typeName]
		if def == nil {
			break
		}
		chain = append(chain, def)
		typeName = def.at("derived_from").str()
	}
	return chain
}

// room reports whether one more item may follow n others.
func (l *definitions) room(what string, n int, at *value) bool {
	if n >= maxItems {
		l.problem(at.file, "has more than the %d %s allowed", maxItems, what)
	}
	return n < maxItems
}
