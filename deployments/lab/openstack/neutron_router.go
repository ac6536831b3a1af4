package openstack

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Router is a Neutron router. The lab has a single router on the host for all of them. It routes between all networks
// that have a router interface.
type Router struct {
	ID, Name, Description, ProjectID, ExternalNetwork string
	AdminUp                                           bool
	Created, Updated                                  time.Time
}

const routers = state.Table[Router]("neutron_routers")

func routerView(rtr Router) object {
	var gateway any
	if rtr.ExternalNetwork != "" {
		gateway = object{"network_id": rtr.ExternalNetwork, "enable_snat": false, "external_fixed_ips": []object{}}
	}
	return object{
		"id": rtr.ID, "name": rtr.Name, "description": rtr.Description, "project_id": rtr.ProjectID,
		"tenant_id": rtr.ProjectID, "admin_state_up": rtr.AdminUp, "status": "ACTIVE", "external_gateway_info": gateway,
		"routes": []object{}, "distributed": false, "ha": false, "availability_zones": []string{"nova"},
		"availability_zone_hints": []string{}, "revision_number": 1, "created_at": stamp(rtr.Created),
		"updated_at": stamp(rtr.Updated),
	}
}

func (c *Cloud) listRouters(r *request) []Router {
	return slices.DeleteFunc(state.LoadAll(c.store, routers, ""), func(rtr Router) bool { return !r.sees(rtr.ProjectID) })
}

func (c *Cloud) router(r *request, id string) (Router, error) {
	rtr, found := state.Load(c.store, routers, id)
	if !found || !r.sees(rtr.ProjectID) {
		return rtr, notFound("RouterNotFound", "Router %s could not be found", id)
	}
	return rtr, nil
}

type routerRequest struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
	AdminUp     *bool   `json:"admin_state_up"`
	Gateway     *struct {
		NetworkID string `json:"network_id"`
	} `json:"external_gateway_info"`
}

func (c *Cloud) applyRouter(rtr *Router, q routerRequest) error {
	set(&rtr.Name, q.Name)
	set(&rtr.Description, q.Description)
	set(&rtr.AdminUp, q.AdminUp)
	rtr.Updated = c.now()
	if q.Gateway == nil {
		return nil
	}
	if id := q.Gateway.NetworkID; id != "" {
		n, found := state.Load(c.store, networks, id)
		if !found {
			return notFound("NetworkNotFound", "Network %s could not be found.", id)
		}
		if !n.External {
			return badRequest("Bad router request: Network %s is not an external network.", id)
		}
	}
	rtr.ExternalNetwork = q.Gateway.NetworkID
	return nil
}

func (c *Cloud) createRouter(r *request, q routerRequest) (Router, error) {
	return c.newRouter(uuid.NewString(), r.project(), q)
}

func (c *Cloud) newRouter(id, project string, q routerRequest) (Router, error) {
	rtr := Router{ID: id, ProjectID: project, AdminUp: true, Created: c.now()}
	if err := c.applyRouter(&rtr, q); err != nil {
		return rtr, err
	}
	err := c.store.Update(func(tx *state.Tx) error {
		if have, found := routers.Get(tx, id); found {
			rtr = have
			return nil
		}
		if err := c.neutronQuota(tx, project, "router"); err != nil {
			return err
		}
		return routers.Put(tx, id, rtr)
	})
	return rtr, err
}

func (c *Cloud) updateRouter(r *request, id string, q routerRequest) (Router, error) {
	rtr, err := c.router(r, id)
	if err == nil {
		err = c.applyRouter(&rtr, q)
	}
	if err != nil {
		return rtr, err
	}
	return rtr, state.Save(c.store, routers, id, rtr)
}

func (c *Cloud) deleteRouter(r *request, id string) error {
	if _, err := c.router(r, id); err != nil {
		return err
	}
	return c.dropRouter(id)
}

func (c *Cloud) dropRouter(id string) error {
	for _, p := range state.LoadAll(c.store, ports, "") {
		if p.DeviceID == id && p.DeviceOwner == ownerRouter {
			return conflict("RouterInUse", "Router %s still has ports", id)
		}
	}
	return c.store.Update(func(tx *state.Tx) error { return errors.Join(routers.Delete(tx, id), tags.Delete(tx, id)) })
}

type interfaceRequest struct {
	SubnetID string `json:"subnet_id"`
	PortID   string `json:"port_id"`
}

func interfaceView(router string, p Port) object {
	return object{
		"id": router, "port_id": p.ID, "subnet_id": p.FixedIPs[0].SubnetID, "subnet_ids": []string{p.FixedIPs[0].SubnetID},
		"network_id": p.NetworkID, "tenant_id": p.ProjectID, "project_id": p.ProjectID,
	}
}

func (c *Cloud) addInterface(r *request, q interfaceRequest) (reply, error) {
	rtr, err := c.router(r, r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	if q.PortID != "" {
		return reply{}, badRequest("The lab adds router interfaces only by subnet_id.")
	}
	if _, err := c.subnet(r, q.SubnetID); err != nil {
		return reply{}, err
	}
	p, err := c.plug(r.Context(), rtr, q.SubnetID)
	if err != nil {
		return reply{}, err
	}
	return ok(interfaceView(rtr.ID, p))
}

// plug gives a router the gateway address of a subnet.
func (c *Cloud) plug(ctx context.Context, rtr Router, subnetID string) (Port, error) {
	s, found := state.Load(c.store, subnets, subnetID)
	if !found {
		return Port{}, notFound("SubnetNotFound", "Subnet %s could not be found.", subnetID)
	}
	if !s.Gateway.IsValid() {
		return Port{}, badRequest("Bad router request: Subnet for router interface must have a gateway IP.")
	}
	now := c.now()
	p := Port{
		ID: uuid.NewString(), NetworkID: s.NetworkID, ProjectID: rtr.ProjectID, MAC: randomMAC(), DeviceID: rtr.ID,
		DeviceOwner: ownerRouter,
		FixedIPs:    []FixedIP{{SubnetID: s.ID, IP: s.Gateway}}, AdminUp: true, Status: "ACTIVE", Created: now, Updated: now,
	}
	err := c.store.Update(func(tx *state.Tx) error {
		for _, other := range ports.All(tx) {
			if other.DeviceOwner != ownerRouter {
				continue
			}
			if taken, _ := subnets.Get(tx, other.FixedIPs[0].SubnetID); taken.ID != s.ID {
				if taken.CIDR.Overlaps(s.CIDR) {
					return badRequest("Bad router request: Cidr %s of subnet %s overlaps with cidr %s of subnet %s. (The routers of "+
						"the lab are one.)", s.CIDR, s.ID, taken.CIDR, taken.ID)
				}
				continue
			}
			if other.DeviceID == rtr.ID {
				return badRequest("Bad router request: Router already has a port on subnet %s.", s.ID)
			}
			return conflict("IpAddressAlreadyAllocated", "IP address %s already allocated in subnet %s", s.Gateway, s.ID)
		}
		return ports.Put(tx, p.ID, p)
	})
	if err != nil {
		return p, err
	}
	return p, c.ensureSegment(ctx, s.NetworkID)
}

func (c *Cloud) removeInterface(r *request, q interfaceRequest) (reply, error) {
	rtr, err := c.router(r, r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	p, err := c.unplug(r.Context(), rtr.ID, q)
	if err != nil {
		return reply{}, err
	}
	return ok(interfaceView(rtr.ID, p))
}

func (c *Cloud) unplug(ctx context.Context, routerID string, q interfaceRequest) (Port, error) {
	for _, p := range state.LoadAll(c.store, ports, "") {
		if p.DeviceID != routerID || p.DeviceOwner != ownerRouter || p.ID != q.PortID &&
			p.FixedIPs[0].SubnetID != q.SubnetID {
			continue
		}
		for _, f := range state.LoadAll(c.store, floatingIPs, "") {
			if f.RouterID == routerID && f.NetworkOfFixed == p.NetworkID {
				return p, conflict("RouterInterfaceInUseByFloatingIP", "Router interface for subnet %s on router %s cannot be "+
					"deleted, as it is required by one or more floating IPs.", p.FixedIPs[0].SubnetID, routerID)
			}
		}
		if err := state.Remove(c.store, ports, p.ID); err != nil {
			return p, err
		}
		return p, c.ensureSegment(ctx, p.NetworkID)
	}
	return Port{}, notFound("RouterInterfaceNotFoundForSubnet", "Router %s has no interface on subnet %s", routerID,
		q.SubnetID)
}

// routerTo finds the router between a network and an external network.
func routerTo(tx *state.Tx, network, external string) (Router, bool) {
	for _, p := range ports.All(tx) {
		if p.DeviceOwner != ownerRouter || p.NetworkID != network {
			continue
		}
		if rtr, found := routers.Get(tx, p.DeviceID); found && rtr.ExternalNetwork == external {
			return rtr, true
		}
	}
	return Router{}, false
}
