package openstack

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

func randomMAC() string {
	n := rand.Uint32() //nolint:gosec // an address, not a secret
	return fmt.Sprintf("fa:16:3e:%02x:%02x:%02x", byte(n>>16), byte(n>>8), byte(n))
}

func portView(p Port) object {
	fixed := []object{}
	for _, ip := range p.FixedIPs {
		fixed = append(fixed, object{"subnet_id": ip.SubnetID, "ip_address": ip.IP.String()})
	}
	pairs := []object{}
	for _, pair := range p.Pairs {
		pairs = append(pairs, object{"ip_address": pair.IP, "mac_address": pair.MAC})
	}
	return object{
		"id": p.ID, "name": p.Name, "description": p.Description, "network_id": p.NetworkID, "project_id": p.ProjectID,
		"tenant_id":   p.ProjectID,
		"mac_address": p.MAC, "fixed_ips": fixed, "allowed_address_pairs": pairs, "security_groups": listed(p.SecurityGroups),
		"device_id":    p.DeviceID,
		"device_owner": p.DeviceOwner, "status": p.Status, "admin_state_up": p.AdminUp,
		"port_security_enabled": !p.NoSecurity,
		"binding:vnic_type":     "normal", "binding:host_id": p.Host, "binding:vif_type": "bridge", "binding:profile": object{},
		"dns_name":       "",
		"dns_assignment": []object{}, "ip_allocation": map[bool]string{true: "none", false: "immediate"}[p.NoAddress],
		"extra_dhcp_opts": []object{}, "qos_policy_id": orNil(p.QoSPolicyID), "revision_number": 1,
		"created_at": stamp(p.Created), "updated_at": stamp(p.Updated),
	}
}

func (c *Cloud) listPorts(r *request) []Port {
	var all []Port
	if ids := r.URL.Query()["id"]; len(ids) > 0 {
		for _, id := range ids {
			if p, found := state.Load(c.store, ports, id); found {
				all = append(all, p)
			}
		}
	} else {
		all = state.LoadAll(c.store, ports, "")
	}
	return slices.DeleteFunc(all, func(p Port) bool { return !r.sees(p.ProjectID) })
}

func (c *Cloud) port(r *request, id string) (Port, error) {
	p, found := state.Load(c.store, ports, id)
	if !found || !r.sees(p.ProjectID) {
		return p, portNotFound(id)
	}
	return p, nil
}

func portNotFound(id string) error {
	return notFound("PortNotFound", "Port %s could not be found.", id)
}

// wantedIP is a fixed IP in a request; either part may be missing.
type wantedIP struct {
	SubnetID string `json:"subnet_id"`
	IP       string `json:"ip_address"`
}

type portRequest struct {
	Name           *string        `json:"name"`
	Description    *string        `json:"description"`
	NetworkID      string         `json:"network_id"`
	MAC            string         `json:"mac_address"`
	AdminUp        *bool          `json:"admin_state_up"`
	PortSecurity   *bool          `json:"port_security_enabled"`
	DeviceID       *string        `json:"device_id"`
	DeviceOwner    *string        `json:"device_owner"`
	FixedIPs       *[]wantedIP    `json:"fixed_ips"`
	Pairs          *[]AddressPair `json:"allowed_address_pairs"`
	SecurityGroups *[]string      `json:"security_groups"`
	QoSPolicy      *string        `json:"qos_policy_id"`
}

func (c *Cloud) createPort(r *request, q portRequest) (p Port, err error) {
	if _, err := c.network(r, q.NetworkID); err != nil {
		return p, err
	}
	if err := c.useOfPolicy(r.project(), r.token.Admin(), q.QoSPolicy); err != nil {
		return p, err
	}
	return p, c.store.Update(func(tx *state.Tx) error {
		p, err = c.newPort(tx, uuid.NewString(), r.project(), q)
		return err
	})
}

// newPort makes a port, or finds the port that has the id already.
func (c *Cloud) newPort(tx *state.Tx, id, project string, q portRequest) (Port, error) {
	if have, found := ports.Get(tx, id); found {
		return have, nil
	}
	n, found := networks.Get(tx, q.NetworkID)
	if !found {
		return Port{}, notFound("NetworkNotFound", "Network %s could not be found.", q.NetworkID)
	}
	if err := c.neutronQuota(tx, project, "port"); err != nil {
		return Port{}, err
	}
	now := c.now()
	p := Port{
		ID: id, NetworkID: n.ID, ProjectID: project, MAC: q.MAC, AdminUp: true, Status: "DOWN",
		NoSecurity: !n.PortSecurity, Created: now, Updated: now,
	}
	if p.MAC == "" {
		p.MAC = randomMAC()
	}
	if q.SecurityGroups == nil && (q.PortSecurity == nil || *q.PortSecurity) {
		group, err := c.defaultGroup(tx, project)
		if err != nil {
			return p, err
		}
		p.SecurityGroups = []string{group.ID}
	}
	if err := q.apply(&p); err != nil {
		return p, err
	}
	if err := c.allocate(tx, &p, n, q); err != nil {
		return p, err
	}
	return p, ports.Put(tx, p.ID, p)
}

func (q portRequest) apply(p *Port) error {
	set(&p.Name, q.Name)
	set(&p.Description, q.Description)
	set(&p.AdminUp, q.AdminUp)
	set(&p.DeviceID, q.DeviceID)
	set(&p.DeviceOwner, q.DeviceOwner)
	set(&p.SecurityGroups, q.SecurityGroups)
	set(&p.QoSPolicyID, q.QoSPolicy)
	if q.PortSecurity != nil {
		p.NoSecurity = !*q.PortSecurity
	}
	if q.Pairs == nil {
		return nil
	}
	p.Pairs = nil
	for _, pair := range *q.Pairs {
		if _, err := netip.ParsePrefix(pair.IP); err != nil {
			if _, err := netip.ParseAddr(pair.IP); err != nil {
				return badRequest("Invalid input for allowed_address_pairs. Reason: '%s' is not a valid IP address.", pair.IP)
			}
		}
		if pair.MAC == "" {
			pair.MAC = p.MAC
		}
		if slices.Contains(p.Pairs, pair) {
			return badRequest("Request contains duplicate address pair: mac_address %s ip_address %s.", pair.MAC, pair.IP)
		}
		p.Pairs = append(p.Pairs, pair)
	}
	if p.NoSecurity && len(p.Pairs) > 0 {
		return conflict("AddressPairAndPortSecurityRequired",
			"Port Security must be enabled in order to have allowed address pairs on a port.")
	}
	return nil
}

func (c *Cloud) updatePort(r *request, id string, q portRequest) (Port, error) {
	if p, err := c.port(r, id); err != nil {
		return p, err
	}
	if err := c.useOfPolicy(r.project(), r.token.Admin(), q.QoSPolicy); err != nil {
		return Port{}, err
	}
	return c.changePort(r.Context(), id, q)
}

// changePort updates a port, and applies the change to its machine at once.
func (c *Cloud) changePort(ctx context.Context, id string, q portRequest) (Port, error) {
	var p Port
	err := c.store.Update(func(tx *state.Tx) error {
		var found bool
		if p, found = ports.Get(tx, id); !found {
			return portNotFound(id)
		}
		if err := q.apply(&p); err != nil {
			return err
		}
		if q.FixedIPs != nil && !sameAddresses(tx, p, q) {
			n, _ := networks.Get(tx, p.NetworkID)
			p.FixedIPs = nil
			if err := errors.Join(ports.Put(tx, id, p), c.allocate(tx, &p, n, q)); err != nil {
				return err
			}
		}
		p.Updated = c.now()
		return ports.Put(tx, id, p)
	})
	if err != nil || p.DeviceID == "" || p.DeviceOwner == ownerRouter {
		return p, err
	}
	if server, found := state.Load(c.store, servers, p.DeviceID); !found || server.Status == statusBuild {
		return p, nil // the machine gets the changed port at its boot
	}
	return p, hypervisorError(c.hypervisor.UpdatePort(ctx, p.DeviceID, c.machinePort(p)))
}

func (c *Cloud) deletePort(r *request, id string) error {
	p, err := c.port(r, id)
	if err != nil {
		return err
	}
	if p.DeviceOwner == ownerRouter || p.DeviceOwner == ownerFloating {
		return conflict("ServicePortInUse", "Port %s cannot be deleted directly via the port API: has device owner %s.", id,
			p.DeviceOwner)
	}
	return c.dropPort(r.Context(), id)
}

// dropPort deletes a port, and disassociates its floating IP.
func (c *Cloud) dropPort(ctx context.Context, id string) error {
	for _, f := range state.LoadAll(c.store, floatingIPs, "") {
		if f.PortID == id {
			if _, err := c.associate(ctx, f.ID, "", ""); err != nil {
				return err
			}
		}
	}
	return c.store.Update(func(tx *state.Tx) error {
		return errors.Join(ports.Delete(tx, id), tags.Delete(tx, id))
	})
}
