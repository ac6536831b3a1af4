package openstack

import (
	"context"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

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
	rtr, err := record(h, routers, i)
	if err == nil {
		err = h.c.applyRouter(&rtr, q)
	}
	if err != nil {
		return err
	}
	return state.Save(h.c.store, routers, rtr.ID, rtr)
}

func (h heatResources) removeRouter(_ context.Context, i hot.Item) error {
	return h.c.dropRouter(i.ID())
}

// createInterface returns the id "router:subnet_id=subnet", as Heat does.
func (h heatResources) createInterface(ctx context.Context, i hot.Item) (string, error) {
	id, err := lookup(state.LoadAll(h.c.store, routers, ""), "router", str(i.Properties, "router", "router_id"),
		func(r Router) (string, string, bool) {
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
		NetworkID: network, Address: str(p, "floating_ip_address"), PortID: strPtr(p, "port_id"),
		FixedIP: str(p, "fixed_ip_address"),
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
