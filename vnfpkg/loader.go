package vnfpkg

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// loader reads the files of one package.
type loader struct {
	zip    *archive
	limits Limits
	rep    *report
	sums   map[string]string
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
	// yamlLeft is how many YAML values the rest of the package may have.
	yamlLeft int
	trust    Trust
	// signed is the manifest with a valid signature, "" for none. certificate is the path that TOSCA.meta names for the
	// signer's certificate.
	signed, certificate string
	// readErr is an error of the underlying reader, which is no problem of the package.
	readErr error
}

// fail reports that a file cannot be unpacked, or records that the archive cannot be read.
func (l *loader) fail(name string, err error) {
	e, ok := errors.AsType[*lcm.Error](err)
	if ok && e.Kind != lcm.KindInvalid {
		l.readErr = err
		return
	}
	detail := err.Error()
	if ok {
		detail = e.Detail
	}
	l.rep.problem(name, "%s", strings.TrimPrefix(detail, name+" "))
}

// yaml parses a file of the package. It reports a file that cannot be used, and returns nil.
func (l *loader) yaml(name string) *value {
	data, err := l.zip.read(name, l.limits.MaxYAMLSize)
	if err != nil {
		l.fail(name, err)
		return nil
	}
	limits := l.limits
	limits.MaxYAMLNodes = min(limits.MaxYAMLNodes, l.yamlLeft)
	root, err := parseYAML(name, data, limits)
	if err != nil {
		reportYAML(l.rep, name, err)
		return nil
	}
	root.walk(func(*value) { l.yamlLeft-- })
	if !root.isMap() {
		l.rep.problem(name, "is not a mapping")
		return nil
	}
	return root
}

func reportYAML(rep *report, name string, err error) {
	if e, ok := errors.AsType[*yamlError](err); ok && e.line > 0 {
		rep.problem((&value{file: name, line: e.line}).place(), "%s", e.detail)
		return
	}
	rep.problem(name, "%s", err.Error())
}

// load reads the descriptor and the templates.
func (l *loader) load() Vnfd {
	meta := l.readMetadata()
	l.checkDigests(meta)
	l.checkCoverage(meta)
	entry := meta.header.get("Entry-Definitions")
	switch {
	case meta.header.keys == nil:
		return Vnfd{}
	case entry == "":
		l.rep.problem(meta.header.place(), "does not name the entry definition (Entry-Definitions)")
		return Vnfd{}
	case !l.zip.has(entry):
		l.rep.problem(meta.header.place(), "names the entry definition %s, which the archive lacks", quoteName(entry))
		return Vnfd{}
	}
	l.loaded = map[string]bool{}
	l.definition(entry, nil)
	l.collectNodeTypes()
	return l.vnfd()
}

// definition reads a definition and its imports, depth first. trail is the chain of imports to it.
func (l *loader) definition(name string, trail []string) {
	if i := slices.Index(trail, name); i >= 0 {
		l.rep.problem(trail[len(trail)-1], "imports %s, which in turn imports this file: %s", name,
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
		l.rep.problem(name, "its tosca_definitions_version is %s; Windlass knows tosca_simple_yaml_1_2 and other "+
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
func (l *loader) resolveImport(item *value, from, ref string) (string, bool) {
	base := path.Base(ref)
	if strings.HasPrefix(base, "etsi_nfv_sol001_") { // Windlass knows these types
		return "", false
	}
	switch {
	case ref == "":
		l.rep.problem(item.place(), "the import does not name a file")
	case strings.Contains(ref, "://"):
		l.rep.problem(item.place(), "imports %s; only files in the package are read", quoteName(ref))
	default:
		if target, ok := l.locate(from, ref); ok {
			return target, true
		}
		l.rep.problem(item.place(), "imports %s, which the archive lacks", quoteName(ref))
	}
	l.incomplete = true
	return "", false
}

// locate finds a file that the file `from` names. Tacker's packages name files relative to the package
// root (v1) or to the definition (v2), so both are tried.
func (l *loader) locate(from, ref string) (string, bool) {
	for _, base := range []string{from, ""} {
		if target, ok := resolvePath(base, ref); ok && l.zip.has(target) {
			return target, true
		}
	}
	return "", false
}

func (l *loader) collectNodeTypes() {
	l.nodeTypes = map[string]*value{}
	for _, doc := range l.docs {
		for name, def := range doc.at("node_types").members() {
			if _, twice := l.nodeTypes[name]; twice {
				l.rep.problem(def.place(), "the node type %s is defined twice", quoteName(name))
				continue
			}
			l.nodeTypes[name] = def
		}
	}
	l.policyTypes, l.dataTypes, l.capabilityTypes = l.types("policy_types"), l.types("data_types"),
		l.types("capability_types")
}

// types are the definitions of a kind; if two have one name, the first counts.
func (l *loader) types(kind string) map[string]*value {
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
func (l *loader) builtinType(name string) string { return builtin(l.nodeTypes, name) }

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
func (l *loader) typeDefault(typeName, property string) *value {
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
func (l *loader) capability(node *value, property string) *value {
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
