package resources

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Inventory returns the resources of an operation's deployment, plus the given ports of its servers: ports that
// requests name. Given ports appear as if the deployment had made them, under the names of their connection points. But
// the deployment does not know them: Windlass plugs and unplugs them, and never deletes them.
func (i Cloud) Inventory(
	ctx context.Context, cloud vim.VIM, id lcm.OpOccID, name string,
) (*vim.Inventory, error) {
	inv, err := cloud.Inventory(ctx, name)
	if err != nil {
		return nil, err
	}
	before, after, err := i.Deployments.Links(ctx, id)
	if err != nil {
		return nil, err
	}
	cpds, ids := givenTo(slices.Concat(after, before))
	if len(ids) == 0 {
		return inv, nil
	}
	ports, err := portsOf(cloud)
	if err != nil {
		return nil, err
	}
	list, err := ports.PortsByID(ctx, ids...)
	if err != nil {
		return nil, err
	}
	recorded, err := i.Deployments.Recorded(ctx, id)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b vim.Port) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	for _, p := range list {
		addGiven(inv, recorded, cpds[p.ID], p)
	}
	return inv, nil
}

// givenTo returns the connection points of given ports, and the ports in their order.
func givenTo(links []lcm.ExtVirtualLink) (cpds map[string]string, ids []string) {
	cpds = map[string]string{}
	for _, link := range links {
		for _, cp := range link.ExtCps {
			for _, port := range cp.GivenPorts() {
				if cpds[port.ResourceID] == "" {
					cpds[port.ResourceID] = cp.CpdID
					ids = append(ids, port.ResourceID)
				}
			}
		}
	}
	return cpds, ids
}

// addGiven adds a given port of a VNF's server. After a rolled-back heal, the VIM's inventory does not list the server
// any more.
func addGiven(inv *vim.Inventory, recorded []record.Vnfc, cpd string, p vim.Port) {
	if _, known := inv.Ports[p.ID]; known || p.ServerID == "" {
		return
	}
	r := vim.Resource{Name: cpd, Kind: vim.LinkPort, ID: p.ID}
	for _, v := range recorded {
		if v.ServerID == p.ServerID {
			r.Part, r.Member = cmp.Or(v.Part, inv.ID), v.ParentResource
		}
	}
	for _, s := range having(inv, vim.Compute, []string{p.ServerID}) {
		r.Part, r.Member = s.Part, s.Member
	}
	if r.Part == "" {
		return // a device outside the VNF has it
	}
	if inv.Ports == nil {
		inv.Ports = map[string]vim.Port{}
	}
	inv.Resources, inv.Ports[p.ID] = append(inv.Resources, r), p
}

// looked says which of the given ports an operation checks.
type looked int

const (
	// lookedAll checks all given ports: the operation makes all servers anew.
	lookedAll looked = iota
	// lookedChanged checks the connection points whose ports the operation changes; the other ports stay in their
	// servers.
	lookedChanged
	// lookedIdle checks the ports that no server of the VNF has: new servers will get them.
	lookedIdle
)

// CheckPortsOutput is empty.
type CheckPortsOutput struct{}

// CheckPorts checks the VNF's given ports before the operation deletes the servers that hold them, so that errors
// appear while a rollback is still possible.
// Idempotent: it only reads.
func (i *Activities) CheckPorts(ctx context.Context, in DeploymentInput) (out CheckPortsOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "check the ports", err) }()
	cloud, err := i.Cloud.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	return out, i.checkGiven(ctx, cloud, in.OpOccID, lookedAll)
}

// checkGiven checks the given ports of an operation before anything changes. They must exist, be on the networks of
// their links, have the requested addresses, and be in no other device. It reports all problems together.
func (i *Activities) checkGiven(ctx context.Context, cloud vim.VIM, id lcm.OpOccID, which looked) error {
	before, links, err := i.Cloud.Deployments.Links(ctx, id)
	if err != nil {
		return err
	}
	c := givenCheck{cloud: cloud, which: which, ports: map[string]vim.Port{}}
	_, ids := givenTo(links)
	if len(ids) == 0 {
		return nil
	}
	if c.reconnector, err = portsOf(cloud); err != nil {
		return err
	}
	list, err := c.reconnector.PortsByID(ctx, ids...)
	if err != nil {
		return err
	}
	for _, p := range list {
		c.ports[p.ID] = p
	}
	if err := i.ownServers(ctx, &c, id); err != nil {
		return err
	}
	for _, link := range links {
		for _, cp := range link.ExtCps {
			if at, was, _ := lcm.Connection(before, cp.CpdID); which == lookedChanged && at.ResourceID == link.ResourceID &&
				was.Same(cp) {
				continue
			}
			for _, entry := range cp.PortEntries() {
				if err := c.port(ctx, link, cp.CpdID, entry); err != nil {
					return err
				}
			}
		}
	}
	return lcm.InvalidAll("The ports that are given cannot be used", c.problems)
}

type givenCheck struct {
	cloud       vim.VIM
	reconnector vim.Reconnector
	which       looked
	ports       map[string]vim.Port
	own         []string // the VNF's servers
	problems    []lcm.Problem
}

// ownServers finds the servers that may already have a given port: the VNF's servers, including those of an interrupted
// attempt.
func (i *Activities) ownServers(ctx context.Context, c *givenCheck, id lcm.OpOccID) error {
	name, _, err := i.Cloud.Deployments.DeploymentName(ctx, id)
	if err != nil {
		return err
	}
	inv, err := c.cloud.Inventory(ctx, name)
	switch {
	case err == nil:
		c.own = resourceIDs(inv.OfKind(vim.Compute))
	case !lcm.Is(err, lcm.KindNotFound):
		return err
	}
	recorded, err := i.Cloud.Deployments.Recorded(ctx, id)
	for _, v := range recorded {
		c.own = append(c.own, v.ServerID)
	}
	return err
}

func (c *givenCheck) port(ctx context.Context, link lcm.ExtVirtualLink, cpd string, entry lcm.CpConfig) error {
	add := func(format string, args ...any) {
		begin := fmt.Sprintf("the port %s of %s (linkPortId %q) ", entry.LinkPort.ResourceID, cpd, entry.LinkPort.ID)
		c.problems = append(c.problems, lcm.Problem{Path: "$.extVirtualLinks", Detail: begin + fmt.Sprintf(format, args...)})
	}
	p, ok := c.ports[entry.LinkPort.ResourceID]
	if !ok {
		add("does not exist in the VIM, or the VIM's project may not use it")
		return nil
	}
	if c.which == lookedIdle && slices.Contains(c.own, p.ServerID) {
		return nil
	}
	network, err := c.reconnector.Network(ctx, link.ResourceID)
	switch {
	case lcm.Is(err, lcm.KindNotFound), lcm.Is(err, lcm.KindInvalid):
		add("cannot be on the network of its link: %s", lcm.Sentence(err))
	case err != nil:
		return err
	case p.NetworkID != network:
		add("is on the network %s, and its link is %s", p.NetworkID, link.ResourceID)
	}
	if p.ServerID != "" && !slices.Contains(c.own, p.ServerID) {
		add("is in use by %s", p.ServerID)
	}
	for _, ip := range entry.FixedIPs {
		has := func(o lcm.FixedIP) bool {
			return (ip.Address == "" || o.Address == ip.Address) && (ip.SubnetID == "" || o.SubnetID == ip.SubnetID)
		}
		if ip.Address != "" && !slices.ContainsFunc(p.FixedIPs, has) {
			add("does not have the address %s of the request", ip.Address)
		}
	}
	if entry.MAC != "" && !strings.EqualFold(entry.MAC, p.MAC) {
		add("has the MAC address %s, not %s", p.MAC, entry.MAC)
	}
	return nil
}
