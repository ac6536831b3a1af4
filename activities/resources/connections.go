package resources

import (
	"context"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// FindConnectionsInput names a CHANGE_EXT_CONN that was given up.
type FindConnectionsInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
}

// FindConnectionsOutput is the part of the operation's change that the VNF has.
type FindConnectionsOutput struct {
	DeploymentID string           `json:"stackId"`
	Vnfcs        []record.Vnfc    `json:"vnfcs"`
	Networks     []record.Network `json:"networks,omitempty"`
	// Moved are the connection points whose ports are all as the operation should make them.
	Moved []string `json:"moved,omitempty"`
}

// FindConnections reads which ports the servers have. The deployment's inventory is not enough: when the replacement of
// a port has failed, it lists only the successor.
// Idempotent: it waits until the VIM is done, and only reads.
func (i *Activities) FindConnections(
	ctx context.Context, in FindConnectionsInput,
) (out FindConnectionsOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "find the connections", err) }()
	defer activities.Heartbeat(ctx)()
	deployment, err := i.Cloud.DeploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	if err := deployment.Settle(ctx); err != nil {
		return out, err
	}
	c := connections{}
	if c.inv, err = i.Cloud.Inventory(ctx, deployment.Cloud, in.OpOccID, deployment.Name); err != nil {
		return out, err
	}
	if c.recorded, err = i.Cloud.Deployments.Recorded(ctx, in.OpOccID); err != nil {
		return out, err
	}
	if err := c.read(ctx, deployment.Cloud); err != nil {
		return out, err
	}
	out.DeploymentID, out.Vnfcs, out.Networks = c.inv.ID, VnfcsOf(c.inv), NetworksOf(c.inv)
	for n := range out.Vnfcs {
		v := &out.Vnfcs[n]
		v.Attached = slices.DeleteFunc(v.Attached, func(a record.Attached) bool { return a.Type == lcm.GrantLinkPort })
		v.Attached = append(v.Attached, c.portsOf(*v)...)
	}
	before, after, err := i.Cloud.Deployments.Links(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	out.Moved, err = c.moved(ctx, deployment.Cloud, before, after)
	return out, err
}

// connections is the known state of ports.
type connections struct {
	inv      *vim.Inventory
	recorded []record.Vnfc
	plugged  []vim.Port            // the ports of servers
	others   map[string]vim.Port   // recorded ports that exist, by id
	found    map[string][]vim.Port // by connection point
}

// read asks the VIM. If the VIM does not plug ports into servers, the deployment lists all ports.
func (c *connections) read(ctx context.Context, cloud vim.VIM) (err error) {
	c.others, c.found = map[string]vim.Port{}, map[string][]vim.Port{}
	ports, failure := portsOf(cloud)
	if failure != nil {
		c.plugged = deployedPorts(c.inv)
		return nil //nolint:nilerr // it is no failure that a VIM cannot
	}
	if c.plugged, err = ports.PortsOf(ctx, resourceIDs(c.inv.OfKind(vim.Compute))...); err != nil {
		return err
	}
	if c.inv.Parts != nil { // the ports of Pods are the ports of their part
		c.plugged = append(c.plugged, deployedPorts(c.inv.Part(lcm.VimKindFor(true).Type))...)
	}
	var ids []string
	for _, v := range c.recorded {
		for _, a := range v.Attached {
			if a.Type == lcm.GrantLinkPort {
				ids = append(ids, a.ID)
			}
		}
	}
	list, err := ports.PortsByID(ctx, ids...)
	for _, p := range list {
		c.others[p.ID] = p
	}
	return err
}

func resourceIDs(list []vim.Resource) (ids []string) {
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return ids
}

// portsOf returns the ports of a server. For a connection point without a port at the server, it returns the
// deployment's current or former port.
func (c *connections) portsOf(v record.Vnfc) (out []record.Attached) {
	take := func(name string, p vim.Port) {
		out = append(out, record.Attached{
			Type: lcm.GrantLinkPort, Resource: name, ID: p.ID, VimType: p.VimType, MAC: p.MAC, Addresses: p.FixedIPs,
		})
		c.found[name] = append(c.found[name], p)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(out, func(a record.Attached) bool { return a.Resource == name })
	}
	for _, p := range c.plugged {
		if p.ServerID == v.ServerID {
			take(c.nameOf(v, p), p)
		}
	}
	for _, was := range c.recorded {
		for _, a := range was.Attached {
			if was.ServerID != v.ServerID || a.Type != lcm.GrantLinkPort || has(a.Resource) {
				continue
			}
			if p, ok := c.inPart(v, a.Resource); ok {
				take(a.Resource, p)
			} else if p, ok := c.others[a.ID]; ok {
				take(a.Resource, p)
			}
		}
	}
	return out
}

// inPart returns the port with that name in the server's part of the deployment.
func (c *connections) inPart(v record.Vnfc, name string) (vim.Port, bool) {
	deployment := v.Part
	if deployment == "" {
		deployment = c.inv.ID
	}
	r, ok := c.inv.In(deployment, name)
	if !ok {
		return vim.Port{}, false
	}
	p, ok := c.inv.Ports[r.ID]
	return p, ok && (p.ServerID == "" || p.ServerID == v.ServerID)
}

// nameOf returns the connection point of a port: the deployment's name for it, the recorded name, or else a name inside
// the port's name at the VIM. There the longest match wins: a port of "a-b" contains "b", too.
func (c *connections) nameOf(v record.Vnfc, p vim.Port) string {
	for _, r := range c.inv.OfKind(vim.LinkPort) {
		if r.ID == p.ID {
			return r.Name
		}
	}
	longest := ""
	for _, was := range c.recorded {
		for _, a := range was.Attached {
			if a.ID == p.ID {
				return a.Resource
			}
			if was.ServerID == v.ServerID && len(a.Resource) > len(longest) && strings.Contains(p.Name, "-"+a.Resource+"-") {
				longest = a.Resource
			}
		}
	}
	return longest
}

// moved returns the connection points that are on the links of after, and not on the links of before.
func (c *connections) moved(
	ctx context.Context, cloud vim.VIM, before, after []lcm.ExtVirtualLink,
) (cpds []string, err error) {
	for _, link := range after {
		for _, cp := range link.ExtCps {
			was, as, _ := lcm.Connection(before, cp.CpdID)
			if was.ID == link.ID && was.ResourceID == link.ResourceID && as.Same(cp) {
				continue
			}
			network, err := networkOf(ctx, cloud, link.ResourceID)
			if lcm.Is(err, lcm.KindNotFound) && c.inv.Parts != nil { // for containers the network is as the request names it
				network, err = link.ResourceID, nil
			}
			if lcm.Is(err, lcm.KindNotFound) || lcm.Is(err, lcm.KindInvalid) {
				continue // no port can be on it
			}
			if err != nil {
				return nil, err
			}
			if c.allAre(cp, network) {
				cpds = append(cpds, cp.CpdID)
			}
		}
	}
	return cpds, nil
}

// networkOf returns the id of a link's network. For a VIM without network lookup, it returns the request's value.
func networkOf(ctx context.Context, cloud vim.VIM, nameOrID string) (string, error) {
	ports, failure := portsOf(cloud)
	if failure != nil {
		return nameOrID, nil //nolint:nilerr // it is no failure that a VIM cannot
	}
	return ports.Network(ctx, nameOrID)
}

func deployedPorts(inv *vim.Inventory) (out []vim.Port) {
	if inv == nil {
		return nil
	}
	for _, r := range inv.OfKind(vim.LinkPort) {
		out = append(out, inv.Ports[r.ID])
	}
	return out
}

// allAre tells whether every port of a connection point is on a network: the given ports, or else ports with the
// requested addresses.
func (c *connections) allAre(cp lcm.ExtCp, network string) bool {
	ports := c.found[cp.CpdID]
	if given := cp.GivenPorts(); len(given) > 0 {
		return len(ports) > 0 && !slices.ContainsFunc(ports, func(p vim.Port) bool {
			return p.NetworkID != network || !slices.ContainsFunc(given,
				func(g lcm.LinkPort) bool { return g.ResourceID == p.ID })
		})
	}
	return len(ports) > 0 && !slices.ContainsFunc(ports, func(p vim.Port) bool {
		lacks := func(ip lcm.FixedIP) bool {
			has := func(o lcm.FixedIP) bool { return o.Address == ip.Address }
			return ip.Address != "" && !slices.ContainsFunc(p.FixedIPs, has)
		}
		return p.NetworkID != network || slices.ContainsFunc(cp.FixedIPs, lacks) || cp.MAC != "" &&
			!strings.EqualFold(cp.MAC, p.MAC)
	})
}
