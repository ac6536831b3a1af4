package vnfpkg

import (
	"strconv"
	"strings"
)

// flavor is the Nova flavour of a VDU. The VIM must have the flavour that the VNFD names
// (requested_additional_capability_name). Without a name, the stack makes a flavour of the VDU's sizes, unless the
// grant or additionalParams name one.
func (g *generator) flavor(v *Vdu) *value {
	named := getParam("nfv", "VDU", v.ID, "flavor")
	if v.ComputeFlavour != "" {
		return named
	}
	node := g.nodeOf(v.ID)
	ram := mebibytesOf(v.VirtualMemory)
	if v.VirtualCpus == 0 || ram == 0 {
		g.warn(node.place(), "the VDU %s names no flavour (requested_additional_capability_name) and has no virtual_cpu "+
			"and virtual_memory from which Windlass could make a flavour: "+
			"requests must name a flavour (additionalParams.nfv.VDU.%s.flavor)", v.ID, v.ID)
		return named
	}
	v.OwnFlavour = true
	properties := mapping("vcpus", scalar("!!int", strconv.Itoa(v.VirtualCpus)), "ram", scalar("!!int", strconv.Itoa(ram)),
		"disk", scalar("!!int", strconv.Itoa(g.disk(v, node))))
	if specs := g.extraSpecs(node); len(specs.keys) > 0 {
		properties.set("extra_specs", specs)
	}
	name, condition := v.ID+"_flavor", v.ID+"_makes_flavor"
	empty := calls("equals", sequence(named, text("")))
	g.top.conditions.set(condition, empty)
	g.add(&g.top, name, "OS::Nova::Flavor", properties, node)
	if resource := g.top.resources.at(name); resource != nil {
		resource.set("condition", text(condition))
	}
	return calls("if", sequence(text(condition), getResource(name), named))
}

// disk is the size of the root disk in GB: the local storages of the VDU, else what its image needs.
func (g *generator) disk(v *Vdu, node *value) int {
	local := 0
	for _, item := range g.capability(node, "virtual_local_storage").list() {
		size := item.at("size_of_storage")
		if size.isNull() {
			size = item.at("virtual_block_storage_data", "size_of_storage")
		}
		local += gigabytesOf(resolveInput(g.root, size).str())
	}
	if local == 0 && v.Image != nil {
		local = max(gigabytesOf(v.Image.MinDisk), gigabytesOf(v.Image.Size))
	}
	return local
}

// extraSpecs are the extra specs of a Nova flavour.
func (g *generator) extraSpecs(node *value) *value {
	out := mapping()
	cpu, memory := g.capability(node, "virtual_cpu"), g.capability(node, "virtual_memory")
	switch cpu.at("virtual_cpu_pinning", "virtual_cpu_pinning_policy").str() {
	case "static":
		out.set("hw:cpu_policy", text("dedicated"))
	case "dynamic":
		out.set("hw:cpu_policy", text("shared"))
	}
	if memory.at("numa_enabled").str() == "true" {
		out.set("hw:numa_nodes", text("1"))
	}
	for _, pages := range memory.at("huge_pages_requirements").list() {
		if kib := int(sizeOf(pages.at("hugepage_size").str()) / 1024); kib > 0 {
			out.set("hw:mem_page_size", text(strconv.Itoa(kib)))
		}
	}
	for _, requirements := range []*value{cpu.at("vdu_cpu_requirements"), memory.at("vdu_mem_requirements")} {
		for key, v := range requirements.members() {
			if strings.Contains(key, ":") { // Nova's own words, e.g. hw:cpu_sockets
				out.set(key, text(v.str()))
			}
		}
	}
	return out
}
