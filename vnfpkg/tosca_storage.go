package vnfpkg

import (
	"slices"
	"strconv"
)

// volumes makes the volumes of a VDU's block storages, and the server's list of them. The server boots from the first
// volume with an image, unless the VDU itself has an image.
func (g *generator) volumes(s *scope, v *Vdu, multiplied bool) *value {
	devices, boots := lines(), v.Image != nil
	for _, id := range v.Storages {
		i := slices.IndexFunc(g.flavour.Storages, func(s VirtualStorage) bool { return s.ID == id && s.Kind == "block" })
		if i < 0 {
			continue
		}
		storage, node := g.flavour.Storages[i], g.nodeOf(id)
		if multiplied && g.property(node, "per_vnfc_instance").str() == "false" {
			g.warn(node.place(), "the volume %s should be shared by the VNFCs of %s (per_vnfc_instance: false), "+
				"but VNFCs cannot share a Cinder volume: each VNFC has its own", id, v.ID)
		}
		name := g.volume(s, v.ID, storage, node)
		device := mapping("volume_id", getResource(name), "boot_index", scalar("!!int", "-1"))
		if storage.Image != nil && !boots {
			boots = true
			device.set("boot_index", scalar("!!int", "0"))
			devices.items = slices.Insert(devices.items, 0, device)
			continue
		}
		devices.items = append(devices.items, device)
	}
	return devices
}

// volume makes a volume. Its name is the node's name or, if that is taken, the VDU's and the node's.
func (g *generator) volume(s *scope, vdu string, storage VirtualStorage, node *value) string {
	name := storage.ID
	if s.resources.has(name) {
		name = vdu + "-" + storage.ID
	}
	size := gigabytesOf(storage.Size)
	if size == 0 {
		g.problem(node.place(), "the virtual storage %s has no size_of_storage with a unit, such as 10 GB: %s",
			storage.ID,
			quoteName(storage.Size))
	}
	properties := mapping("size", scalar("!!int", strconv.Itoa(size)))
	if kind := g.volumeType(node); kind != "" {
		properties.set("volume_type", text(kind))
	}
	if storage.Image != nil {
		properties.set("image", s.take(storage.ID+"_image", "string", getParam("nfv", "VDU", storage.ID, "image")))
	}
	g.add(s, name, "OS::Cinder::Volume", properties, node)
	return name
}

// volumeType is Cinder's type of a volume: the node's property volume_type, as vendors' types have it, or a storage
// requirement with that name.
func (g *generator) volumeType(node *value) string {
	data := g.property(node, "virtual_block_storage_data")
	for _, v := range []*value{
		g.property(node, "volume_type"), data.at("volume_type"),
		data.at("vdu_storage_requirements", "volume_type"), data.at("vdu_storage_requirements", "type"),
	} {
		if v = resolveInput(g.root, v); v.str() != "" {
			return v.str()
		}
	}
	return ""
}

// checkStorage warns of storages that no resource is made for.
func (g *generator) checkStorage(s VirtualStorage) {
	used := slices.ContainsFunc(g.flavour.Vdus, func(v Vdu) bool { return slices.Contains(v.Storages, s.ID) })
	switch {
	case s.Kind != "block":
		g.warn(g.nodeOf(s.ID).place(), "Windlass makes no resource from the %s storage %s: it makes block "+
			"storages only", s.Kind, s.ID)
	case !used:
		g.warn(g.nodeOf(s.ID).place(), "no volume is made of %s: no VDU has it (requirement virtual_storage)", s.ID)
	}
}

// placement makes a server group for each (anti-)affinity rule. Nova allows a server one group only.
func (g *generator) placement() {
	for _, rule := range g.flavour.AffinityRules {
		at := g.policyOf(rule.ID)
		if rule.Vdus = slices.DeleteFunc(slices.Clone(rule.Vdus), g.flavour.OfContainers); len(rule.Vdus) == 0 && g.flavour.Hybrid {
			continue
		}
		if rule.Scope != "nfvi_node" && rule.Scope != "" {
			g.warn(at.place(), "the rule %s with the scope %s is not used: Nova's server groups keep servers on hosts "+
				"together or apart (nfvi_node)", rule.ID, rule.Scope)
			continue
		}
		var members []string
		for _, vdu := range rule.Vdus {
			if other := g.serverGroups[vdu]; other != "" {
				g.warn(at.place(), "the rule %s is not used for %s, which already has the rule %s: Nova puts a "+
					"server into one group only", rule.ID, vdu, other)
				continue
			}
			members = append(members, vdu)
		}
		if len(members) == 0 {
			continue
		}
		policy := map[bool]string{true: "anti-affinity", false: "affinity"}[rule.Anti]
		g.add(&g.top, rule.ID, "OS::Nova::ServerGroup", mapping("policies", words(policy)), at)
		for _, vdu := range members {
			g.serverGroups[vdu] = rule.ID
		}
	}
}

func (g *generator) policyOf(id string) *value {
	for name, policy := range g.root.at("policies").named() {
		if name == id {
			return policy
		}
	}
	return nil
}
