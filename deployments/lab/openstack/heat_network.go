package openstack

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// nameOf gives a resource its full name when the template gives none.
func nameOf(i hot.Item) *string {
	if name := str(i.Properties, "name"); name != "" {
		return &name
	}
	return new(i.FullName)
}

// attributesOf makes attributes of a view: its fields, and all of it as "show". It goes through JSON, so
// that templates can walk what the view holds.
func attributesOf(view object) map[string]any {
	show, out := generic(view), generic(view)
	out["show"] = show
	return out
}

func generic(view object) map[string]any {
	out := map[string]any{}
	if b, err := json.Marshal(view); err == nil {
		_ = json.Unmarshal(b, &out) // what was just marshalled
	}
	return out
}

func (h heatResources) tag(i hot.Item, id string) error {
	if list := texts(i.Properties["tags"]); list != nil {
		return state.Save(h.c.store, tags, id, list)
	}
	return nil
}

func netRequest(i hot.Item) networkRequest {
	p := i.Properties
	return networkRequest{Name: nameOf(i), AdminUp: boolPtr(p, "admin_state_up"), Shared: boolPtr(p, "shared"), PortSecurity: boolPtr(p, "port_security_enabled")}
}

func (h heatResources) createNet(_ context.Context, i hot.Item) (string, error) {
	n, err := h.c.newNetwork(i.UID, i.ProjectID, netRequest(i))
	if err != nil {
		return "", err
	}
	return n.ID, h.tag(i, n.ID)
}

func (h heatResources) updateNet(_ context.Context, i hot.Item, _ map[string]any) error {
	_, _, err := state.Change(h.c.store, networks, i.ID(), func(n *Network) error { netRequest(i).apply(n); return nil })
	return err
}

func (h heatResources) removeNet(ctx context.Context, i hot.Item) error {
	return h.c.dropNetwork(ctx, i.ID())
}

func (h heatResources) netAttributes(i hot.Item) (map[string]any, error) {
	n, found := state.Load(h.c.store, networks, i.ID())
	if !found {
		return nil, notFound("NetworkNotFound", "Network %s could not be found.", i.ID())
	}
	out := attributesOf(networkView(n))
	out["segments"] = []any{}
	return out, nil
}

func (h heatResources) subnetRequest(i hot.Item) (subnetRequest, error) {
	p := i.Properties
	q := subnetRequest{Name: nameOf(i), CIDR: str(p, "cidr"), IPVersion: hot.Int(p["ip_version"], 4), DHCP: boolPtr(p, "enable_dhcp")}
	if dns := texts(p["dns_nameservers"]); dns != nil {
		q.DNS = &dns
	}
	// In Heat an empty string means a subnet without a gateway.
	if gateway, given := p["gateway_ip"]; given {
		q.Gateway = json.RawMessage("null")
		if text := fmt.Sprint(gateway); text != "" {
			q.Gateway, _ = json.Marshal(text) // a string always marshals
		}
	}
	if pools, err := json.Marshal(p["allocation_pools"]); err == nil {
		if err := json.Unmarshal(pools, &q.Pools); err != nil {
			return q, badRequest("Invalid input for allocation_pools: %v", err)
		}
	}
	var err error
	q.NetworkID, err = h.networkID(i.ProjectID, str(p, "network", "network_id"))
	return q, err
}

func (h heatResources) createSubnet(ctx context.Context, i hot.Item) (string, error) {
	q, err := h.subnetRequest(i)
	if err != nil {
		return "", err
	}
	s, err := h.c.newSubnetOn(ctx, i.UID, i.ProjectID, q)
	if err != nil {
		return s.ID, err
	}
	return s.ID, h.tag(i, s.ID)
}

func (h heatResources) updateSubnet(_ context.Context, i hot.Item, _ map[string]any) error {
	q, err := h.subnetRequest(i)
	if err != nil {
		return err
	}
	_, _, err = state.Change(h.c.store, subnets, i.ID(), func(s *Subnet) error { return q.apply(s) })
	return err
}

func (h heatResources) removeSubnet(ctx context.Context, i hot.Item) error {
	return h.c.dropSubnet(ctx, i.ID())
}

func (h heatResources) subnetAttributes(i hot.Item) (map[string]any, error) {
	s, found := state.Load(h.c.store, subnets, i.ID())
	if !found {
		return nil, notFound("SubnetNotFound", "Subnet %s could not be found.", i.ID())
	}
	return attributesOf(subnetView(s)), nil
}

func (h heatResources) portRequest(i hot.Item) (portRequest, error) {
	p := i.Properties
	q := portRequest{Name: nameOf(i), MAC: str(p, "mac_address"), AdminUp: boolPtr(p, "admin_state_up"), PortSecurity: boolPtr(p, "port_security_enabled")}
	pairs := []AddressPair{}
	for _, pair := range objects(p["allowed_address_pairs"]) {
		pairs = append(pairs, AddressPair{IP: str(pair, "ip_address"), MAC: str(pair, "mac_address")})
	}
	q.Pairs = &pairs
	var err error
	if q.NetworkID, err = h.networkID(i.ProjectID, str(p, "network", "network_id")); err != nil {
		return q, err
	}
	if groups := texts(p["security_groups"]); groups != nil {
		ids := []string{}
		for _, g := range groups {
			id, err := h.groupID(i.ProjectID, g)
			if err != nil {
				return q, err
			}
			ids = append(ids, id)
		}
		q.SecurityGroups = &ids
	}
	return q, h.fixedIPs(i, &q)
}

func (h heatResources) fixedIPs(i hot.Item, q *portRequest) error {
	list := objects(i.Properties["fixed_ips"])
	if list == nil {
		return nil
	}
	q.FixedIPs = &[]struct {
		SubnetID string `json:"subnet_id"`
		IP       string `json:"ip_address"`
	}{}
	for _, ip := range list {
		entry := struct {
			SubnetID string `json:"subnet_id"`
			IP       string `json:"ip_address"`
		}{IP: str(ip, "ip_address")}
		if subnet := str(ip, "subnet", "subnet_id"); subnet != "" {
			var err error
			if entry.SubnetID, err = h.subnetID(i.ProjectID, subnet); err != nil {
				return err
			}
		}
		*q.FixedIPs = append(*q.FixedIPs, entry)
	}
	return nil
}

func (h heatResources) createPort(_ context.Context, i hot.Item) (string, error) {
	q, err := h.portRequest(i)
	if err != nil {
		return "", err
	}
	var p Port
	err = h.c.store.Update(func(tx *state.Tx) error {
		var err error
		p, err = h.c.newPort(tx, i.UID, i.ProjectID, q)
		return err
	})
	if err != nil {
		return "", err
	}
	return p.ID, h.tag(i, p.ID)
}

func (h heatResources) updatePort(ctx context.Context, i hot.Item, _ map[string]any) error {
	q, err := h.portRequest(i)
	if err != nil {
		return err
	}
	_, err = h.c.changePort(ctx, i.ID(), q)
	return err
}

func (h heatResources) removePort(ctx context.Context, i hot.Item) error {
	return h.c.dropPort(ctx, i.ID())
}

func (h heatResources) portAttributes(i hot.Item) (map[string]any, error) {
	p, found := state.Load(h.c.store, ports, i.ID())
	if !found {
		return nil, portNotFound(i.ID())
	}
	out := attributesOf(portView(p))
	nets := []any{}
	for _, ip := range p.FixedIPs {
		if s, found := state.Load(h.c.store, subnets, ip.SubnetID); found {
			nets = append(nets, attributesOf(subnetView(s))["show"])
		}
	}
	out["subnets"], out["network"] = nets, map[string]any{}
	if n, found := state.Load(h.c.store, networks, p.NetworkID); found {
		out["network"] = attributesOf(networkView(n))["show"]
	}
	return out, nil
}

func (h heatResources) groupID(project, value string) (string, error) {
	if value == "default" {
		var g SecurityGroup
		err := h.c.store.Update(func(tx *state.Tx) (err error) { g, err = h.c.defaultGroup(tx, project); return err })
		return g.ID, err
	}
	return lookup(state.LoadAll(h.c.store, secgroups, ""), "security_group", value, func(g SecurityGroup) (string, string, bool) {
		return g.ID, g.Name, g.ProjectID == project
	})
}

func (h heatResources) routerRequest(i hot.Item) (routerRequest, error) {
	q := routerRequest{Name: nameOf(i), AdminUp: boolPtr(i.Properties, "admin_state_up")}
	info, given := i.Properties["external_gateway_info"].(map[string]any)
	if !given {
		return q, nil
	}
	id, err := h.networkID(i.ProjectID, str(info, "network"))
	q.Gateway = &struct {
		NetworkID string `json:"network_id"`
	}{id}
	return q, err
}

func (h heatResources) createRouter(_ context.Context, i hot.Item) (string, error) {
	q, err := h.routerRequest(i)
	if err != nil {
		return "", err
	}
	rtr, err := h.c.newRouter(i.UID, i.ProjectID, q)
	return rtr.ID, err
}

func (h heatResources) updateRouter(_ context.Context, i hot.Item, _ map[string]any) error {
	q, err := h.routerRequest(i)
	if err != nil {
		return err
	}
	rtr, found := state.Load(h.c.store, routers, i.ID())
	if !found {
		return notFound("RouterNotFound", "Router %s could not be found", i.ID())
	}
	if err := h.c.applyRouter(&rtr, q); err != nil {
		return err
	}
	return state.Save(h.c.store, routers, rtr.ID, rtr)
}

func (h heatResources) removeRouter(_ context.Context, i hot.Item) error {
	return h.c.dropRouter(i.ID())
}

func (h heatResources) routerAttributes(i hot.Item) (map[string]any, error) {
	rtr, found := state.Load(h.c.store, routers, i.ID())
	if !found {
		return nil, notFound("RouterNotFound", "Router %s could not be found", i.ID())
	}
	return attributesOf(routerView(rtr)), nil
}

// createInterface has the id "router:subnet_id=subnet", as in Heat.
func (h heatResources) createInterface(ctx context.Context, i hot.Item) (string, error) {
	id, err := lookup(state.LoadAll(h.c.store, routers, ""), "router", str(i.Properties, "router", "router_id"), func(r Router) (string, string, bool) {
		return r.ID, r.Name, r.ProjectID == i.ProjectID
	})
	if err != nil {
		return "", err
	}
	subnet, err := h.subnetID(i.ProjectID, str(i.Properties, "subnet", "subnet_id"))
	if err != nil {
		return "", err
	}
	physical := id + ":subnet_id=" + subnet
	for _, p := range state.LoadAll(h.c.store, ports, "") {
		if p.DeviceID == id && p.DeviceOwner == ownerRouter && p.FixedIPs[0].SubnetID == subnet {
			return physical, h.c.ensureSegment(ctx, p.NetworkID)
		}
	}
	rtr, _ := state.Load(h.c.store, routers, id)
	if _, err := h.c.plug(ctx, rtr, subnet); err != nil {
		return "", err
	}
	return physical, nil
}

func (h heatResources) removeInterface(ctx context.Context, i hot.Item) error {
	id, subnet, _ := strings.Cut(i.Physical, ":subnet_id=")
	_, err := h.c.unplug(ctx, id, interfaceRequest{SubnetID: subnet})
	return err
}

func (h heatResources) createFloatingIP(ctx context.Context, i hot.Item) (string, error) {
	p := i.Properties
	network, err := h.networkID(i.ProjectID, str(p, "floating_network", "floating_network_id"))
	if err != nil {
		return "", err
	}
	f, err := h.c.newFloatingIP(ctx, i.UID, i.ProjectID, floatingIPRequest{
		NetworkID: network, Address: str(p, "floating_ip_address"), PortID: strPtr(p, "port_id"), FixedIP: str(p, "fixed_ip_address"),
	})
	return f.ID, err
}

func (h heatResources) updateFloatingIP(ctx context.Context, i hot.Item, _ map[string]any) error {
	_, err := h.c.associate(ctx, i.ID(), str(i.Properties, "port_id"), str(i.Properties, "fixed_ip_address"))
	return err
}

func (h heatResources) removeFloatingIP(ctx context.Context, i hot.Item) error {
	return h.c.dropFloatingIP(ctx, i.ID())
}

func (h heatResources) floatingIPAttributes(i hot.Item) (map[string]any, error) {
	f, found := state.Load(h.c.store, floatingIPs, i.ID())
	if !found {
		return nil, floatingIPNotFound(i.ID())
	}
	return attributesOf(floatingIPView(f)), nil
}

func (h heatResources) createAssociation(ctx context.Context, i hot.Item) (string, error) {
	id := str(i.Properties, "floatingip_id")
	if _, err := h.c.associate(ctx, id, str(i.Properties, "port_id"), str(i.Properties, "fixed_ip_address")); err != nil {
		return "", err
	}
	return id + ":" + str(i.Properties, "port_id"), nil
}

func (h heatResources) updateAssociation(ctx context.Context, i hot.Item, old map[string]any) error {
	if before := str(old, "floatingip_id"); before != str(i.Properties, "floatingip_id") {
		if _, err := h.c.associate(ctx, before, "", ""); err != nil {
			return err
		}
	}
	_, err := h.createAssociation(ctx, i)
	return err
}

func (h heatResources) removeAssociation(ctx context.Context, i hot.Item) error {
	if i.Physical == "" {
		return nil // it was never made; the address may serve something else
	}
	_, err := h.c.associate(ctx, str(i.Properties, "floatingip_id"), "", "")
	return err
}

func (h heatResources) groupRules(i hot.Item) []SecurityRule {
	var out []SecurityRule
	for _, rule := range objects(i.Properties["rules"]) {
		r := SecurityRule{
			Direction: str(rule, "direction"), EtherType: str(rule, "ethertype"), Protocol: strPtr(rule, "protocol"),
			RemotePrefix: strPtr(rule, "remote_ip_prefix"), RemoteGroup: strPtr(rule, "remote_group_id"),
		}
		if v, given := rule["port_range_min"]; given {
			r.PortMin = new(hot.Int(v, 0))
		}
		if v, given := rule["port_range_max"]; given {
			r.PortMax = new(hot.Int(v, 0))
		}
		out = append(out, r)
	}
	return out
}

func (h heatResources) createGroup(_ context.Context, i hot.Item) (string, error) {
	g, err := h.c.newGroup(i.UID, i.ProjectID, groupRequest{Name: nameOf(i), Description: strPtr(i.Properties, "description")}, h.groupRules(i))
	return g.ID, err
}

func (h heatResources) updateGroup(_ context.Context, i hot.Item, _ map[string]any) error {
	_, _, err := state.Change(h.c.store, secgroups, i.ID(), func(g *SecurityGroup) error {
		set(&g.Name, nameOf(i))
		set(&g.Description, strPtr(i.Properties, "description"))
		g.Rules = slices.DeleteFunc(g.Rules, func(r SecurityRule) bool { return r.Direction != "egress" })
		for _, rule := range h.groupRules(i) {
			g.Rules = append(g.Rules, h.c.finishRule(rule, *g))
		}
		return nil
	})
	return err
}

func (h heatResources) removeGroup(_ context.Context, i hot.Item) error { return h.c.dropGroup(i.ID()) }

func (h heatResources) groupAttributes(i hot.Item) (map[string]any, error) {
	g, found := state.Load(h.c.store, secgroups, i.ID())
	if !found {
		return nil, notFound("SecurityGroupNotFound", "Security group %s does not exist", i.ID())
	}
	return attributesOf(groupView(g)), nil
}
