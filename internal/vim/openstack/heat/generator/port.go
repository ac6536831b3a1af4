package generator

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// port makes the port of a connection point. multiplied is set if several VNFCs have such a port each.
func (g *generator) port(s *scope, cp descriptor.VduCp, multiplied bool) {
	node := g.nodeOf(cp.ID)
	properties := document.Mapping()
	if link, ok := g.flavour.VirtualLink(cp.VirtualLink); ok {
		properties.Set("network", s.take(link.ID+"_network", "string", getResource(link.ID)))
		g.waitFor(s, g.subnets[link.ID]...)
		if len(g.subnets[link.ID]) == 0 && onlyEthernet(cp) {
			properties.Set("no_fixed_ips", document.Scalar("!!bool", "true"))
		}
		if addresses := g.fixedAddresses(node); len(addresses.Items) > 0 && multiplied {
			g.Warn(node.Place(), "the fixed addresses of %s are not used: several VNFCs would have the same "+
				"addresses", cp.ID)
		} else if len(addresses.Items) > 0 {
			properties.Set("fixed_ips", addresses)
		}
	} else {
		properties.Set("network", s.take(cp.ID+"_network", "string", getParam("nfv", "CP", cp.ID, "network")))
		properties.Set("fixed_ips", s.take(cp.ID+"_fixed_ips", "json", getParam("nfv", "CP", cp.ID, "fixed_ips")))
		properties.Set("mac_address", s.optional(cp.ID+"_has_mac_address", cp.ID+"_mac_address",
			getParam("nfv", "CP", cp.ID, "mac_address")))
	}
	if group := g.securityGroups[cp.ID]; group != "" {
		properties.Set("security_groups", sequence(s.take(cp.ID+"_security_group", "string", getResource(group))))
	}
	pairs := lines()
	for _, vip := range g.vips[cp.ID] {
		address := calls(
			"get_attr", sequence(text(vip), text("fixed_ips"), document.Scalar("!!int", "0"), text("ip_address")),
		)
		pairs.Items = append(pairs.Items, document.Mapping("ip_address", s.take(vip+"_address", "string", address)))
	}
	if len(pairs.Items) > 0 {
		properties.Set("allowed_address_pairs", pairs)
	}
	if vnic := g.Property(node, "vnic_type"); vnic.Str() != "" && vnic.Str() != "normal" {
		properties.Set("binding:vnic_type", text(vnic.Str()))
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
func (g *generator) fixedAddresses(node *document.Value) *document.Value {
	out := lines()
	for _, protocol := range g.Property(node, "protocol").List() {
		for _, data := range protocol.At("address_data").List() {
			for _, address := range data.At("l3_address_data", "fixed_ip_address").Words() {
				out.Items = append(out.Items, document.Mapping("ip_address", text(address)))
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
		switch standard := g.BuiltinType(node.At("type").Str()); {
		case standard == tosca.TypeVipCp:
			for _, req := range g.Requirements(node) {
				if req.Name == "target" {
					g.vips[req.Target] = append(g.vips[req.Target], cp.ID)
				}
			}
			g.port(&g.top, cp, false)
		case cp.VduID == "":
			g.Warn(node.Place(), "no port is made of %s: no requirement virtual_binding names its VDU", cp.ID)
		}
	}
}

// security makes a security group for each connection point from its rules (SecurityGroupRule policies, SOL001 clause
// 6.10.10).
func (g *generator) security() {
	rules := map[string]*document.Value{}
	for name, policy := range g.Root.At("policies").Named() {
		if tosca.Builtin(g.PolicyTypes, policy.At("type").Str()) != tosca.PolicyPrefix+"SecurityGroupRule" {
			continue
		}
		for _, target := range policy.At("targets").Words() {
			if _, ok := g.flavour.Cp(target); !ok {
				g.Problem(policy.At("targets").Place(), "the policy %s is for connection points, but %s is not a "+
					"connection point", name, document.Quote(target))
				continue
			}
			if rules[target] == nil {
				rules[target] = lines()
			}
			rules[target].Items = append(rules[target].Items, g.securityRule(policy))
		}
	}
	for _, cp := range g.flavour.Cps {
		if rules[cp.ID] != nil {
			g.securityGroups[cp.ID] = cp.ID + "_security_group"
			g.add(&g.top, cp.ID+"_security_group", "OS::Neutron::SecurityGroup",
				document.Mapping("description", text("What may pass "+cp.ID), "rules", rules[cp.ID]), g.nodeOf(cp.ID))
		}
	}
}

func (g *generator) securityRule(policy *document.Value) *document.Value {
	get := func(name string) *document.Value {
		if v := tosca.ResolveInput(g.Root, policy.At("properties", name)); !v.IsNull() {
			return v
		}
		return tosca.InheritedDefault(g.PolicyTypes, policy.At("type").Str(), "properties", name)
	}
	rule := document.Mapping("direction", text(cmp.Or(strings.ToLower(get("direction").Str()), "ingress")))
	rule.Set("ethertype", text(map[bool]string{
		true:  "IPv6",
		false: "IPv4",
	}[strings.EqualFold(get("ether_type").Str(), "ipv6")]))
	// tcp is the default of SOL001.
	protocol := strings.ReplaceAll(strings.ToLower(cmp.Or(get("protocol").Str(), "tcp")), "_", "-")
	rule.Set("protocol", text(protocol))
	lowest, highest := g.port16(get("port_range_min"), 0), g.port16(get("port_range_max"), maxPort)
	if slices.Contains([]string{"tcp", "udp", "sctp", "dccp", "udp-lite"}, protocol) && (lowest > 0 || highest < maxPort) {
		rule.Set("port_range_min", document.Scalar("!!int", strconv.Itoa(max(1, lowest)))) // Neutron has no port 0
		rule.Set("port_range_max", document.Scalar("!!int", strconv.Itoa(highest)))
	}
	return rule
}

const maxPort = 65535

// port16 reads a 16-bit port number, as TCP and UDP have.
func (g *generator) port16(v *document.Value, none int) int {
	if v.IsNull() {
		return none
	}
	n, ok := v.Number()
	if !ok || n < 0 || n > maxPort {
		g.Problem(v.Place(), "%s is not a port between 0 and %d", document.Quote(v.Str()), maxPort)
		return none
	}
	return n
}
