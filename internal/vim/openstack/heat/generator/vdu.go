package generator

import (
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// vdu makes the servers of a VDU: one in the top template or, if the number can change, a group of nested stacks with a
// server each.
func (g *generator) vdu(v *descriptor.Vdu) {
	node := g.nodeOf(v.ID)
	g.zone(v, node)
	most, fixed := g.sizes(v.ID)
	if fixed && most == 1 {
		g.server(&g.top, v, false)
		return
	}
	s := newScope()
	s.pass = document.Mapping()
	g.server(&s, v, true)
	file := v.ID + ".yaml"
	g.files[file] = g.text(s, "One VNFC of "+v.ID)
	g.add(&g.top, g.groupName(v.ID), "OS::Heat::AutoScalingGroup", document.Mapping(
		"min_size", document.Scalar("!!int", "0"), "max_size", document.Scalar("!!int", strconv.Itoa(most)),
		"desired_capacity", getParam("nfv", "VDU", v.ID, "desired_capacity"),
		"resource", document.Mapping("type", text(file), "properties", s.pass),
	), node, s.after...)
}

// sizes tells the largest number of VNFCs of a VDU, and whether the number is fixed.
func (g *generator) sizes(vdu string) (most int, fixed bool) {
	f := g.flavour
	highest := map[string]int{}
	fixed = true
	for _, a := range f.Aspects {
		highest[a.ID] = a.MaxScaleLevel
		if _, scaled := a.Deltas[vdu]; scaled {
			fixed = false
		}
	}
	v, _ := f.Vdu(vdu)
	least := v.Initial()
	most = max(v.MaxInstances, least)
	if c, err := f.CapacityAt(highest); err == nil {
		most = max(most, c[vdu])
	}
	for _, level := range f.Levels {
		if n, ok := level.Instances[vdu]; ok {
			fixed = fixed && n == least
			// Scaling keeps the VNFCs that a level has beyond its scale levels.
			if derived, err := f.CapacityAt(level.ScaleLevels); err == nil {
				most = max(most, n, most+n-derived[vdu])
			}
		}
	}
	if fixed {
		most = least
	}
	return most, fixed
}

// groupName is the aspect that scales the VDU, as in Base HOTs. If the aspect scales several VDUs, each has its own
// group name.
func (g *generator) groupName(vdu string) string {
	for _, a := range g.flavour.Aspects {
		if _, ok := a.Deltas[vdu]; !ok {
			continue
		}
		if len(a.Deltas) == 1 && !g.top.resources.Has(a.ID) {
			return a.ID
		}
		return a.ID + "_" + vdu
	}
	return vdu + "_group"
}

// server makes one server with its ports and volumes.
func (g *generator) server(s *scope, v *descriptor.Vdu, multiplied bool) {
	node := g.nodeOf(v.ID)
	properties := document.Mapping("flavor", s.take("flavor", "string", g.flavor(v)))
	devices := g.volumes(s, v, multiplied)
	if !slices.ContainsFunc(devices.Items, func(d *document.Value) bool { return d.At("boot_index").Str() == "0" }) {
		properties.Set("image", s.take("image", "string", getParam("nfv", "VDU", v.ID, "image")))
	}
	properties.Set("availability_zone", s.optional(v.ID+"_has_zone", "zone",
		getParam("nfv", "VDU", v.ID, "locationConstraints")))
	if len(devices.Items) > 0 {
		properties.Set("block_device_mapping_v2", devices)
	}
	networks := lines()
	for _, cp := range g.portsOf(v.ID) {
		g.port(s, cp, multiplied)
		networks.Items = append(networks.Items, document.Mapping("port", getResource(cp.ID)))
	}
	if len(networks.Items) > 0 {
		properties.Set("networks", networks)
	} else {
		g.Warn(node.Place(), "no connection point is bound to %s, so its servers are in no network", v.ID)
		properties.Set("networks", sequence(document.Mapping("allocate_network", text("none"))))
	}
	if group := g.serverGroups[v.ID]; group != "" {
		properties.Set("scheduler_hints", document.Mapping("group", s.take("server_group", "string", getResource(group))))
	}
	g.boot(s, v.ID, node, properties)
	g.add(s, v.ID, "OS::Nova::Server", properties, node)
}

// portsOf are the connection points of a VDU in the order of its network interfaces.
func (g *generator) portsOf(vdu string) []descriptor.VduCp {
	out := slices.DeleteFunc(slices.Clone(g.flavour.Cps), func(c descriptor.VduCp) bool { return c.VduID != vdu })
	slices.SortStableFunc(out, func(a, b descriptor.VduCp) int { return a.Order - b.Order })
	return out
}

// zone reads the availability zone of nfvi_constraints: a key of that name, or the only item of a list, as TOSCA-to-HOT
// translators write it. SOL001 reserves the property for later use.
func (g *generator) zone(v *descriptor.Vdu, node *document.Value) {
	constraints := g.Property(node, "nfvi_constraints")
	for name, c := range constraints.Members() {
		if key := strings.ToLower(name); key == "availability_zone" || key == "zone" {
			v.Zone = tosca.ResolveInput(g.Root, c).Str()
			continue
		}
		g.Warn(c.Place(), "the nfvi_constraint %s of %s is not used: Windlass uses availability_zone only",
			document.Quote(name), v.ID)
	}
	switch list := constraints.Words(); {
	case len(list) == 1 && !strings.ContainsAny(list[0], " =:"):
		v.Zone = list[0]
	case len(list) > 0:
		g.Warn(constraints.Place(),
			"the nfvi_constraints of %s are not used: Windlass uses one availability zone, or a key availability_zone",
			v.ID)
	}
}
