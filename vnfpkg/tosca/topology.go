package tosca

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// ResolveInput replaces {get_input: name} by the input's default, nil when it has none.
func ResolveInput(topology, v *document.Value) *document.Value {
	input := v.At("get_input").Str()
	if input == "" {
		return v
	}
	return topology.At("inputs", input, "default")
}

// The types of SOL001 that Windlass reads.
const (
	TypeVNF     = "tosca.nodes.nfv.VNF"
	TypeCompute = "tosca.nodes.nfv.Vdu.Compute"
	TypeLink    = "tosca.nodes.nfv.VnfVirtualLink"
	TypeVipCp   = "tosca.nodes.nfv.VipCp"

	TypeDeployable = "tosca.nodes.nfv.Vdu.OsContainerDeployableUnit"
	TypeContainer  = "tosca.nodes.nfv.Vdu.OsContainer"
	TypeVirtualCp  = "tosca.nodes.nfv.VirtualCp"
	TypeMciop      = "tosca.nodes.nfv.Mciop"
	// TypeTackerVdu is not in SOL001: it is Tacker's first type for VDUs of containers.
	TypeTackerVdu = "tosca.nodes.nfv.VDU.Tacker"
)

// SwImage reads the properties of an image.
func SwImage(data *document.Value) *descriptor.SwImage {
	return &descriptor.SwImage{
		Name:              data.At("name").Str(),
		Version:           data.At("version").Str(),
		ChecksumAlgorithm: data.At("checksum", "algorithm").Str(),
		ChecksumHash:      data.At("checksum", "hash").Str(),
		ContainerFormat:   data.At("container_format").Str(),
		DiskFormat:        data.At("disk_format").Str(),
		MinDisk:           data.At("min_disk").Str(),
		MinRAM:            data.At("min_ram").Str(),
		Size:              data.At("size").Str(),
	}
}

// ImageArtifact is the artifact of a node's software image, nil for none.
func (r *Topology) ImageArtifact(node *document.Value) *document.Value {
	for name, artifact := range node.At("artifacts").Named() {
		if name == "sw_image" || strings.HasSuffix(artifact.At("type").Str(), ".SwImage") {
			return artifact
		}
	}
	return nil
}

// Topology is the topology template of one definition.
type Topology struct {
	*Definitions
	Root  *document.Value
	Nodes *document.Value
}

// TopologyOf is the topology template of a definition.
func (l *Definitions) TopologyOf(doc *document.Value) *Topology {
	root := doc.At("topology_template")
	return &Topology{Definitions: l, Root: root, Nodes: root.At("node_templates")}
}

// Property is a property of the node, else the default of its type or of a type that it derives from.
func (r *Topology) Property(node *document.Value, name string) *document.Value {
	if v := ResolveInput(r.Root, node.At("properties", name)); !v.IsNull() {
		return v
	}
	return ResolveInput(r.Root, r.TypeDefault(node.At("type").Str(), name))
}

// Requirement is a requirement of a node. Several may have the same name, e.g. those for storages.
type Requirement struct{ Name, Target string }

// Requirements reads a node's requirements, in their order, and refuses targets that do not exist.
func (r *Topology) Requirements(node *document.Value) (out []Requirement) {
	for key, item := range node.At("requirements").Named() {
		target := item.Str()
		if item.IsMap() {
			target = item.At("node").Str()
		}
		if target == "" {
			continue
		}
		if !r.Nodes.Has(target) && !strings.HasPrefix(target, "tosca.") {
			r.Problem(item.Place(), "the requirement %s names the node %s, which does not exist", key, document.Quote(target))
			continue
		}
		out = append(out, Requirement{key, target})
	}
	return out
}

// maxCount bounds instances and scale levels, so that no sum of them overflows.
const maxCount = 10_000

// Count reads a number of instances, levels or the like; 0 when nothing is written.
func (r *Topology) Count(v *document.Value) int {
	v = ResolveInput(r.Root, v)
	if v.IsNull() {
		return 0
	}
	n, ok := v.Number()
	if !ok || n < 0 || n > maxCount {
		r.Problem(v.Place(), "%s is not a whole number between 0 and %d", document.Quote(v.Str()), maxCount)
		return 0
	}
	return n
}

// IsSecret tells whether Heat must hide a parameter with that name.
func IsSecret(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc([]string{"password", "passwd", "secret", "token", "private_key"},
		func(word string) bool { return strings.Contains(lower, word) })
}

// PolicyPrefix begins the policy types of SOL001.
const PolicyPrefix = "tosca.policies.nfv."
