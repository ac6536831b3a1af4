package vnfpkg

import (
	"strconv"
)

// link makes a network with its subnets, and a QoS policy if the VNFD gives a bit rate for every size. The rates of
// vl_profile only bound these bit rates, and limit no traffic themselves.
func (g *generator) link(l VirtualLink) {
	node := g.nodeOf(l.ID)
	properties := mapping()
	if g.hasRate(l) {
		policy, rule := l.ID+"_qos", l.ID+"_bandwidth"
		g.add(&g.top, policy, "OS::Neutron::QoSPolicy", mapping("description", text("The bit rate of "+l.ID)), node)
		g.add(&g.top, rule, "OS::Neutron::QoSBandwidthLimitRule",
			mapping("policy", getResource(policy), "max_kbps", getParam("nfv", "VL", l.ID, "kbps")), node)
		properties.set("qos_policy", getResource(policy))
	}
	data := g.property(node, "vl_profile").at("virtual_link_protocol_data").list()
	for _, d := range data {
		l2 := d.at("l2_protocol_data")
		if mtu, ok := resolveInput(g.root, l2.at("mtu")).number(); ok {
			properties.set("value_specs", mapping("mtu", scalar("!!int", strconv.Itoa(mtu))))
		}
		for _, key := range []string{"network_type", "segmentation_id"} {
			if v := l2.at(key); v.str() != "" {
				g.warn(v.place(), "%s of %s is not used: the cloud decides how it makes a project's network. Use "+
					"a network that is managed elsewhere (extManagedVirtualLinks) if it matters", key, l.ID)
			}
		}
	}
	g.add(&g.top, l.ID, "OS::Neutron::Net", properties, node)
	for _, d := range data {
		if l3 := d.at("l3_protocol_data"); l3.isMap() {
			g.subnet(l.ID, l3)
		}
	}
	if len(g.subnets[l.ID]) == 0 && g.needsAddresses(l.ID) {
		g.warn(node.place(), "%s has no l3_protocol_data with a cidr, so its network has no subnet and servers cannot "+
			"have addresses in it: use a network that is managed elsewhere (extManagedVirtualLinks)", l.ID)
	}
}

// subnet makes a subnet of L3ProtocolData (SOL001 clause 6.2.27).
func (g *generator) subnet(link string, l3 *value) {
	get := func(name string) *value { return resolveInput(g.root, l3.at(name)) }
	version := "4"
	switch get("ip_version").str() {
	case "", "ipv4", "4":
	case "ipv6", "6":
		version = "6"
	default:
		g.problem(get("ip_version").place(), "ip_version is %s, neither ipv4 nor ipv6",
			quoteName(get("ip_version").str()))
	}
	if get("cidr").str() == "" {
		g.problem(l3.place(), "the l3_protocol_data of %s have no cidr", link)
		return
	}
	properties := mapping("network", getResource(link), "ip_version", scalar("!!int", version), "cidr",
		text(get("cidr").str()))
	if gateway := get("gateway_ip"); gateway.str() != "" {
		properties.set("gateway_ip", text(gateway.str()))
	}
	if dhcp := get("dhcp_enabled"); dhcp.str() != "" {
		properties.set("enable_dhcp", copied(dhcp))
	}
	pools := lines()
	for _, pool := range get("ip_allocation_pools").list() {
		pools.items = append(pools.items, mapping("start", text(pool.at("start_ip_address").str()), "end",
			text(pool.at("end_ip_address").str())))
	}
	if len(pools.items) > 0 {
		properties.set("allocation_pools", pools)
	}
	if mode := get("ipv6_address_mode"); mode.str() != "" && version == "6" {
		properties.set("ipv6_address_mode", text(mode.str()))
		properties.set("ipv6_ra_mode", text(mode.str()))
	}
	name := link + "_subnet"
	if n := len(g.subnets[link]); n > 0 {
		name += "_" + strconv.Itoa(n+1)
	}
	g.subnets[link] = append(g.subnets[link], name)
	g.add(&g.top, name, "OS::Neutron::Subnet", properties, l3)
}

// hasRate tells whether the VNFD gives a link a bit rate at every size of the VNF.
func (g *generator) hasRate(l VirtualLink) bool {
	if l.InitialBitrate != nil {
		return true
	}
	for _, level := range g.flavour.Levels {
		if _, ok := level.Bitrates[l.ID]; !ok {
			return false
		}
	}
	return len(g.flavour.Levels) > 0
}

// needsAddresses tells whether a connection point of a link needs an IP address.
func (g *generator) needsAddresses(link string) bool {
	for _, cp := range g.flavour.Cps {
		if cp.VirtualLink == link && !onlyEthernet(cp) {
			return true
		}
	}
	return false
}

func onlyEthernet(cp VduCp) bool {
	for _, protocol := range cp.LayerProtocols {
		if protocol == "ipv4" || protocol == "ipv6" {
			return false
		}
	}
	return len(cp.LayerProtocols) > 0
}
