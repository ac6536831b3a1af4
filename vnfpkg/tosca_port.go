package vnfpkg

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// port makes the port of a connection point. multiplied is set if several VNFCs have such a port each.
func (g *generator) port(s *scope, cp VduCp, multiplied bool) {
	node := g.nodeOf(cp.ID)
	properties := mapping()
	if link, ok := g.flavour.VirtualLink(cp.VirtualLink); ok {
		properties.set("network", s.take(link.ID+"_network", "string", getResource(link.ID)))
		g.waitFor(s, g.subnets[link.ID]...)
		if len(g.subnets[link.ID]) == 0 && onlyEthernet(cp) {
			properties.set("no_fixed_ips", scalar("!!bool", "true"))
		}
		if addresses := g.fixedAddresses(node); len(addresses.items) > 0 && multiplied {
			g.warn(node.place(), "the fixed addresses of %s are not used: several VNFCs would have the same "+
				"addresses", cp.ID)
		} else if len(addresses.items) > 0 {
			properties.set("fixed_ips", addresses)
		}
	} else {
		properties.set("network", s.take(cp.ID+"_network", "string", getParam("nfv", "CP", cp.ID, "network")))
		properties.set("fixed_ips", s.take(cp.ID+"_fixed_ips", "json", getParam("nfv", "CP", cp.ID, "fixed_ips")))
		properties.set("mac_address", s.optional(cp.ID+"_has_mac_address", cp.ID+"_mac_address",
			getParam("nfv", "CP", cp.ID, macKey)))
	}
	if group := g.securityGroups[cp.ID]; group != "" {
		properties.set("security_groups", sequence(s.take(cp.ID+"_security_group", "string", getResource(group))))
	}
	pairs := lines()
	for _, vip := range g.vips[cp.ID] {
		address := calls("get_attr", sequence(text(vip), text("fixed_ips"), scalar("!!int", "0"), text("ip_address")))
		pairs.items = append(pairs.items, mapping("ip_address", s.take(vip+"_address", "string", address)))
	}
	if len(pairs.items) > 0 {
		properties.set("allowed_address_pairs", pairs)
	}
	if vnic := g.property(node, "vnic_type"); vnic.str() != "" && vnic.str() != "normal" {
		properties.set("binding:vnic_type", text(vnic.str()))
	}
	after := []string{}
	if s.pass == nil {
		after = g.subnets[cp.VirtualLink]
	}
	g.add(s, cp.ID, "OS::Neutron::Port", properties, node, after...)
}

// waitFor makes the resource of a scope depend on resources of the top template.
func (g *generator) waitFor(s *scope, names ...string) {
	for _, name := range names {
		if !slices.Contains(s.after, name) {
			s.after = append(s.after, name)
		}
	}
}

// fixedAddresses are the addresses that the VNFD gives a connection point (L3AddressData, SOL001 clause 6.2.22).
func (g *generator) fixedAddresses(node *value) *value {
	out := lines()
	for _, protocol := range g.property(node, "protocol").list() {
		for _, data := range protocol.at("address_data").list() {
			for _, address := range data.at("l3_address_data", "fixed_ip_address").words() {
				out.items = append(out.items, mapping("ip_address", text(address)))
			}
		}
	}
	return out
}

// virtualAddresses makes ports that only reserve addresses. The VNFCs of other connection points use these addresses
// (VipCp, SOL001 clause 6.8.15).
func (g *generator) virtualAddresses() {
	for _, cp := range g.flavour.Cps {
		node := g.nodeOf(cp.ID)
		switch standard := g.builtinType(node.at("type").str()); {
		case standard == typeVipCp:
			for _, req := range g.requirements(node) {
				if req.name == "target" {
					g.vips[req.target] = append(g.vips[req.target], cp.ID)
				}
			}
			g.port(&g.top, cp, false)
		case cp.VduID == "":
			g.warn(node.place(), "no port is made of %s: no requirement virtual_binding names its VDU", cp.ID)
		}
	}
}

// security makes a security group for each connection point from its rules (SecurityGroupRule policies, SOL001 clause
// 6.10.10).
func (g *generator) security() {
	rules := map[string]*value{}
	for name, policy := range g.root.at("policies").named() {
		if builtin(g.policyTypes, policy.at("type").str()) != policyPrefix+"SecurityGroupRule" {
			continue
		}
		for _, target := range policy.at("targets").words() {
			if _, ok := g.flavour.Cp(target); !ok {
				g.problem(policy.at("targets").place(), "the policy %s is for connection points, but %s is not a "+
					"connection point", name, quoteName(target))
				continue
			}
			if rules[target] == nil {
				rules[target] = lines()
			}
			rules[target].items = append(rules[target].items, g.securityRule(policy))
		}
	}
	for _, cp := range g.flavour.Cps {
		if rules[cp.ID] != nil {
			g.securityGroups[cp.ID] = cp.ID + "_security_group"
			g.add(&g.top, cp.ID+"_security_group", "OS::Neutron::SecurityGroup",
				mapping("description", text("What may pass "+cp.ID), "rules", rules[cp.ID]), g.nodeOf(cp.ID))
		}
	}
}

func (g *generator) securityRule(policy *value) *value {
	get := func(name string) *value {
		if v := resolveInput(g.root, policy.at("properties", name)); !v.isNull() {
			return v
		}
		return inheritedDefault(g.policyTypes, policy.at("type").str(), "properties", name)
	}
	rule := mapping("direction", text(cmp.Or(strings.ToLower(get("direction").str()), "ingress")))
	rule.set("ethertype", text(map[bool]string{
		true:  "IPv6",
		false: "IPv4",
	}[strings.EqualFold(get("ether_type").str(), "ipv6")]))
	// tcp is the default of SOL001.
	protocol := strings.ReplaceAll(strings.ToLower(cmp.Or(get("protocol").str(), "tcp")), "_", "-")
	rule.set("protocol", text(protocol))
	lowest, highest := g.port16(get("port_range_min"), 0), g.port16(get("port_range_max"), maxPort)
	if slices.Contains([]string{"tcp", "udp", "sctp", "dccp", "udp-lite"}, protocol) && (lowest > 0 || highest < maxPort) {
		rule.set("port_range_min", scalar("!!int", strconv.Itoa(max(1, lowest)))) // Neutron has no port 0
		rule.set("port_range_max", scalar("!!int", strconv.Itoa(highest)))
	}
	return rule
}

const maxPort = 65535

// port16 reads a 16-bit port number, as TCP and UDP have.
func (g *generator) port16(v *value, none int) int {
	if v.isNull() {
		return none
	}
	n, ok := v.number()
	if !ok || n < 0 || n > maxPort {
		g.problem(v.place(), "%s is not a port between 0 and %d", quoteName(v.str()), maxPort)
		return none
	}
	return n
}
