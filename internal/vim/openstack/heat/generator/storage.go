package generator

import (
	"slices"
	"strconv"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// volumes makes the volumes of a VDU's block storages, and the server's list of them. The server boots from the first
// volume with an image, unless the VDU itself has an image.
func (g *generator) volumes(s *scope, v *descriptor.Vdu, multiplied bool) *document.Value {
	devices, boots := lines(), v.Image != nil
	for _, id := range v.Storages {
		i := slices.IndexFunc(
			g.flavour.Storages, func(s descriptor.VirtualStorage) bool { return s.ID == id && s.Kind == "block" },
		)
		if i < 0 {
			continue
		}
		storage, node := g.flavour.Storages[i], g.nodeOf(id)
		if multiplied && g.Property(node, "per_vnfc_instance").Str() == "false" {
			g.Warn(node.Place(), "the volume %s should be shared by the VNFCs of %s (per_vnfc_instance: false), "+
				"but VNFCs cannot share a Cinder volume: each VNFC has its own", id, v.ID)
		}
		name := g.volume(s, v.ID, storage, node)
		device := document.Mapping("volume_id", getResource(name), "boot_index", document.Scalar("!!int", "-1"))
		if storage.Image != nil && !boots {
			boots = true
			device.Set("boot_index", document.Scalar("!!int", "0"))
			devices.Items = slices.Insert(devices.Items, 0, device)
			continue
		}
		devices.Items = append(devices.Items, device)
	}
	return devices
}

// volume makes a volume. Its name is the node's name or, if that is taken, the VDU's and the node's.
func (g *generator) volume(s *scope, vdu string, storage descriptor.VirtualStorage, node *document.Value) string {
	name := storage.ID
	if s.resources.Has(name) {
		name = vdu + "-" + storage.ID
	}
	size := descriptor.GigabytesOf(storage.Size)
	if size == 0 {
		g.Problem(node.Place(), "the virtual storage %s has no size_of_storage with a unit, such as 10 GB: %s",
			storage.ID,
			document.Quote(storage.Size))
	}
	properties := document.Mapping("size", document.Scalar("!!int", strconv.Itoa(size)))
	if kind := g.volumeType(node); kind != "" {
		properties.Set("volume_type", text(kind))
	}
	if storage.Image != nil {
		properties.Set("image", s.take(storage.ID+"_image", "string", getParam("nfv", "VDU", storage.ID, "image")))
	}
	g.add(s, name, "OS::Cinder::Volume", properties, node)
	return name
}

// volumeType is Cinder's type of a volume: the node's property volume_type, as vendors' types have it, or a storage
// requirement with that name.
func (g *generator) volumeType(node *document.Value) string {
	data := g.Property(node, "virtual_block_storage_data")
	for _, v := range []*document.Value{
		g.Property(node, "volume_type"), data.At("volume_type"),
		data.At("vdu_storage_requirements", "volume_type"), data.At("vdu_storage_requirements", "type"),
	} {
		if v = tosca.ResolveInput(g.Root, v); v.Str() != "" {
			return v.Str()
		}
	}
	return ""
}

// checkStorage warns of storages that no resource is made for.
func (g *generator) checkStorage(s descriptor.VirtualStorage) {
	used := slices.ContainsFunc(g.flavour.Vdus, func(v descriptor.Vdu) bool { return slices.Contains(v.Storages, s.ID) })
	switch {
	case s.Kind != "block":
		g.Warn(g.nodeOf(s.ID).Place(), "Windlass makes no resource from the %s storage %s: it makes block "+
			"storages only", s.Kind, s.ID)
	case !used:
		g.Warn(g.nodeOf(s.ID).Place(), "no volume is made of %s: no VDU has it (requirement virtual_storage)", s.ID)
	}
}

// placement makes a server group for each (anti-)affinity rule. Nova allows a server one group only.
func (g *generator) placement() {
	for _, rule := range g.flavour.AffinityRules {
		at := g.policyOf(rule.ID)
		rule.Vdus = slices.DeleteFunc(slices.Clone(rule.Vdus), g.flavour.OfContainers)
		if len(rule.Vdus) == 0 && g.flavour.Hybrid {
			continue
		}
		if rule.Scope != "nfvi_node" && rule.Scope != "" {
			g.Warn(at.Place(), "the rule %s with the scope %s is not used: Nova's server groups keep servers on hosts "+
				"together or apart (nfvi_node)", rule.ID, rule.Scope)
			continue
		}
		var members []string
		for _, vdu := range rule.Vdus {
			if other := g.serverGroups[vdu]; other != "" {
				g.Warn(at.Place(), "the rule %s is not used for %s, which already has the rule %s: Nova puts a "+
					"server into one group only", rule.ID, vdu, other)
				continue
			}
			members = append(members, vdu)
		}
		if len(members) == 0 {
			continue
		}
		policy := map[bool]string{true: "anti-affinity", false: "affinity"}[rule.Anti]
		g.add(&g.top, rule.ID, "OS::Nova::ServerGroup", document.Mapping("policies", words(policy)), at)
		for _, vdu := range members {
			g.serverGroups[vdu] = rule.ID
		}
	}
}

func (g *generator) policyOf(id string) *document.Value {
	for name, policy := range g.Root.At("policies").Named() {
		if name == id {
			return policy
		}
	}
	return nil
}
