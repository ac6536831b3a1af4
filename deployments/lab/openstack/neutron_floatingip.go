package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// FloatingIP is a Neutron floating IP.
type FloatingIP struct {
	ID, Description, ProjectID, NetworkID string
	Address                               netip.Addr
	PortID, FixedIP, RouterID             string // set while associated
	NetworkOfFixed                        string
	Created, Updated                      time.Time
}

const floatingIPs = state.Table[FloatingIP]("neutron_floatingips")

func floatingIPView(f FloatingIP) object {
	status := "DOWN"
	if f.PortID != "" {
		status = "ACTIVE"
	}
	return object{
		"id": f.ID, "description": f.Description, "project_id": f.ProjectID, "tenant_id": f.ProjectID,
		"floating_network_id": f.NetworkID,
		"floating_ip_address": f.Address.String(), "port_id": orNil(f.PortID), "fixed_ip_address": orNil(f.FixedIP),
		"router_id": orNil(f.RouterID),
		"status":    status, "port_details": nil, "dns_name": "", "dns_domain": "", "qos_policy_id": nil,
		"port_forwardings": []object{},
		"revision_number":  1, "created_at": stamp(f.Created), "updated_at": stamp(f.Updated),
	}
}

func (c *Cloud) listFloatingIPs(r *request) []FloatingIP {
	return slices.DeleteFunc(state.LoadAll(c.store, floatingIPs, ""),
		func(f FloatingIP) bool { return !r.sees(f.ProjectID) })
}

func floatingIPNotFound(id string) error {
	return notFound("FloatingIPNotFound", "Floating IP %s could not be found", id)
}

func (c *Cloud) floatingIP(r *request, id string) (FloatingIP, error) {
	f, found := state.Load(c.store, floatingIPs, id)
	if !found || !r.sees(f.ProjectID) {
		return f, floatingIPNotFound(id)
	}
	return f, nil
}

type floatingIPRequest struct {
	Description *string `json:"description"`
	NetworkID   string  `json:"floating_network_id"`
	Address     string  `json:"floating_ip_address"`
	PortID      *string `json:"port_id"` // null disassociates it
	FixedIP     string  `json:"fixed_ip_address"`
}

func (c *Cloud) createFloatingIP(r *request, q floatingIPRequest) (FloatingIP, error) {
	return c.newFloatingIP(r.Context(), uuid.NewString(), r.project(), q)
}

// newFloatingIP makes a floating IP, or finds the floating IP that has the id already.
func (c *Cloud) newFloatingIP(ctx context.Context, id, project string, q floatingIPRequest) (FloatingIP, error) {
	f := FloatingIP{ID: id, ProjectID: project, NetworkID: q.NetworkID, Created: c.now(), Updated: c.now()}
	set(&f.Description, q.Description)
	err := c.store.Update(func(tx *state.Tx) error {
		if have, found := floatingIPs.Get(tx, id); found {
			f = have
			return nil
		}
		n, found := networks.Get(tx, q.NetworkID)
		if !found {
			return notFound("NetworkNotFound", "Network %s could not be found.", q.NetworkID)
		}
		s, has := firstIPv4(tx, n)
		if !n.External || !has {
			return badRequest("Bad floatingip request: Network %s is not a valid external network.", q.NetworkID)
		}
		if err := c.neutronQuota(tx, project, "floatingip"); err != nil {
			return err
		}
		// As in Neutron, the address belongs to a port of the external network.
		addr, err := takeAddress(tx, &s, q.Address)
		if err != nil {
			return err
		}
		f.Address = addr
		p := Port{
			ID: "fip-" + id, NetworkID: n.ID, MAC: randomMAC(), DeviceID: id, DeviceOwner: ownerFloating, Status: "N/A",
			FixedIPs: []FixedIP{{SubnetID: s.ID, IP: addr}}, AdminUp: true, Created: f.Created, Updated: f.Updated,
		}
		return errors.Join(subnets.Put(tx, s.ID, s), ports.Put(tx, p.ID, p), floatingIPs.Put(tx, id, f))
	})
	if err != nil || q.PortID == nil || *q.PortID == "" {
		return f, err
	}
	return c.associate(ctx, id, *q.PortID, q.FixedIP)
}

func (c *Cloud) updateFloatingIP(r *request, id string, q floatingIPRequest) (FloatingIP, error) {
	if f, err := c.floatingIP(r, id); err != nil {
		return f, err
	}
	port := ""
	set(&port, q.PortID)
	if port != "" {
		if _, err := c.port(r, port); err != nil {
			return FloatingIP{}, err
		}
	}
	f, err := c.associate(r.Context(), id, port, q.FixedIP)
	if err == nil && q.Description != nil {
		f, _, err = state.Change(c.store, floatingIPs, id,
			func(f *FloatingIP) error { f.Description = *q.Description; return nil })
	}
	return f, err
}

// associate associates a floating IP with a port; "" disassociates it.
func (c *Cloud) associate(ctx context.Context, id, portID, fixed string) (FloatingIP, error) {
	var f FloatingIP
	err := c.store.Update(func(tx *state.Tx) error {
		var found bool
		if f, found = floatingIPs.Get(tx, id); !found {
			return floatingIPNotFound(id)
		}
		f.PortID, f.FixedIP, f.RouterID, f.NetworkOfFixed, f.Updated = "", "", "", "", c.now()
		if portID != "" {
			if err := attachTo(tx, &f, portID, fixed); err != nil {
				return err
			}
		}
		return floatingIPs.Put(tx, id, f)
	})
	if err != nil {
		return f, err
	}
	if f.PortID == "" {
		if err := c.hypervisor.UnbindFloatingIP(ctx, id); err != nil && !lcm.Is(err, lcm.KindNotFound) {
			return f, hypervisorError(err)
		}
		return f, nil
	}
	return f, hypervisorError(c.hypervisor.BindFloatingIP(ctx, machineFloatingIP(f)))
}

func attachTo(tx *state.Tx, f *FloatingIP, portID, fixed string) error {
	p, found := ports.Get(tx, portID)
	if !found {
		return portNotFound(portID)
	}
	own := slices.IndexFunc(p.FixedIPs, func(ip FixedIP) bool {
		return ip.IP.Is4() &&
			(fixed == "" || fixed == ip.IP.String())
	})
	if own < 0 && fixed != "" {
		return badRequest("Bad floatingip request: Port %s does not have fixed ip %s.", portID, fixed)
	}
	if own < 0 {
		return badRequest("Bad floatingip request: Cannot add floating IP to port %s that has no fixed IPv4 addresses.",
			portID)
	}
	fixed = p.FixedIPs[own].IP.String()
	for _, other := range floatingIPs.All(tx) {
		if other.ID != f.ID && other.PortID == portID && other.FixedIP == fixed {
			return conflict("FloatingIPPortAlreadyAssociated", "Cannot associate floating IP %s (%s) with port %s using fixed "+
				"IP %s, as that fixed IP already has a floating IP on external network %s.", f.Address, f.ID, portID, fixed,
				f.NetworkID)
		}
	}
	rtr, found := routerTo(tx, p.NetworkID, f.NetworkID)
	if !found {
		return notFound("ExternalGatewayForFloatingIPNotFound", "External network %s is not reachable from subnet %s.  "+
			"Therefore, cannot associate Port %s with a Floating IP.", f.NetworkID, p.FixedIPs[0].SubnetID, portID)
	}
	f.PortID, f.FixedIP, f.RouterID, f.NetworkOfFixed = portID, fixed, rtr.ID, p.NetworkID
	return nil
}

func machineFloatingIP(f FloatingIP) machine.FloatingIP {
	return machine.FloatingIP{ID: f.ID, Address: f.Address.String(), FixedIP: f.FixedIP, NetworkID: f.NetworkOfFixed}
}

func (c *Cloud) recoverFloatingIPs(ctx context.Context) error {
	for _, f := range state.LoadAll(c.store, floatingIPs, "") {
		if f.PortID == "" {
			continue
		}
		if err := c.hypervisor.BindFloatingIP(ctx, machineFloatingIP(f)); err != nil {
			return fmt.Errorf("recover floating IP %s: %w", f.Address, err)
		}
	}
	return nil
}

func (c *Cloud) deleteFloatingIP(r *request, id string) error {
	if _, err := c.floatingIP(r, id); err != nil {
		return err
	}
	return c.dropFloatingIP(r.Context(), id)
}

func (c *Cloud) dropFloatingIP(ctx context.Context, id string) error {
	if err := c.hypervisor.UnbindFloatingIP(ctx, id); err != nil && !lcm.Is(err, lcm.KindNotFound) {
		return hypervisorError(err)
	}
	return c.store.Update(func(tx *state.Tx) error {
		return errors.Join(floatingIPs.Delete(tx, id), ports.Delete(tx, "fip-"+id), tags.Delete(tx, id))
	})
}
