package openstack

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"sort"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Server is what Nova knows of a VM.
type Server struct {
	ID     string
	Name   string
	Status string // Nova's: ACTIVE, SHUTOFF, ERROR ...
	Host   string // "" unless the credentials may see it
	HostID string // tells apart the hypervisors of the project's servers, for everybody
	Zone   string
	// Addresses are the fixed IPs, network by network.
	Addresses []string
	VolumeIDs []string
}

// Port is what Neutron knows of a port, with the floating IP that leads to it.
type Port struct {
	ID         string
	Name       string
	NetworkID  string
	ServerID   string // the device that has it, "" for none
	MAC        string
	FixedIPs   []lcm.FixedIP
	Address    string // the first of them of IPv4, else the first of them
	FloatingIP string // "" when none
}

// Inventory is everything a stack has made, read with one call each to Heat, Neutron (two) and Nova, or
// one to Nova for each of a few servers.
type Inventory struct {
	StackID   string
	Status    string // the stack's, as Heat has it
	Resources []Resource
	Servers   map[string]Server // by id
	Ports     map[string]Port   // by id
	// FloatingIPs are the stack's own, by id: the port they lead to.
	FloatingIPs map[string]FloatingIP
}

// FloatingIP is a floating IP of the stack.
type FloatingIP struct {
	Address string
	PortID  string
}

// Inventory reads what the stack of that name has made.
func (c *Cloud) Inventory(ctx context.Context, name string) (*Inventory, error) {
	top, err := c.stack(ctx, name)
	if err != nil {
		return nil, err
	}
	inv := &Inventory{
		StackID: top.ID, Status: top.Status, Servers: map[string]Server{}, Ports: map[string]Port{},
		FloatingIPs: map[string]FloatingIP{},
	}
	if inv.Resources, err = c.resourcesOf(ctx, name, top.ID); err != nil {
		return nil, err
	}
	if err := c.readPorts(ctx, inv); err != nil {
		return nil, err
	}
	return inv, c.readServers(ctx, inv)
}

// OfType returns the stack's resources of that type, nested ones included.
func (i *Inventory) OfType(kind string) []Resource {
	var out []Resource
	for _, r := range i.Resources {
		if r.Type == kind && r.PhysicalID != "" {
			out = append(out, r)
		}
	}
	return out
}

// Members returns the nested stacks of the group of that name in the top stack, by id. For "" it is the
// top stack itself.
func (i *Inventory) Members(group string) ([]string, error) {
	if group == "" {
		return []string{i.StackID}, nil
	}
	members, err := i.MemberResources(group)
	out := make([]string, 0, len(members))
	for _, r := range members {
		out = append(out, r.PhysicalID)
	}
	sort.Strings(out)
	return out, err
}

// MemberResources returns the members of the group of that name in the top stack, oldest first, as far as Heat's
// times tell, which are whole seconds. Each is a resource of the group's own stack, and one that Change.Replace takes.
func (i *Inventory) MemberResources(group string) ([]Resource, error) {
	groupStack := ""
	for _, r := range i.Resources {
		if r.StackID == i.StackID && r.Name == group {
			groupStack = r.PhysicalID
		}
	}
	if groupStack == "" {
		return nil, lcm.Errorf(lcm.KindInvalid, "The stack has no resource %q: aspect_id must be the name of an "+
			"AutoScalingGroup or ResourceGroup in the Base HOT.", group)
	}
	var out []Resource
	for _, r := range i.Resources {
		if r.StackID == groupStack && r.PhysicalID != "" {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b Resource) int { return a.Created.Compare(b.Created) })
	return out, nil
}

// In returns the resource of that name in that stack.
func (i *Inventory) In(stackID, name string) (Resource, bool) {
	for _, r := range i.Resources {
		if r.StackID == stackID && r.Name == name {
			return r, true
		}
	}
	return Resource{}, false
}

func (c *Cloud) readPorts(ctx context.Context, inv *Inventory) error {
	for wanted := range slices.Chunk(idsOf(inv.OfType("OS::Neutron::Port")), idsAtOnce) {
		if err := c.readSomePorts(ctx, inv, wanted); err != nil {
			return err
		}
	}
	return nil
}

// idsAtOnce is how many ids fit into an address: some servers stop reading at 8 KiB.
const idsAtOnce = 150

func (c *Cloud) readSomePorts(ctx context.Context, inv *Inventory, wanted []string) error {
	page, err := ports.List(c.network, byID{"id", wanted}).AllPages(ctx)
	if err != nil {
		return translate("list the ports of the stack", err)
	}
	list, err := ports.ExtractPorts(page)
	if err != nil {
		return translate("list the ports of the stack", err)
	}
	for _, p := range list {
		inv.Ports[p.ID] = portOf(p)
	}
	return c.readFloatingIPs(ctx, inv, wanted)
}

// addressOf is the address by which a port is reached: Neutron tells those of a port in two subnets in any order.
func addressOf(ips []lcm.FixedIP) string {
	for _, ip := range ips {
		if strings.Contains(ip.Address, ".") {
			return ip.Address
		}
	}
	if len(ips) > 0 {
		return ips[0].Address
	}
	return ""
}

func (c *Cloud) readFloatingIPs(ctx context.Context, inv *Inventory, portIDs []string) error {
	ours := idsOf(inv.OfType("OS::Neutron::FloatingIP"))
	page, err := floatingips.List(c.network, byID{"port_id", portIDs}).AllPages(ctx)
	if err != nil {
		return translate("list the floating IPs of the stack", err)
	}
	list, err := floatingips.ExtractFloatingIPs(page)
	if err != nil {
		return translate("list the floating IPs of the stack", err)
	}
	for _, f := range list {
		if port, ok := inv.Ports[f.PortID]; ok {
			port.FloatingIP = f.FloatingIP
			inv.Ports[f.PortID] = port
		}
		if slices.Contains(ours, f.ID) {
			inv.FloatingIPs[f.ID] = FloatingIP{Address: f.FloatingIP, PortID: f.PortID}
		}
	}
	return nil
}

func (c *Cloud) readServers(ctx context.Context, inv *Inventory) error {
	wanted := idsOf(inv.OfType("OS::Nova::Server"))
	if len(wanted) == 0 {
		return nil
	}
	list, err := c.servers(ctx, wanted)
	if err != nil {
		return err
	}
	for _, s := range list {
		server := Server{ID: s.ID, Name: s.Name, Status: s.Status, Host: s.Host, HostID: s.HostID, Zone: s.AvailabilityZone}
		server.Addresses = fixedIPs(s.Addresses)
		for _, v := range s.AttachedVolumes {
			server.VolumeIDs = append(server.VolumeIDs, v.ID)
		}
		inv.Servers[s.ID] = server
	}
	return nil
}

// fixedIPs reads Nova's addresses, by the names of networks.
func fixedIPs(networks map[string]any) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(networks)) {
		list, _ := networks[name].([]any)
		for _, item := range list {
			if address, ok := item.(map[string]any); ok && text(address, "OS-EXT-IPS:type") == "fixed" {
				out = append(out, text(address, "addr"))
			}
		}
	}
	return out
}

// fewServers are asked for one by one, at the same time. Nova cannot be asked for several by id, and the project may
// have thousands that are not ours: a list of all of them, for each of many operations at once, keeps Nova busy with
// nothing else.
const fewServers = 8

// servers reads those of the wanted servers that exist.
func (c *Cloud) servers(ctx context.Context, wanted []string) ([]servers.Server, error) {
	if len(wanted) <= fewServers {
		return c.serversOneByOne(ctx, wanted)
	}
	page, err := servers.List(c.compute, servers.ListOpts{}).AllPages(ctx)
	if err != nil {
		return nil, translate("list the servers of the stack", err)
	}
	list, err := servers.ExtractServers(page)
	if err != nil {
		return nil, translate("list the servers of the stack", err)
	}
	return slices.DeleteFunc(list, func(s servers.Server) bool { return !slices.Contains(wanted, s.ID) }), nil
}

func (c *Cloud) serversOneByOne(ctx context.Context, wanted []string) ([]servers.Server, error) {
	found := make([]*servers.Server, len(wanted))
	all, ctx := errgroup.WithContext(ctx)
	for i, id := range wanted {
		all.Go(func() (err error) {
			found[i], err = servers.Get(ctx, c.compute, id).Extract()
			if err = translate("look at the server "+id, err); lcm.Is(err, lcm.KindNotFound) {
				return nil
			}
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	var list []servers.Server
	for _, s := range found {
		if s != nil {
			list = append(list, *s)
		}
	}
	return list, nil
}

func idsOf(list []Resource) []string {
	out := make([]string, 0, len(list))
	for _, r := range list {
		out = append(out, r.PhysicalID)
	}
	return out
}

// byID is a query for several values of one attribute, which gophercloud's own options cannot say.
type byID struct {
	attribute string
	values    []string
}

func (q byID) query() (string, error) {
	v := url.Values{q.attribute: q.values}
	return "?" + v.Encode(), nil
}

// ToPortListQuery implements gophercloud's builder.
func (q byID) ToPortListQuery() (string, error) { return q.query() }

// ToFloatingIPListQuery implements gophercloud's builder.
func (q byID) ToFloatingIPListQuery() (string, error) { return q.query() }
