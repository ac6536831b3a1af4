package openstack

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// nameOf returns the resource's name: the template's or, without one, the full name.
func nameOf(i hot.Item) *string {
	if name := str(i.Properties, "name"); name != "" {
		return &name
	}
	return new(i.FullName)
}

// attributesOf makes attributes from a view: its fields, and the whole view as "show". It converts the view through
// JSON, so that templates can follow a path in it.
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

// record reads the cloud's record of a resource.
func record[T any](h heatResources, table state.Table[T], i hot.Item) (T, error) {
	v, found := state.Load(h.c.store, table, i.ID())
	if !found {
		return v, notFound("NotFound", "The %s (%s) could not be found.", i.Type, i.ID())
	}
	return v, nil
}

// attributesIn returns the function that reads the attributes of a type: the fields of its records' view.
func attributesIn[T any](
	h heatResources, table state.Table[T], view func(T) object,
) func(hot.Item) (map[string]any, error) {
	return func(i hot.Item) (map[string]any, error) {
		v, err := record(h, table, i)
		return attributesOf(view(v)), err
	}
}

func (h heatResources) tag(i hot.Item, id string) error {
	if list := texts(i.Properties["tags"]); list != nil {
		return state.Save(h.c.store, tags, id, list)
	}
	return nil
}

func (h heatResources) netRequest(i hot.Item) (networkRequest, error) {
	p := i.Properties
	q := networkRequest{
		Name: nameOf(i), AdminUp: boolPtr(p, "admin_state_up"), Shared: boolPtr(p, "shared"),
		PortSecurity: boolPtr(p, "port_security_enabled"),
	}
	var err error
	q.QoSPolicy, err = h.policyPtr(i)
	return q, err
}

func (h heatResources) createNet(_ context.Context, i hot.Item) (string, error) {
	q, err := h.netRequest(i)
	if err != nil {
		return "", err
	}
	n, err := h.c.newNetwork(i.UID, i.ProjectID, q)
	if err != nil {
		return "", err
	}
	return n.ID, h.tag(i, n.ID)
}

func (h heatResources) updateNet(_ context.Context, i hot.Item, _ map[string]any) error {
	q, err := h.netRequest(i)
	if err != nil {
		return err
	}
	_, _, err = state.Change(h.c.store, networks, i.ID(), func(n *Network) error { q.apply(n); return nil })
	return err
}

func (h heatResources) removeNet(ctx context.Context, i hot.Item) error {
	return h.c.dropNetwork(ctx, i.ID())
}

func (h heatResources) netAttributes(i hot.Item) (map[string]any, error) {
	n, err := record(h, networks, i)
	out := attributesOf(networkView(n))
	out["segments"] = []any{}
	return out, err
}

func (h heatResources) subnetRequest(i hot.Item) (subnetRequest, error) {
	p := i.Properties
	q := subnetRequest{
		Name: nameOf(i), CIDR: str(p, "cidr"), IPVersion: hot.Int(p["ip_version"], 4), DHCP: boolPtr(p, "enable_dhcp"),
		AddressMode: str(p, "ipv6_address_mode"), RAMode: str(p, "ipv6_ra_mode"),
	}
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
