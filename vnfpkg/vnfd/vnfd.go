// Package vnfd reads a VNFD (SOL001) from the definitions of a package: a reader for flavours, and below it a reader
// for each subject, such as policies and hooks.
package vnfd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
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
	"tosca.nodes.nfv.VduCp": true, tosca.TypeVipCp: true, "tosca.nodes.nfv.VnfExtCp": true,
}

// reader makes a VNFD of definitions.
type reader struct {
	*tosca.Definitions
	// generate makes the templates of a flavour whose package has none; nil makes none.
	generate Generator
}

// Read makes the descriptor of the definitions, and reports what is wrong with them.
func Read(d *tosca.Definitions, generate Generator) descriptor.Vnfd {
	r := &reader{Definitions: d, generate: generate}
	return r.vnfd()
}

// vnfd makes the descriptor from the definitions; the first of them is the entry definition.
func (l *reader) vnfd() descriptor.Vnfd {
	if len(l.Docs) == 0 {
		return descriptor.Vnfd{}
	}
	entry := l.Docs[0]
	v := descriptor.Vnfd{
		ID:              lcm.VnfdID(l.vnfProperty("descriptor_id")),
		Provider:        l.vnfProperty("provider"),
		ProductName:     l.vnfProperty("product_name"),
		SoftwareVersion: l.vnfProperty("software_version"),
		Version:         l.vnfProperty("descriptor_version"),
		Description:     entry.At("description").Str(),
		VnfmInfo:        l.vnfValue("vnfm_info").Words(),
	}
	if v.ID == "" && !l.Incomplete {
		l.Problem(entry.File, "the VNF node has no descriptor_id, neither as a property nor as a default of its type")
	}
	l.initial(&v)
	for _, doc := range l.Docs {
		v.Definitions = append(v.Definitions, doc.File)
		if l.isFlavour(doc) && l.Room("flavours", len(v.Flavours), doc) {
			v.Flavours = append(v.Flavours, l.flavour(doc))
		}
	}
	if len(v.Flavours) == 0 && !l.Incomplete {
		l.Problem(entry.File, "no definition has a deployment flavour "+
			"(topology_template.substitution_mappings.properties.flavour_id)")
	}
	slices.SortStableFunc(v.Flavours, func(a, b descriptor.Flavour) int { return cmp.Compare(a.ID, b.ID) })
	for i := 1; i < len(v.Flavours); i++ {
		if v.Flavours[i].ID == v.Flavours[i-1].ID {
			l.Problem(entry.File, "the flavour %s is defined twice", document.Quote(v.Flavours[i].ID))
		}
	}
	l.checkTemplateDirs(&v)
	return v
}

func (l *reader) isFlavour(doc *document.Value) bool {
	topology := doc.At("topology_template")
	if topology.At("substitution_mappings").IsMap() {
		return true
	}
	for _, node := range topology.At("node_templates").Members() {
		switch l.BuiltinType(node.At("type").Str()) {
		case tosca.TypeCompute, tosca.TypeDeployable, tosca.TypeTackerVdu:
			return true
		}
	}
	return false
}

// vnfProperty is the text of a property of the VNF node.
func (l *reader) vnfProperty(name string) string { return l.vnfValue(name).Str() }

// vnfValue finds a property of the VNF node. It looks in the entry definition, then in the flavours in order, then
// takes the default of the node's type.
func (l *reader) vnfValue(name string) *document.Value {
	types := []string{}
	for _, doc := range l.Docs {
		topology := doc.At("topology_template")
		for _, node := range topology.At("node_templates").Members() {
			typeName := node.At("type").Str()
			if l.BuiltinType(typeName) != tosca.TypeVNF {
				continue
			}
			if v := tosca.ResolveInput(topology, node.At("properties", name)); !v.IsNull() && !v.IsMap() {
				return v
			}
			types = append(types, typeName)
		}
		if mapped := topology.At("substitution_mappings", "node_type").Str(); mapped != "" {
			types = append(types, mapped)
		}
	}
	for _, typeName := range types {
		if v := l.TypeDefault(typeName, name); !v.IsNull() {
			return v
		}
	}
	return nil
}

// checkTemplateDirs warns of templates that no flavour uses.
func (l *reader) checkTemplateDirs(v *descriptor.Vnfd) {
	for _, name := range l.Zip.FilesIn(hot.Dir) {
		id, _, below := strings.Cut(strings.TrimPrefix(name, hot.Dir+"/"), "/")
		if _, err := v.Flavour(id); err != nil && below {
			l.Warn(hot.Dir+"/"+id, "belongs to no flavour of the VNFD")
		}
	}
}

// Generator makes the Heat templates of a flavour whose package has none, and stores them with the flavour.
type Generator func(t *tosca.Topology, f *descriptor.Flavour)
