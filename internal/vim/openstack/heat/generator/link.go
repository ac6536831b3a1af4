package generator

import (
	"strconv"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// link makes a network with its subnets, and a QoS policy if the VNFD gives a bit rate for every size. The rates of
// vl_profile only bound these bit rates, and limit no traffic themselves.
func (g *generator) link(l descriptor.VirtualLink) {
	node := g.nodeOf(l.ID)
	properties := document.Mapping()
	if g.hasRate(l) {
		policy, rule := l.ID+"_qos", l.ID+"_bandwidth"
		g.add(&g.top, policy, "OS::Neutron::QoSPolicy", document.Mapping("description", text("The bit rate of "+l.ID)), node)
		g.add(&g.top, rule, "OS::Neutron::QoSBandwidthLimitRule",
			document.Mapping("policy", getResource(policy), "max_kbps", getParam("nfv", "VL", l.ID, "kbps")), node)
		properties.Set("qos_policy", getResource(policy))
	}
	data := g.Property(node, "vl_profile").At("virtual_link_protocol_data").List()
	for _, d := range data {
		l2 := d.At("l2_protocol_data")
		if mtu, ok := tosca.ResolveInput(g.Root, l2.At("mtu")).Number(); ok {
			properties.Set("value_specs", document.Mapping("mtu", document.Scalar("!!int", strconv.Itoa(mtu))))
		}
		for _, key := range []string{"network_type", "segmentation_id"} {
			if v := l2.At(key); v.Str() != "" {
				g.Warn(v.Place(), "%s of %s is not used: the cloud decides how it makes a project's network. Use "+
					"a network that is managed elsewhere (extManagedVirtualLinks) if it matters", key, l.ID)
			}
		}
	}
	g.add(&g.top, l.ID, "OS::Neutron::Net", properties, node)
	for _, d := range data {
		if l3 := d.At("l3_protocol_data"); l3.IsMap() {
			g.subnet(l.ID, l3)
		}
	}
	if len(g.subnets[l.ID]) == 0 && g.needsAddresses(l.ID) {
		g.Warn(node.Place(), "%s has no l3_protocol_data with a cidr, so its network has no subnet and servers cannot "+
			"have addresses in it: use a network that is managed elsewhere (extManagedVirtualLinks)", l.ID)
	}
}

// subnet makes a subnet of L3ProtocolData (SOL001 clause 6.2.27).
func (g *generator) subnet(link string, l3 *document.Value) {
	get := func(name string) *document.Value { return tosca.ResolveInput(g.Root, l3.At(name)) }
	version := "4"
	switch get("ip_version").Str() {
	case "", "ipv4", "4":
	case "ipv6", "6":
		version = "6"
	default:
		g.Problem(get("ip_version").Place(), "ip_version is %s, neither ipv4 nor ipv6",
			document.Quote(get("ip_version").Str()))
	}
	if get("cidr").Str() == "" {
		g.Problem(l3.Place(), "the l3_protocol_data of %s have no cidr", link)
		return
	}
	properties := document.Mapping("network", getResource(link), "ip_version", document.Scalar("!!int", version), "cidr",
		text(get("cidr").Str()))
	if gateway := get("gateway_ip"); gateway.Str() != "" {
		properties.Set("gateway_ip", text(gateway.Str()))
	}
	if dhcp := get("dhcp_enabled"); dhcp.Str() != "" {
		properties.Set("enable_dhcp", copied(dhcp))
	}
	pools := lines()
	for _, pool := range get("ip_allocation_pools").List() {
		pools.Items = append(pools.Items, document.Mapping("start", text(pool.At("start_ip_address").Str()), "end",
			text(pool.At("end_ip_address").Str())))
	}
	if len(pools.Items) > 0 {
		properties.Set("allocation_pools", pools)
	}
	if mode := get("ipv6_address_mode"); mode.Str() != "" && version == "6" {
		properties.Set("ipv6_address_mode", text(mode.Str()))
		properties.Set("ipv6_ra_mode", text(mode.Str()))
	}
	name := link + "_subnet"
	if n := len(g.subnets[link]); n > 0 {
		name += "_" + strconv.Itoa(n+1)
	}
	g.subnets[link] = append(g.subnets[link], name)
	g.add(&g.top, name, "OS::Neutron::Subnet", properties, l3)
}

// hasRate tells whether the VNFD gives a link a bit rate at every size of the VNF.
func (g *generator) hasRate(l descriptor.VirtualLink) bool {
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

func onlyEthernet(cp descriptor.VduCp) bool {
	for _, protocol := range cp.LayerProtocols {
		if protocol == "ipv4" || protocol == "ipv6" {
			return false
		}
	}
	return len(cp.LayerProtocols) > 0
}
