package activities

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// PlanInput says what is known of the cluster's health when the plan is made.
type PlanInput struct {
	Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	// Unhealthy are nodes that do not work, and why.
	Unhealthy []UnhealthyNode `json:"unhealthy,omitempty"`
}

// UnhealthyNode is a node that does not work. Why is a clause.
type UnhealthyNode struct {
	Node string `json:"node"`
	Why  string `json:"why"`
}

// Unhealthy are the nodes that do not work, in the order in which Kubernetes lists them.
func (o ClusterHealthOutput) Unhealthy() []UnhealthyNode {
	var out []UnhealthyNode
	for _, n := range o.Nodes {
		sick := func(m MemberHealth) bool { return m.Name == n.Name && (!m.Healthy || m.Learner) }
		switch {
		case !n.Ready:
			out = append(out, UnhealthyNode{Node: n.Name, Why: "it is not Ready"})
		case slices.ContainsFunc(o.Members, sick):
			out = append(out, UnhealthyNode{Node: n.Name, Why: "its etcd does not answer"})
		}
	}
	return out
}

// Absent are the nodes of a list that Kubernetes does not know: an operation that was given up has left their VMs.
// Nothing is said of them while the nodes are not known at all.
func (o ClusterHealthOutput) Absent(list lcm.Nodes) []UnhealthyNode {
	if len(o.Nodes) == 0 {
		return nil
	}
	var out []UnhealthyNode
	for _, node := range list {
		if !slices.ContainsFunc(o.Nodes, func(n NodeHealth) bool { return n.Name == node.Name }) {
			out = append(out, UnhealthyNode{Node: node.Name, Why: "it is no node of the cluster"})
		}
	}
	return out
}

// PlanOperation decides what the operation changes, and keeps it.
// Idempotent: the plan that was kept first counts, whatever the cluster looks like now.
func (o *OpOccs) PlanOperation(ctx context.Context, in PlanInput) (plan lcm.Plan, err error) {
	defer func() { err = boundary(ctx, "plan the operation", err) }()
	unhealthy := map[string]string{}
	for _, n := range in.Unhealthy {
		unhealthy[n.Node] = n.Why
	}
	if plan, err = o.Facts.Plan(ctx, in.OpOccID, unhealthy); err != nil {
		return plan, err
	}
	return o.Records.KeepPlan(ctx, in.OpOccID, plan)
}

// ChangeStackInput says what becomes different of the VNF's deployment.
type ChangeStackInput struct {
	Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	Sizes   vim.Sizes   `json:"sizes"`
	// Leaving are servers that go, or are replaced: exactly these.
	Leaving []string `json:"leaving,omitempty"`
	// LeavingVolumes and LeavingPorts are volumes and ports that are replaced, too.
	LeavingVolumes []string `json:"leavingVolumes,omitempty"`
	LeavingPorts   []string `json:"leavingPorts,omitempty"`
	// Within replaces servers alone, wherever in the deployment they are. Else the member of a group that a server belongs
	// to goes with all that it consists of.
	Within bool `json:"within,omitempty"`
	// On is the type of the VIM on which a part of a hybrid VNF changes, "" for all of it.
	On string `json:"on,omitempty"`
}

// ChangeStackOutput is empty.
type ChangeStackOutput struct{}

// ChangeStack gives the groups of the VNF's deployment the sizes of the operation's plan, and removes or replaces the
// servers that leave, and waits until the VIM is done.
//
// Idempotent: servers that are gone stay gone, groups that have their size keep it, a change that is under way is
// waited for. Takes minutes, so it heartbeats; a cancel stops the waiting only.
func (i *Infrastructure) ChangeStack(ctx context.Context, in ChangeStackInput) (out ChangeStackOutput, err error) {
	defer func() { err = boundary(ctx, "change the deployment", err) }()
	defer heartbeat(ctx)()
	cloud, err := i.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	change, recorded, err := i.Deployments.Change(ctx, in.OpOccID, in.Sizes)
	if err != nil {
		return out, err
	}
	change.Only = in.On
	// Members that an enlargement is still making would not be in the inventory, and the VIM would take others for them.
	if err := cloud.Settle(ctx, change.Name, change.Owner, i.Output.Lines(ctx, in.Step)); err != nil {
		return out, err
	}
	inv, err := i.inventory(ctx, cloud, in.OpOccID, change.Name)
	if err != nil {
		return out, err
	}
	vnfcs, err := i.Deployments.Recorded(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	if err := i.checkComing(ctx, cloud, in); err != nil {
		return out, err
	}
	release := releasing{cloud: cloud, inv: inv, show: i.Output.Lines(ctx, in.Step)}
	if err := release.superseded(ctx, vnfcs); err != nil {
		return out, err
	}
	switch {
	case in.Sizes == vim.SizesRecorded:
		change.Replace = append(toRemove(inv, unknownServers(inv, recorded, vnfcs)), emptyMembers(inv, vnfcs)...)
	case in.Within:
		if err := release.broken(ctx, in.Leaving); err != nil {
			return out, err
		}
		change.Replace = append(having(inv, vim.Compute, in.Leaving),
			having(inv, vim.LinkPort, in.LeavingPorts)...)
		change.Replace = append(change.Replace, volumesOf(inv, in.LeavingVolumes)...)
	default:
		change.Replace = append(toRemove(inv, in.Leaving), volumesOf(inv, in.LeavingVolumes)...)
	}
	if in.Sizes != vim.SizesGrown {
		change.Keep = stayingMembers(inv, recorded, in.Leaving)
	}
	return out, cloud.Change(ctx, change, i.Output.Lines(ctx, in.Step))
}

// checkComing looks at the ports that are given to servers which come.
func (i *Infrastructure) checkComing(ctx context.Context, cloud vim.VIM, in ChangeStackInput) error {
	switch in.Sizes {
	case vim.SizesRecorded:
		return nil
	case vim.SizesGrown:
		return i.checkGiven(ctx, cloud, in.OpOccID, lookedIdle)
	default:
		return i.checkGiven(ctx, cloud, in.OpOccID, lookedChanged)
	}
}

// stayingMembers are the members of groups that have failed, and that hold recorded servers which do not leave.
func stayingMembers(inv *vim.Inventory, recorded, leaving []string) []vim.Resource {
	staying := slices.DeleteFunc(slices.Clone(recorded), func(id string) bool { return slices.Contains(leaving, id) })
	isServer := func(r vim.Resource) bool { return r.Kind == vim.Compute } // the VIM fails none for another's sake
	return slices.DeleteFunc(toRemove(inv, staying),
		func(r vim.Resource) bool { return isServer(r) || !r.Unhealthy() })
}

// having are the resources of a type that are still those of these ids: one that was replaced has another id.
func having(inv *vim.Inventory, kind vim.Kind, ids []string) (out []vim.Resource) {
	for _, r := range inv.OfKind(kind) {
		if slices.Contains(ids, r.ID) {
			out = append(out, r)
		}
	}
	return out
}

// unknownServers are the servers of the deployment that are not among those that are known, nor to take the place of
// one: the VIM may be about to replace one that is.
func unknownServers(inv *vim.Inventory, known []string, vnfcs []record.Vnfc) []string {
	var out []string
	for _, r := range inv.OfKind(vim.Compute) {
		if !slices.Contains(known, r.ID) && !isPlace(inv, r, vnfcs) {
			out = append(out, r.ID)
		}
	}
	return out
}

// isPlace tells whether a resource is the one that a recorded VM is, or was.
func isPlace(inv *vim.Inventory, r vim.Resource, vnfcs []record.Vnfc) bool {
	return slices.ContainsFunc(vnfcs, func(v record.Vnfc) bool {
		return v.VduID == r.Name && (v.Part == r.Part || v.Part == "" && r.Part == inv.ID)
	})
}

// emptyMembers are the members of groups that have no server, and had none: what a failed enlargement has left.
func emptyMembers(inv *vim.Inventory, vnfcs []record.Vnfc) []vim.Resource {
	groups, inhabited := map[string]bool{}, map[string]bool{}
	for _, r := range inv.Resources {
		if r.Kind == vim.Group {
			groups[r.ID] = r.ID != ""
		}
	}
	for _, server := range inv.OfKind(vim.Compute) {
		inhabited[server.Part], inhabited[server.ID] = true, true
	}
	for _, v := range vnfcs {
		inhabited[v.Part] = true
	}
	delete(inhabited, "")
	var out []vim.Resource
	for _, r := range inv.Resources {
		if groups[r.Part] && (r.ID == "" || !inhabited[r.ID]) {
			out = append(out, r)
		}
	}
	return out
}

// toRemove are the resources that have to go for the servers to go: the member of a group that a server belongs to, or
// the server itself where it belongs to none. A server that is gone has none.
func toRemove(inv *vim.Inventory, servers []string) []vim.Resource {
	var out []vim.Resource
	for _, server := range inv.OfKind(vim.Compute) {
		if !slices.Contains(servers, server.ID) {
			continue
		}
		holder := server
		for _, r := range inv.Resources {
			if r.ID == server.Part && server.Part != inv.ID {
				holder = r
			}
		}
		out = append(out, holder)
	}
	return out
}
