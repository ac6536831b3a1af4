package openstack

import (
	"context"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Inventory reads the resources that the stack of that name consists of.
func (c *Cloud) Inventory(ctx context.Context, name string) (*vim.Inventory, error) {
	top, err := c.stack(ctx, name)
	if err != nil {
		return nil, err
	}
	inv := &vim.Inventory{
		ID: top.ID, Level: StackLevel(top.Status), Status: top.Status, Servers: map[string]vim.Server{}, Ports: map[string]vim.Port{},
		PublicAddrs: map[string]vim.PublicAddress{},
	}
	if inv.Resources, err = c.resourcesOf(ctx, name, top.ID); err != nil {
		return nil, err
	}
	if err := c.readPorts(ctx, inv); err != nil {
		return nil, err
	}
	return inv, c.readServers(ctx, inv)
}

func (c *Cloud) readPorts(ctx context.Context, inv *vim.Inventory) error {
	for wanted := range slices.Chunk(idsOf(inv.OfKind(vim.LinkPort)), idsAtOnce) {
		if err := c.readSomePorts(ctx, inv, wanted); err != nil {
			return err
		}
	}
	return nil
}

// idsAtOnce is how many ids fit into a URL: some HTTP servers read only 8 KiB of it.
const idsAtOnce = 150

func (c *Cloud) readSomePorts(ctx context.Context, inv *vim.Inventory, wanted []string) error {
	list, err := listed(ctx, "list the ports of the stack", ports.List(c.network, byID{"id", wanted}), ports.ExtractPorts)
	if err != nil {
		return err
	}
	for _, p := range list {
		if inv.Ports[p.ID], err = portOf(p); err != nil {
			return err
		}
	}
	return c.readFloatingIPs(ctx, inv, wanted)
}

// checkAddress refuses what is no IP address. Addresses of a cloud go into files that other programs read, such as
// inventories of Ansible, where a text could be a command.
func checkAddress(what, id, address string) error {
	if _, err := netip.ParseAddr(address); err != nil {
		return lcm.Errorf(lcm.KindBroken, "OpenStack gives the %s %.80q the address %.80q, which is no IP address.", what, id,
			address)
	}
	return nil
}

// addressOf is the address for reaching a port, IPv4 if there is one. Neutron lists the addresses of a port in two
// subnets in any order.
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

func (c *Cloud) readFloatingIPs(ctx context.Context, inv *vim.Inventory, portIDs []string) error {
	ours := idsOf(inv.OfKind(vim.PublicAddr))
	list, err := listed(ctx, "list the floating IPs of the stack", floatingips.List(c.network, byID{"port_id", portIDs}),
		floatingips.ExtractFloatingIPs)
	if err != nil {
		return err
	}
	for _, f := range list {
		if err := checkAddress("floating IP", f.ID, f.FloatingIP); err != nil {
			return err
		}
		if port, ok := inv.Ports[f.PortID]; ok {
			port.FloatingIP = f.FloatingIP
			inv.Ports[f.PortID] = port
		}
		if slices.Contains(ours, f.ID) {
			inv.PublicAddrs[f.ID] = vim.PublicAddress{Address: f.FloatingIP, PortID: f.PortID}
		}
	}
	return nil
}

func (c *Cloud) readServers(ctx context.Context, inv *vim.Inventory) error {
	wanted := idsOf(inv.OfKind(vim.Compute))
	if len(wanted) == 0 {
		return nil
	}
	list, err := c.servers(ctx, wanted)
	if err != nil {
		return err
	}
	for _, s := range list {
		server := vim.Server{
			ID: s.ID, Name: s.Name, Level: ServerLevel(s.Status), Status: s.Status, Host: s.Host, HostID: s.HostID,
			Zone: s.AvailabilityZone, VolumeType: volumeType,
		}
		server.Addresses = fixedIPs(s.Addresses)
		for _, address := range server.Addresses {
			if err := checkAddress("server", s.ID, address); err != nil {
				return err
			}
		}
		for _, v := range s.AttachedVolumes {
			server.VolumeIDs = append(server.VolumeIDs, v.ID)
		}
		inv.Servers[s.ID] = server
	}
	return nil
}

// fixedIPs reads the fixed addresses from Nova's answer, ordered by the names of networks.
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

// fewServers is the most servers that Windlass reads one by one, concurrently. Nova cannot list servers by several ids.
// To list the project's servers, possibly thousands, for each of many concurrent operations would keep Nova busy.
const fewServers = 8

// servers reads those of the wanted servers that exist.
func (c *Cloud) servers(ctx context.Context, wanted []string) ([]servers.Server, error) {
	if len(wanted) <= fewServers {
		return c.serversOneByOne(ctx, wanted)
	}
	list, err := listed(ctx, "list the servers of the stack", servers.List(c.compute, servers.ListOpts{}),
		servers.ExtractServers)
	if err != nil {
		return nil, err
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

func idsOf(list []vim.Resource) []string {
	out := make([]string, 0, len(list))
	for _, r := range list {
		out = append(out, r.ID)
	}
	return out
}

// byID is a query for several values of one attribute. gophercloud's own options cannot express it.
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
