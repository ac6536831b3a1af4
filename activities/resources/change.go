package resources

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// ChangeStackInput describes the change of the VNF's deployment.
type ChangeStackInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	Sizes   vim.Sizes   `json:"sizes"`
	// Leaving are exactly the servers that the activity removes or replaces.
	Leaving []string `json:"leaving,omitempty"`
	// LeavingVolumes and LeavingPorts are the volumes and ports that are replaced, too.
	LeavingVolumes []string `json:"leavingVolumes,omitempty"`
	LeavingPorts   []string `json:"leavingPorts,omitempty"`
	// Within replaces only the servers themselves, also inside a group. Otherwise the whole group member that contains
	// the server is replaced.
	Within bool `json:"within,omitempty"`
	// On is the type of the VIM whose part of a hybrid VNF changes; "" means the whole VNF.
	On string `json:"on,omitempty"`
}

// ChangeStackOutput is empty.
type ChangeStackOutput struct{}

// ChangeStack resizes the groups of the VNF's deployment to the operation's plan, and removes or replaces the leaving
// servers. It waits until the VIM is done.
//
// Idempotent: deleted servers stay deleted, groups of the right size keep it, and the activity waits for a change that
// is under way. Takes minutes, so it heartbeats. A cancel only stops the waiting.
func (i *Activities) ChangeStack(ctx context.Context, in ChangeStackInput) (out ChangeStackOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "change the deployment", err) }()
	defer activities.Heartbeat(ctx)()
	cloud, err := i.Cloud.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	change, recorded, err := i.Cloud.Deployments.Change(ctx, in.OpOccID, in.Sizes)
	if err != nil {
		return out, err
	}
	change.Only = in.On
	// The inventory does not list members that are still being created; the VIM would mistake other members for them.
	if err := cloud.Settle(ctx, change.Name, change.Owner, i.Cloud.Output.Lines(ctx, in.Step)); err != nil {
		return out, err
	}
	inv, err := i.Cloud.Inventory(ctx, cloud, in.OpOccID, change.Name)
	if err != nil {
		return out, err
	}
	vnfcs, err := i.Cloud.Deployments.Recorded(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	if err := i.checkComing(ctx, cloud, in); err != nil {
		return out, err
	}
	release := releasing{cloud: cloud, inv: inv, show: i.Cloud.Output.Lines(ctx, in.Step)}
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
	return out, cloud.Change(ctx, change, i.Cloud.Output.Lines(ctx, in.Step))
}

// checkComing checks the given ports for the new servers.
func (i *Activities) checkComing(ctx context.Context, cloud vim.VIM, in ChangeStackInput) error {
	switch in.Sizes {
	case vim.SizesRecorded:
		return nil
	case vim.SizesGrown:
		return i.checkGiven(ctx, cloud, in.OpOccID, lookedIdle)
	default:
		return i.checkGiven(ctx, cloud, in.OpOccID, lookedChanged)
	}
}

// stayingMembers returns the failed group members that hold recorded, staying servers.
func stayingMembers(inv *vim.Inventory, recorded, leaving []string) []vim.Resource {
	staying := slices.DeleteFunc(slices.Clone(recorded), func(id string) bool { return slices.Contains(leaving, id) })
	isServer := func(r vim.Resource) bool { return r.Kind == vim.Compute } // the VIM fails no server because of others
	return slices.DeleteFunc(toRemove(inv, staying),
		func(r vim.Resource) bool { return isServer(r) || !r.Unhealthy() })
}

// having returns the resources of a kind with these ids. A replaced resource has another id.
func having(inv *vim.Inventory, kind vim.ResourceKind, ids []string) (out []vim.Resource) {
	for _, r := range inv.OfKind(kind) {
		if slices.Contains(ids, r.ID) {
			out = append(out, r)
		}
	}
	return out
}

// unknownServers returns the servers of the deployment that are neither known nor the successor of a recorded server.
// The VIM may just be replacing a recorded server.
func unknownServers(inv *vim.Inventory, known []string, vnfcs []record.Vnfc) []string {
	var out []string
	for _, r := range inv.OfKind(vim.Compute) {
		if !slices.Contains(known, r.ID) && !isPlace(inv, r, vnfcs) {
			out = append(out, r.ID)
		}
	}
	return out
}

// isPlace tells whether a resource has the place of a recorded VM in the deployment.
func isPlace(inv *vim.Inventory, r vim.Resource, vnfcs []record.Vnfc) bool {
	return slices.ContainsFunc(vnfcs, func(v record.Vnfc) bool {
		return v.VduID == r.Name && (v.Part == r.Part || v.Part == "" && r.Part == inv.ID)
	})
}

// emptyMembers returns the group members that have no server and never had one: a failed scale-out has left them.
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

// toRemove returns the resources to delete so that these servers go: the group member of a server, or the server itself
// outside of any group. It skips servers that are already gone.
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
