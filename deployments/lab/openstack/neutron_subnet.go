package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newSubnet(n Network, name string, cidr netip.Prefix, now time.Time) Subnet {
	s := Subnet{
		ID: uuid.NewString(), Name: name, NetworkID: n.ID, ProjectID: n.ProjectID, CIDR: cidr.Masked(), DHCP: true,
		Created: now, Updated: now,
	}
	s.Gateway = s.CIDR.Addr().Next()
	s.First, s.Last = s.Gateway.Next(), lastAddress(s.CIDR)
	if !s.v6() { // the last address is for broadcasts
		s.Last = s.Last.Prev()
	}
	s.Next = s.First.Next().Next().Next().Next().Next().Next().Next().Next() // low addresses stay free for manual choice
	if !s.Last.IsValid() || s.Next.Compare(s.Last) > 0 {
		s.Next = s.First
	}
	return s
}

func lastAddress(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for bit := p.Bits(); bit < 8*len(b); bit++ {
		b[bit/8] |= 1 << (7 - bit%8)
	}
	last, _ := netip.AddrFromSlice(b) // b has the length of an address
	return last
}

func subnetView(s Subnet) object {
	var gateway any
	if s.Gateway.IsValid() {
		gateway = s.Gateway.String()
	}
	version := 4
	if s.v6() {
		version = 6
	}
	return object{
		"id": s.ID, "name": s.Name, "description": s.Description, "network_id": s.NetworkID, "project_id": s.ProjectID,
		"tenant_id": s.ProjectID,
		"cidr":      s.CIDR.String(), "gateway_ip": gateway, "ip_version": version, "enable_dhcp": s.DHCP,
		"dns_nameservers":  listed(s.DNS),
		"allocation_pools": []object{{"start": s.First.String(), "end": s.Last.String()}}, "host_routes": []object{},
		"ipv6_address_mode": orNil(s.AddressMode),
		"ipv6_ra_mode":      orNil(s.RAMode), "subnetpool_id": nil, "revision_number": 1, "created_at": stamp(s.Created),
		"updated_at": stamp(s.Updated),
	}
}

func (c *Cloud) listSubnets(r *request) []Subnet {
	return slices.DeleteFunc(state.LoadAll(c.store, subnets, ""), func(s Subnet) bool {
		n, found := state.Load(c.store, networks, s.NetworkID)
		return !found || !n.visible(r)
	})
}

func (c *Cloud) subnet(r *request, id string) (Subnet, error) {
	s, found := state.Load(c.store, subnets, id)
	if found {
		if _, err := c.network(r, s.NetworkID); err == nil {
			return s, nil
		}
	}
	return s, notFound("SubnetNotFound", "Subnet %s could not be found.", id)
}

type subnetRequest struct {
	Name        *string         `json:"name"`
	Description *string         `json:"description"`
	NetworkID   string          `json:"network_id"`
	CIDR        string          `json:"cidr"`
	IPVersion   int             `json:"ip_version"`
	Gateway     json.RawMessage `json:"gateway_ip"` // absent: the first address; null: none
	DHCP        *bool           `json:"enable_dhcp"`
	DNS         *[]string       `json:"dns_nameservers"`
	AddressMode string          `json:"ipv6_address_mode"`
	RAMode      string          `json:"ipv6_ra_mode"`
	Pools       []struct {
		Start netip.Addr `json:"start"`
		End   netip.Addr `json:"end"`
	} `json:"allocation_pools"`
}

func (c *Cloud) createSubnet(r *request, q subnetRequest) (Subnet, error) {
	if err := c.mayChangeNetwork(r, q.NetworkID); err != nil {
		return Subnet{}, err
	}
	return c.newSubnetOn(r.Context(), uuid.NewString(), r.project(), q)
}

// subnetOf makes a subnet from a request.
func (c *Cloud) subnetOf(id, project string, n Network, q subnetRequest) (Subnet, error) {
	cidr, err := netip.ParsePrefix(q.CIDR)
	if err != nil {
		return Subnet{}, badRequest("Invalid input for cidr. Reason: '%s' is not a valid IP subnet.", q.CIDR)
	}
	if cidr.Addr().Is4() && cidr.Bits() > 29 {
		return Subnet{}, badRequest("Invalid input for operation: Requested subnet with cidr: %s for network: %s is too "+
			"small.", q.CIDR, q.NetworkID)
	}
	s := newSubnet(n, "", cidr, c.now())
	s.ID, s.ProjectID, s.AddressMode, s.RAMode = id, project, q.AddressMode, q.RAMode
	if err := q.checkIPv6(s); err != nil {
		return s, err
	}
	if err := q.apply(&s); err != nil {
		return s, err
	}
	if len(q.Pools) > 0 {
		s.First, s.Last = q.Pools[0].Start, q.Pools[0].End
		if !s.CIDR.Contains(s.First) || !s.CIDR.Contains(s.Last) || s.First.Compare(s.Last) > 0 {
			return s, badRequest("The allocation pool %s-%s spans beyond the subnet cidr %s.", s.First, s.Last, s.CIDR)
		}
		s.Next = s.First
	}
	return s, nil
}

func (q subnetRequest) apply(s *Subnet) error {
	set(&s.Name, q.Name)
	set(&s.Description, q.Description)
	set(&s.DHCP, q.DHCP)
	set(&s.DNS, q.DNS)
	if q.Gateway == nil {
		return nil
	}
	var gateway *string
	if err := json.Unmarshal(q.Gateway, &gateway); err != nil {
		return badRequest("Invalid input for gateway_ip.")
	}
	s.Gateway = netip.Addr{}
	if gateway == nil {
		return nil
	}
	addr, err := netip.ParseAddr(*gateway)
	if err != nil || !s.CIDR.Contains(addr) {
		return badRequest("Invalid input for gateway_ip. Reason: '%s' is not a valid IP address.", *gateway)
	}
	s.Gateway = addr
	return nil
}

// newSubnetOn makes a subnet and the network's segment on the host.
func (c *Cloud) newSubnetOn(ctx context.Context, id, project string, q subnetRequest) (Subnet, error) {
	n, found := state.Load(c.store, networks, q.NetworkID)
	if !found {
		return Subnet{}, notFound("NetworkNotFound", "Network %s could not be found.", q.NetworkID)
	}
	s, err := c.subnetOf(id, project, n, q)
	if err != nil {
		return s, err
	}
	err = c.store.Update(func(tx *state.Tx) error {
		if have, found := subnets.Get(tx, id); found {
			s = have
			return nil
		}
		if err := c.neutronQuota(tx, project, "subnet"); err != nil {
			return err
		}
		n, _ = networks.Get(tx, q.NetworkID)
		for _, other := range subnetsOf(tx, n) {
			if other.CIDR.Overlaps(s.CIDR) {
				return badRequest("Invalid input for operation: Requested subnet with cidr: %s for network: %s overlaps with "+
					"another subnet.", s.CIDR, n.ID)
			}
		}
		n.SubnetIDs = append(n.SubnetIDs, s.ID)
		return errors.Join(networks.Put(tx, n.ID, n), subnets.Put(tx, s.ID, s))
	})
	if err != nil {
		return s, err
	}
	return s, c.ensureSegment(ctx, n.ID)
}

func (c *Cloud) mayChangeSubnet(r *request, id string) error {
	s, err := c.subnet(r, id)
	if err == nil && !r.sees(s.ProjectID) {
		err = fail(403, "PolicyNotAuthorized", "rule:subnet is disallowed by policy")
	}
	return err
}

func (c *Cloud) updateSubnet(r *request, id string, q subnetRequest) (Subnet, error) {
	if err := c.mayChangeSubnet(r, id); err != nil {
		return Subnet{}, err
	}
	s, _, err := state.Change(c.store, subnets, id, func(s *Subnet) error {
		s.Updated = c.now()
		return q.apply(s)
	})
	return s, err
}

func (c *Cloud) deleteSubnet(r *request, id string) error {
	if err := c.mayChangeSubnet(r, id); err != nil {
		return err
	}
	return c.dropSubnet(r.Context(), id)
}

func (c *Cloud) dropSubnet(ctx context.Context, id string) error {
	s, found := state.Load(c.store, subnets, id)
	if !found {
		return nil
	}
	for _, p := range state.LoadAll(c.store, ports, "") {
		for _, ip := range p.FixedIPs {
			if ip.SubnetID == id && (!s.automatic() || p.DeviceOwner == ownerRouter) {
				return conflict("SubnetInUse",
					"Unable to complete operation on subnet %s: One or more ports have an IP allocation from this subnet.", id)
			}
		}
	}
	n, _ := state.Load(c.store, networks, s.NetworkID)
	left := slices.DeleteFunc(slices.Clone(n.SubnetIDs), func(other string) bool { return other == id })
	if len(left) == 0 {
		if err := c.hypervisor.DeleteNetwork(ctx, s.NetworkID); err != nil && !lcm.Is(err, lcm.KindNotFound) {
			return hypervisorError(err)
		}
	}
	err := c.store.Update(func(tx *state.Tx) error {
		if n, found := networks.Get(tx, s.NetworkID); found {
			n.SubnetIDs = slices.DeleteFunc(n.SubnetIDs, func(other string) bool { return other == id })
			if err := networks.Put(tx, n.ID, n); err != nil {
				return err
			}
		}
		return errors.Join(leave(tx, id), subnets.Delete(tx, id), tags.Delete(tx, id))
	})
	if err != nil || len(left) == 0 {
		return err
	}
	return c.ensureSegment(ctx, s.NetworkID)
}
