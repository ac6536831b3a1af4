package vnfpkg

import (
	"cmp"
	"slices"

	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// storageKinds maps the types of storage nodes; the first type is from SOL001 v2.5.1.
var storageKinds = map[string]string{
	"tosca.nodes.nfv.Vdu.VirtualStorage":       "block",
	"tosca.nodes.nfv.Vdu.VirtualBlockStorage":  "block",
	"tosca.nodes.nfv.Vdu.VirtualObjectStorage": "object",
	"tosca.nodes.nfv.Vdu.VirtualFileStorage":   "file",
}

// cpTypes are the connection points that a request's extVirtualLinks may name.
var cpTypes = map[string]bool{
	"tosca.nodes.nfv.VduCp": true, typeVipCp: true, "tosca.nodes.nfv.VnfExtCp": true,
}

// vnfdReader makes a VNFD of definitions.
type vnfdReader struct {
	*definitions
	// generate makes the templates of a flavour whose package has none; nil makes none.
	generate Generator
}

func readVnfd(d *definitions, generate Generator) Vnfd {
	r := &vnfdReader{definitions: d, generate: generate}
	return r.vnfd()
}

// vnfd makes the descriptor from the definitions; the first of them is the entry definition.
func (l *vnfdReader) vnfd() Vnfd {
	if len(l.docs) == 0 {
		return Vnfd{}
	}
	entry := l.docs[0]
	v := Vnfd{
		ID:              lcm.VnfdID(l.vnfProperty("descriptor_id")),
		Provider:        l.vnfProperty("provider"),
		ProductName:     l.vnfProperty("product_name"),
		SoftwareVersion: l.vnfProperty("software_version"),
		Version:         l.vnfProperty("descriptor_version"),
		Description:     entry.at("description").str(),
		VnfmInfo:        l.vnfValue("vnfm_info").words(),
	}
	if v.ID == "" && !l.incomplete {
		l.problem(entry.file, "the VNF node has no descriptor_id, neither as a property nor as a default of its type")
	}
	l.initial(&v)
	for _, doc := range l.docs {
		v.Definitions = append(v.Definitions, doc.file)
		if l.isFlavour(doc) && l.room("flavours", len(v.Flavours), doc) {
			v.Flavours = append(v.Flavours, l.flavour(doc))
		}
	}
	if len(v.Flavours) == 0 && !l.incomplete {
		l.problem(entry.file, "no definition has a deployment flavour "+
			"(topology_template.substitution_mappings.properties.flavour_id)")
	}
	slices.SortStableFunc(v.Flavours, func(a, b Flavour) int { return cmp.Compare(a.ID, b.ID) })
	for i := 1; i < len(v.Flavours); i++ {
		if v.Flavours[i].ID == v.Flavours[i-1].ID {
			l.problem(entry.file, "the flavour %s is defined twice", quoteName(v.Flavours[i].ID))
		}
	}
	l.checkTemplateDirs(&v)
	return v
}

func (l *vnfdReader) isFlavour(doc *value) bool {
	topology := doc.at("topology_template")
	if topology.at("substitution_mappings").isMap() {
		return true
	}
	for _, node := range topology.at("node_templates").members() {
		switch l.builtinType(node.at("type").str()) {
		case typeCompute, typeDeployable, typeTackerVdu:
			return true
		}
	}
	return false
}

// vnfProperty is the text of a property of the VNF node.
func (l *vnfdReader) vnfProperty(name string) string { return l.vnfValue(name).str() }

// vnfValue finds a property of the VNF node. It looks in the entry definition, then in the flavours in order, then
// takes the default of the node's type.
func (l *vnfdReader) vnfValue(name string) *value {
	types := []string{}
	for _, doc := range l.docs {
		topology := doc.at("topology_template")
		for _, node := range topology.at("node_templates").members() {
			typeName := node.at("type").str()
			if l.builtinType(typeName) != typeVNF {
				continue
			}
			if v := resolveInput(topology, node.at("properties", name)); !v.isNull() && !v.isMap() {
				return v
			}
			types = append(types, typeName)
		}
		if mapped := topology.at("substitution_mappings", "node_type").str(); mapped != "" {
			types = append(types, mapped)
		}
	}
	for _, typeName := range types {
		if v := l.typeDefault(typeName, name); !v.isNull() {
			return v
		}
	}
	return nil
}

// checkTemplateDirs warns of templates that no flavour uses.
func (l *vnfdReader) checkTemplateDirs(v *Vnfd) {
	for _, name := range l.zip.filesIn(hotDir) {
		id, _, below := strings.Cut(strings.TrimPrefix(name, hotDir+"/"), "/")
		if _, err := v.Flavour(id); err != nil && below {
			l.warn(hotDir+"/"+id, "belongs to no flavour of the VNFD")
		}
	}
}
