package vnfpkg

import (
	"strings"
)

// resolveInput replaces {get_input: name} by the input's default, nil when it has none.
func resolveInput(topology, v *value) *value {
	input := v.at("get_input").str()
	if input == "" {
		return v
	}
	return topology.at("inputs", input, "default")
}

// The types of SOL001 that Windlass reads.
const (
	typeVNF     = "tosca.nodes.nfv.VNF"
	typeCompute = "tosca.nodes.nfv.Vdu.Compute"
	typeLink    = "tosca.nodes.nfv.VnfVirtualLink"
	typeVipCp   = "tosca.nodes.nfv.VipCp"

	typeDeployable = "tosca.nodes.nfv.Vdu.OsContainerDeployableUnit"
	typeContainer  = "tosca.nodes.nfv.Vdu.OsContainer"
	typeVirtualCp  = "tosca.nodes.nfv.VirtualCp"
	typeMciop      = "tosca.nodes.nfv.Mciop"
	// typeTackerVdu is not in SOL001: it is Tacker's first type for VDUs of containers.
	typeTackerVdu = "tosca.nodes.nfv.VDU.Tacker"
)

// swImage reads the properties of an image.
func swImage(data *value) *SwImage {
	return &SwImage{
		Name:              data.at("name").str(),
		Version:           data.at("version").str(),
		ChecksumAlgorithm: data.at("checksum", "algorithm").str(),
		ChecksumHash:      data.at("checksum", "hash").str(),
		ContainerFormat:   data.at("container_format").str(),
		DiskFormat:        data.at("disk_format").str(),
		MinDisk:           data.at("min_disk").str(),
		MinRAM:            data.at("min_ram").str(),
		Size:              data.at("size").str(),
	}
}

func (r *topology) imageArtifact(node *value) *value {
	for name, artifact := range node.at("artifacts").named() {
		if name == "sw_image" || strings.HasSuffix(artifact.at("type").str(), ".SwImage") {
			return artifact
		}
	}
	return nil
}

// topology is the topology template of one definition.
type topology struct {
	*definitions
	root  *value
	nodes *value
}

// topology is the topology template of a definition.
func (l *definitions) topology(doc *value) *topology {
	root := doc.at("topology_template")
	return &topology{definitions: l, root: root, nodes: root.at("node_templates")}
}

// property is a property of the node, else the default of its type or of a type that it derives from.
func (r *topology) property(node *value, name string) *value {
	if v := resolveInput(r.root, node.at("properties", name)); !v.isNull() {
		return v
	}
	return resolveInput(r.root, r.typeDefault(node.at("type").str(), name))
}

// requirement is a requirement of a node. Several may have the same name, e.g. those for storages.
type requirement struct{ name, target string }

// requirements reads a node's requirements, in their order, and refuses targets that do not exist.
func (r *topology) requirements(node *value) (out []requirement) {
	for key, item := range node.at("requirements").named() {
		target := item.str()
		if item.isMap() {
			target = item.at("node").str()
		}
		if target == "" {
			continue
		}
		if !r.nodes.has(target) && !strings.HasPrefix(target, "tosca.") {
			r.problem(item.place(), "the requirement %s names the node %s, which does not exist", key, quoteName(target))
			continue
		}
		out = append(out, requirement{key, target})
	}
	return out
}

// maxCount bounds instances and scale levels, so that no sum of them overflows.
const maxCount = 10_000

// count reads a number of instances, levels or the like; 0 when nothing is written.
func (r *topology) count(v *value) int {
	v = resolveInput(r.root, v)
	if v.isNull() {
		return 0
	}
	n, ok := v.number()
	if !ok || n < 0 || n > maxCount {
		r.problem(v.place(), "%s is not a whole number between 0 and %d", quoteName(v.str()), maxCount)
		return 0
	}
	return n
}
