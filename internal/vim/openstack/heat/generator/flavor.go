package generator

import (
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// flavor is the Nova flavour of a VDU. The VIM must have the flavour that the VNFD names
// (requested_additional_capability_name). Without a name, the stack makes a flavour of the VDU's sizes, unless the
// grant or additionalParams name one.
func (g *generator) flavor(v *descriptor.Vdu) *document.Value {
	named := getParam("nfv", "VDU", v.ID, "flavor")
	if v.ComputeFlavour != "" {
		return named
	}
	node := g.nodeOf(v.ID)
	ram := descriptor.MebibytesOf(v.VirtualMemory)
	if v.VirtualCpus == 0 || ram == 0 {
		g.Warn(node.Place(), "the VDU %s names no flavour (requested_additional_capability_name) and has no virtual_cpu "+
			"and virtual_memory from which Windlass could make a flavour: "+
			"requests must name a flavour (additionalParams.nfv.VDU.%s.flavor)", v.ID, v.ID)
		return named
	}
	v.OwnFlavour = true
	properties := document.Mapping(
		"vcpus", document.Scalar("!!int", strconv.Itoa(v.VirtualCpus)), "ram", document.Scalar("!!int", strconv.Itoa(ram)),
		"disk", document.Scalar("!!int", strconv.Itoa(g.disk(v, node))),
	)
	if specs := g.extraSpecs(node); len(specs.Keys) > 0 {
		properties.Set("extra_specs", specs)
	}
	name, condition := v.ID+"_flavor", v.ID+"_makes_flavor"
	empty := calls("equals", sequence(named, text("")))
	g.top.conditions.Set(condition, empty)
	g.add(&g.top, name, "OS::Nova::Flavor", properties, node)
	if resource := g.top.resources.At(name); resource != nil {
		resource.Set("condition", text(condition))
	}
	return calls("if", sequence(text(condition), getResource(name), named))
}

// disk is the size of the root disk in GB: the local storages of the VDU, else what its image needs.
func (g *generator) disk(v *descriptor.Vdu, node *document.Value) int {
	local := 0
	for _, item := range g.Capability(node, "virtual_local_storage").List() {
		size := item.At("size_of_storage")
		if size.IsNull() {
			size = item.At("virtual_block_storage_data", "size_of_storage")
		}
		local += descriptor.GigabytesOf(tosca.ResolveInput(g.Root, size).Str())
	}
	if local == 0 && v.Image != nil {
		local = max(descriptor.GigabytesOf(v.Image.MinDisk), descriptor.GigabytesOf(v.Image.Size))
	}
	return local
}

// extraSpecs are the extra specs of a Nova flavour.
func (g *generator) extraSpecs(node *document.Value) *document.Value {
	out := document.Mapping()
	cpu, memory := g.Capability(node, "virtual_cpu"), g.Capability(node, "virtual_memory")
	switch cpu.At("virtual_cpu_pinning", "virtual_cpu_pinning_policy").Str() {
	case "static":
		out.Set("hw:cpu_policy", text("dedicated"))
	case "dynamic":
		out.Set("hw:cpu_policy", text("shared"))
	}
	if memory.At("numa_enabled").Str() == "true" {
		out.Set("hw:numa_nodes", text("1"))
	}
	for _, pages := range memory.At("huge_pages_requirements").List() {
		if kib := int(descriptor.SizeOf(pages.At("hugepage_size").Str()) / 1024); kib > 0 {
			out.Set("hw:mem_page_size", text(strconv.Itoa(kib)))
		}
	}
	for _, requirements := range []*document.Value{cpu.At("vdu_cpu_requirements"), memory.At("vdu_mem_requirements")} {
		for key, v := range requirements.Members() {
			if strings.Contains(key, ":") { // Nova's own words, e.g. hw:cpu_sockets
				out.Set(key, text(v.Str()))
			}
		}
	}
	return out
}
