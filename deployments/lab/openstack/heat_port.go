package openstack

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

func (h heatResources) portRequest(i hot.Item) (portRequest, error) {
	p := i.Properties
	q := portRequest{
		Name: nameOf(i), MAC: str(p, "mac_address"), AdminUp: boolPtr(p, "admin_state_up"),
		PortSecurity: boolPtr(p, "port_security_enabled"),
	}
	pairs := []AddressPair{}
	for _, pair := range objects(p["allowed_address_pairs"]) {
		pairs = append(pairs, AddressPair{IP: str(pair, "ip_address"), MAC: str(pair, "mac_address")})
	}
	q.Pairs = &pairs
	var err error
	if q.QoSPolicy, err = h.policyPtr(i); err != nil {
		return q, err
	}
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
	if none := boolPtr(i.Properties, "no_fixed_ips"); none != nil && *none {
		q.FixedIPs = &[]wantedIP{}
		return nil
	}
	list := objects(i.Properties["fixed_ips"])
	if list == nil {
		return nil
	}
	q.FixedIPs = &[]wantedIP{}
	for _, ip := range list {
		entry := wantedIP{IP: str(ip, "ip_address")}
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
	p, err := record(h, ports, i)
	if err != nil {
		return nil, err
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
	return lookup(state.LoadAll(h.c.store, secgroups, ""), "security_group", value,
		func(g SecurityGroup) (string, string, bool) {
			return g.ID, g.Name, g.ProjectID == project
		})
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
	g, err := h.c.newGroup(i.UID, i.ProjectID, groupRequest{
		Name:        nameOf(i),
		Description: strPtr(i.Properties, "description"),
	}, h.groupRules(i))
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
