package openstack

import (
	"net/netip"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Network is a Neutron network. On the lab's hypervisors it is a layer 2 segment.
type Network struct {
	ID, Name, Description, ProjectID        string
	Shared, External, AdminUp, PortSecurity bool
	QoSPolicyID                             string
	SubnetIDs                               []string
	Created, Updated                        time.Time
}

// Subnet is a Neutron subnet.
type Subnet struct {
	ID, Name, Description, NetworkID, ProjectID string
	CIDR                                        netip.Prefix
	Gateway                                     netip.Addr // zero: none
	First, Last                                 netip.Addr // the allocation pool
	// Next is where the search for a free address begins. The search tries a freed address last, so that clients do not
	// mistake a new machine for an old one.
	Next netip.Addr
	DHCP bool
	DNS  []string
	// AddressMode and RAMode are the IPv6 modes, "" for none.
	AddressMode, RAMode string
	Created, Updated    time.Time
}

// FixedIP is an address of a port.
type FixedIP struct {
	SubnetID string
	IP       netip.Addr
}

// AddressPair is one of a port's allowed_address_pairs.
type AddressPair struct {
	IP  string `json:"ip_address"`
	MAC string `json:"mac_address"`
}

// Port is a Neutron port.
type Port struct {
	ID, Name, Description, NetworkID, ProjectID, MAC string
	FixedIPs                                         []FixedIP
	Pairs                                            []AddressPair
	SecurityGroups                                   []string
	NoSecurity                                       bool // port_security_enabled: false
	NoAddress                                        bool // ip_allocation: none
	DeviceID, DeviceOwner, Host, Status              string
	AdminUp                                          bool
	QoSPolicyID                                      string
	Created, Updated                                 time.Time
}

// The owners of ports.
const (
	ownerRouter   = "network:router_interface"
	ownerFloating = "network:floatingip"
	ownerServer   = "compute:nova"
)

const (
	networks = state.Table[Network]("neutron_networks")
	subnets  = state.Table[Subnet]("neutron_subnets")
	ports    = state.Table[Port]("neutron_ports")
	tags     = state.Table[[]string]("neutron_tags")
)

func (rt *router) neutron() {
	c := rt.c
	rt.roots(neutron, func(*request) (reply, error) {
		return ok(object{"versions": []object{{
			"id": "v2.0", "status": "CURRENT", "links": []object{{"rel": "self", "href": c.cfg.Endpoint + "/networking/v2.0/"}},
		}}})
	}, "", "/{$}")
	rt.roots(neutron, func(*request) (reply, error) { return ok(object{"resources": []object{}}) }, "/v2.0", "/v2.0/{$}")
	rt.on(neutron, "GET /v2.0/extensions", listExtensions)
	rt.on(neutron, "GET /v2.0/extensions/{alias}", showExtension)
	register(rt, collection[Network, networkRequest]{
		"networks", "network", c.listNetworks, c.network, networkView, c.createNetwork, c.updateNetwork, c.deleteNetwork,
	})
	register(rt, collection[Subnet, subnetRequest]{
		"subnets", "subnet", c.listSubnets, c.subnet, subnetView, c.createSubnet, c.updateSubnet, c.deleteSubnet,
	})
	register(rt, collection[Port, portRequest]{
		"ports", "port", c.listPorts, c.port, portView, c.createPort, c.updatePort, c.deletePort,
	})
	register(rt, collection[Router, routerRequest]{
		"routers", "router", c.listRouters, c.router, routerView, c.createRouter, c.updateRouter, c.deleteRouter,
	})
	register(rt, collection[FloatingIP, floatingIPRequest]{
		"floatingips", "floatingip", c.listFloatingIPs, c.floatingIP, floatingIPView, c.createFloatingIP, c.updateFloatingIP,
		c.deleteFloatingIP,
	})
	register(rt, collection[SecurityGroup, groupRequest]{
		"security-groups", "security_group", c.listGroups, c.group, groupView, c.createGroup, c.updateGroup, c.deleteGroup,
	})
	register(rt, collection[SecurityRule, SecurityRule]{
		"security-group-rules", "security_group_rule", c.listRules, c.rule, ruleView, c.createRule, nil, c.deleteRule,
	})
	register(rt, collection[QoSPolicy, policyRequest]{
		"qos/policies", "policy", c.listPolicies, c.policy, policyView, c.createPolicy, c.updatePolicy, c.deletePolicy,
	})
	rt.bandwidthLimits()
	rt.on(neutron, "PUT /v2.0/routers/{id}/add_router_interface", given("", c.addInterface))
	rt.on(neutron, "PUT /v2.0/routers/{id}/remove_router_interface", given("", c.removeInterface))
	// Some clients write this path with an underscore.
	rt.tagsOf("/v2.0/security_groups/{id}/tags", func(r *request) error {
		_, err := c.group(r, r.PathValue("id"))
		return err
	})
	rt.neutronQuotas()
}

// extensions are the Neutron extensions that the lab implements.
var extensions = []string{
	"allowed-address-pairs", "external-net", "port-security", "qos", "quotas", "quota_details",
	"router", "security-group", "standard-attr-tag", "standard-attr-description", "standard-attr-timestamp",
	"subnet_allocation", "binding",
}

func extensionView(alias string) object {
	return object{
		"alias": alias, "name": alias, "description": "", "updated": "2020-01-01T00:00:00-00:00", "links": []object{},
	}
}

func listExtensions(*request) (reply, error) {
	return ok(object{"extensions": views(extensions, func(string) bool { return true }, extensionView)})
}

func showExtension(r *request) (reply, error) {
	alias := r.PathValue("alias")
	if !slices.Contains(extensions, alias) {
		return reply{}, notFound("NotFound", "Extension with alias %s does not exist", alias)
	}
	return ok(object{"extension": extensionView(alias)})
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// stampOrNil is null for the zero time.
func stampOrNil(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return stamp(t)
}
