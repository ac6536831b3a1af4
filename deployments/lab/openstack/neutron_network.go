package openstack

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func networkView(n Network) object {
	return object{
		"id": n.ID, "name": n.Name, "description": n.Description, "project_id": n.ProjectID, "tenant_id": n.ProjectID,
		"admin_state_up": n.AdminUp, "status": "ACTIVE", "shared": n.Shared, "router:external": n.External,
		"subnets": listed(n.SubnetIDs), "mtu": 1500, "port_security_enabled": n.PortSecurity, "is_default": false,
		"availability_zones":      []string{"nova"},
		"availability_zone_hints": []string{}, "ipv4_address_scope": nil, "ipv6_address_scope": nil,
		"qos_policy_id": orNil(n.QoSPolicyID), "revision_number": 1,
		"created_at": stamp(n.Created), "updated_at": stamp(n.Updated),
	}
}

// visible reports whether a network can be seen by the caller.
func (n Network) visible(r *request) bool { return r.sees(n.ProjectID) || n.Shared || n.External }

func (c *Cloud) listNetworks(r *request) []Network {
	return slices.DeleteFunc(state.LoadAll(c.store, networks, ""), func(n Network) bool { return !n.visible(r) })
}

func (c *Cloud) network(r *request, id string) (Network, error) {
	n, found := state.Load(c.store, networks, id)
	if !found || !n.visible(r) {
		return n, notFound("NetworkNotFound", "Network %s could not be found.", id)
	}
	return n, nil
}

// mayChangeNetwork refuses a change of a network that the caller can see but does not own.
func (c *Cloud) mayChangeNetwork(r *request, id string) error {
	n, err := c.network(r, id)
	if err == nil && !r.sees(n.ProjectID) {
		err = fail(403, "PolicyNotAuthorized", "rule:network is disallowed by policy")
	}
	return err
}

type networkRequest struct {
	Name         *string `json:"name"`
	Description  *string `json:"description"`
	AdminUp      *bool   `json:"admin_state_up"`
	Shared       *bool   `json:"shared"`
	External     *bool   `json:"router:external"`
	PortSecurity *bool   `json:"port_security_enabled"`
	QoSPolicy    *string `json:"qos_policy_id"`
}

func (q networkRequest) apply(n *Network) {
	set(&n.Name, q.Name)
	set(&n.Description, q.Description)
	set(&n.AdminUp, q.AdminUp)
	set(&n.Shared, q.Shared)
	set(&n.External, q.External)
	set(&n.PortSecurity, q.PortSecurity)
	set(&n.QoSPolicyID, q.QoSPolicy)
}

// set copies a value that the request gives.
func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

func (c *Cloud) createNetwork(r *request, q networkRequest) (Network, error) {
	if (q.Shared != nil && *q.Shared || q.External != nil && *q.External) && !r.token.Admin() {
		return Network{}, fail(403, "PolicyNotAuthorized", "rule:create_network is disallowed by policy")
	}
	if err := c.useOfPolicy(r.project(), r.token.Admin(), q.QoSPolicy); err != nil {
		return Network{}, err
	}
	return c.newNetwork(uuid.NewString(), r.project(), q)
}

// newNetwork makes a network, or finds the network that has the id already.
func (c *Cloud) newNetwork(id, project string, q networkRequest) (Network, error) {
	now := c.now()
	n := Network{ID: id, ProjectID: project, AdminUp: true, PortSecurity: true, Created: now, Updated: now}
	q.apply(&n)
	err := c.store.Update(func(tx *state.Tx) error {
		if have, found := networks.Get(tx, id); found {
			n = have
			return nil
		}
		if err := c.neutronQuota(tx, project, "network"); err != nil {
			return err
		}
		return networks.Put(tx, n.ID, n)
	})
	return n, err
}

func (c *Cloud) updateNetwork(r *request, id string, q networkRequest) (Network, error) {
	if err := c.mayChangeNetwork(r, id); err != nil {
		return Network{}, err
	}
	if err := c.useOfPolicy(r.project(), r.token.Admin(), q.QoSPolicy); err != nil {
		return Network{}, err
	}
	n, _, err := state.Change(c.store, networks, id, func(n *Network) error {
		q.apply(n)
		n.Updated = c.now()
		return nil
	})
	return n, err
}

func (c *Cloud) deleteNetwork(r *request, id string) error {
	if err := c.mayChangeNetwork(r, id); err != nil {
		return err
	}
	return c.dropNetwork(r.Context(), id)
}

// dropNetwork deletes a network with its subnets, and refuses while ports are in use.
func (c *Cloud) dropNetwork(ctx context.Context, id string) error {
	if err := c.networkFree(id); err != nil {
		return err
	}
	if err := c.hypervisor.DeleteNetwork(ctx, id); err != nil && !lcm.Is(err, lcm.KindNotFound) {
		return hypervisorError(err)
	}
	return c.store.Update(func(tx *state.Tx) error {
		n, found := networks.Get(tx, id)
		if !found {
			return nil
		}
		for _, s := range n.SubnetIDs {
			if err := errors.Join(subnets.Delete(tx, s), tags.Delete(tx, s)); err != nil {
				return err
			}
		}
		return errors.Join(networks.Delete(tx, id), tags.Delete(tx, id))
	})
}

func (c *Cloud) networkFree(id string) error {
	for _, p := range state.LoadAll(c.store, ports, "") {
		if p.NetworkID == id {
			return conflict("NetworkInUse", "Unable to complete operation on network %s. There are one or more ports still in "+
				"use on the network, id for these ports is: %s.", id, p.ID)
		}
	}
	return nil
}

// hypervisorError turns a machine hypervisor's error into an API error.
func hypervisorError(err error) error {
	switch {
	case err == nil:
		return nil
	case lcm.Is(err, lcm.KindInvalid):
		return badRequest("%v", err)
	case lcm.Is(err, lcm.KindConflict):
		return conflict("Conflict", "%v", err)
	case lcm.Is(err, lcm.KindNotFound):
		return notFound("NotFound", "%v", err)
	default:
		return fail(500, "InternalServerError", "%v", err)
	}
}

// ensureSegment tells the hypervisor about a network. The hypervisor's router is attached when the network has a router
// interface.
func (c *Cloud) ensureSegment(ctx context.Context, networkID string) error {
	n, found := state.Load(c.store, networks, networkID)
	if !found || n.External {
		return nil // the external network has addresses only
	}
	four, six := c.routable(n)
	segment := machine.Network{ID: n.ID, CIDR: four.CIDR, CIDR6: six.CIDR}
	for _, p := range state.LoadAll(c.store, ports, "") {
		if p.NetworkID != n.ID || p.DeviceOwner != ownerRouter || len(p.FixedIPs) == 0 {
			continue
		}
		switch at := p.FixedIPs[0]; at.SubnetID {
		case four.ID:
			segment.Gateway = at.IP
		case six.ID:
			segment.Gateway6 = at.IP
		}
	}
	return hypervisorError(c.hypervisor.EnsureNetwork(ctx, segment))
}

func (c *Cloud) recoverNetworks(ctx context.Context) error {
	for _, n := range state.LoadAll(c.store, networks, "") {
		if len(n.SubnetIDs) == 0 { // the segment is made when a server boots on the network
			continue
		}
		if err := c.ensureSegment(ctx, n.ID); err != nil {
			return fmt.Errorf("recover network %s: %w", n.Name, err)
		}
	}
	return nil
}
