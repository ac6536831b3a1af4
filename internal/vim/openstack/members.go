package openstack

import (
	"context"
	"net/url"
	"slices"
	"sort"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackresources"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// nestedDepth is how deep Heat looks: group, member, and one template inside a member.
const nestedDepth = 4

// Resource is one resource of a stack or of a stack nested in it.
type Resource struct {
	Name       string
	Type       string
	PhysicalID string
	// StackID is the stack that holds the resource, which may be a nested one.
	StackID string
	// Parent is the name of the group's member that the nested stack is, "" in the top stack.
	Parent string
}

// Server is what Nova knows of a VM.
type Server struct {
	ID        string
	Host      string // "" unless the credentials may see it
	Zone      string
	VolumeIDs []string
}

// Port is what Neutron knows of a port, with the floating IP that leads to it.
type Port struct {
	ID         string
	ServerID   string
	Address    string // the first fixed IP
	FloatingIP string // "" when none
}

// Inventory is everything a stack has made, read with one call each to Heat, Neutron (two) and Nova.
type Inventory struct {
	StackID   string
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
	list, err := c.resources(ctx, name, top.ID)
	if err != nil {
		return nil, err
	}
	inv := &Inventory{StackID: top.ID, Servers: map[string]Server{}, Ports: map[string]Port{}, FloatingIPs: map[string]FloatingIP{}}
	for _, r := range list {
		inv.Resources = append(inv.Resources, Resource{
			Name: r.Name, Type: r.Type, PhysicalID: r.PhysicalID, StackID: stackOf(r, top.ID), Parent: r.ParentResource,
		})
	}
	slices.SortFunc(inv.Resources, func(a, b Resource) int {
		return strings.Compare(a.StackID+a.Name+a.PhysicalID, b.StackID+b.Name+b.PhysicalID)
	})
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
	groupStack := ""
	for _, r := range i.Resources {
		if r.StackID == i.StackID && r.Name == group {
			groupStack = r.PhysicalID
		}
	}
	if groupStack == "" {
		return nil, lcm.Errorf(lcm.KindInvalid, "The stack has no resource %q: aspect_id must be the name of an AutoScalingGroup or ResourceGroup in the Base HOT.", group)
	}
	var out []string
	for _, r := range i.Resources {
		if r.StackID == groupStack && r.PhysicalID != "" {
			out = append(out, r.PhysicalID)
		}
	}
	sort.Strings(out)
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

// stackOf reads the holding stack's id from the link that Heat gives.
func stackOf(r stackresources.Resource, top string) string {
	for _, l := range r.Links {
		if l.Rel == "stack" {
			if u, err := url.Parse(l.Href); err == nil {
				return u.Path[strings.LastIndex(u.Path, "/")+1:]
			}
		}
	}
	return top
}

func (c *Cloud) readPorts(ctx context.Context, inv *Inventory) error {
	wanted := idsOf(inv.OfType("OS::Neutron::Port"))
	if len(wanted) == 0 {
		return nil
	}
	page, err := ports.List(c.network, byID{"id", wanted}).AllPages(ctx)
	if err != nil {
		return translate("list the ports of the stack", err)
	}
	list, err := ports.ExtractPorts(page)
	if err != nil {
		return translate("list the ports of the stack", err)
	}
	for _, p := range list {
		port := Port{ID: p.ID, ServerID: p.DeviceID}
		if len(p.FixedIPs) > 0 {
			port.Address = p.FixedIPs[0].IPAddress
		}
		inv.Ports[p.ID] = port
	}
	return c.readFloatingIPs(ctx, inv, wanted)
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
		server := Server{ID: s.ID, Host: s.Host, Zone: s.AvailabilityZone}
		for _, v := range s.AttachedVolumes {
			server.VolumeIDs = append(server.VolumeIDs, v.ID)
		}
		inv.Servers[s.ID] = server
	}
	return nil
}

// servers reads those of the wanted servers that exist, with one call: Nova cannot be asked for several by id.
func (c *Cloud) servers(ctx context.Context, wanted []string) ([]servers.Server, error) {
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
