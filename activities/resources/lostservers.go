package resources

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// ServersInput names servers of an operation's VNF.
type ServersInput struct {
	activities.Tracked
	OpOccID   lcm.OpOccID `json:"opOccId"`
	ServerIDs []string    `json:"serverIds"`
}

// LostServersOutput lists the servers that are deleted, or are being deleted.
type LostServersOutput struct {
	Lost []string `json:"lost,omitempty"`
}

// FindLostServers returns the deleted servers. A rollback of a heal is possible only while there are none.
// Idempotent: it only reads.
func (i *Activities) FindLostServers(ctx context.Context, in ServersInput) (out LostServersOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "look whether servers are deleted", err) }()
	power, err := i.powerAt(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	out.Lost, err = lost(ctx, power, in.ServerIDs)
	return out, err
}

func lost(ctx context.Context, power vim.Power, servers []string) (gone []string, err error) {
	for _, id := range servers {
		s, err := power.ServerState(ctx, id)
		switch {
		case lcm.Is(err, lcm.KindNotFound), err == nil && s.Deleted():
			gone = append(gone, id)
		case err != nil:
			return nil, err
		}
	}
	return gone, nil
}

// RestoreServers gives ports back to servers whose replacement failed: the VIM has taken the ports for the successors.
// It deletes a failed successor that has such a port. It does nothing when a server is lost.
//
// Idempotent: a port that a server already has stays there. It waits until the VIM is done, so it heartbeats. For the
// VIM the old server must still be replaced: the next change of the deployment does so.
func (i *Activities) RestoreServers(ctx context.Context, in ServersInput) (out LostServersOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "give the machines their ports back", err) }()
	defer activities.Heartbeat(ctx)()
	deployment, err := i.Cloud.DeploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	r := restoring{show: deployment.Show}
	power, err := r.on(deployment.Cloud)
	if err != nil {
		return out, err
	}
	if r.recorded, err = i.Cloud.Deployments.Recorded(ctx, in.OpOccID); err != nil {
		return out, err
	}
	if err := deployment.Settle(ctx); err != nil {
		return out, err
	}
	if out.Lost, err = lost(ctx, power, in.ServerIDs); err != nil || len(out.Lost) > 0 {
		return out, err
	}
	if r.inv, err = i.Cloud.Inventory(ctx, deployment.Cloud, in.OpOccID, deployment.Name); err != nil {
		return out, err
	}
	for _, id := range in.ServerIDs {
		if err := r.server(ctx, id); err != nil {
			return out, err
		}
	}
	return out, nil
}

type restoring struct {
	restorer vim.Restorer
	ports    vim.Reconnector
	inv      *vim.Inventory
	recorded []record.Vnfc
	show     func(string)
}

// on gets the required interfaces from the VIM.
func (r *restoring) on(v vim.VIM) (power vim.Power, err error) {
	if r.restorer, err = restorerOf(v); err != nil {
		return nil, err
	}
	if r.ports, err = portsOf(v); err != nil {
		return nil, err
	}
	return powerOf(v)
}

// server restores one server.
func (r restoring) server(ctx context.Context, id string) error {
	for _, resource := range r.inv.OfKind(vim.Compute) {
		if resource.ID == id && resource.Unhealthy() {
			if err := r.restorer.MarkHealthy(ctx, resource, "The heal is rolled back."); err != nil {
				return err
			}
		}
	}
	at := slices.IndexFunc(r.recorded, func(v record.Vnfc) bool { return v.ServerID == id })
	if at < 0 {
		return nil
	}
	var ids []string
	for _, a := range r.recorded[at].Attached {
		if a.Type == lcm.GrantLinkPort {
			ids = append(ids, a.ID)
		}
	}
	ports, err := r.ports.PortsByID(ctx, ids...)
	if err != nil {
		return err
	}
	for _, wanted := range ids { // in plug order: it sets the order of the interfaces
		for _, port := range ports {
			if port.ID == wanted && port.ServerID != id {
				if err := r.plug(ctx, id, port); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// plug gives a server its port back. A server in ERROR may not accept a port, and it could not before the heal.
func (r restoring) plug(ctx context.Context, server string, port vim.Port) error {
	if r.isSuccessor(port.ServerID) {
		r.show("Windlass deletes the server " + port.ServerID + ", which should replace " + server + ": it has the " +
			"port " +
			port.ID + ".")
		if err := r.restorer.DeleteServer(ctx, port.ServerID); err != nil {
			return err
		}
	}
	switch err := r.ports.PlugPort(ctx, server, port.ID); {
	case lcm.Is(err, lcm.KindConflict), lcm.Is(err, lcm.KindNotFound):
		r.show("The server " + server + " cannot have its port " + port.ID + " back: " + activities.Classify(err).Sentence())
	case err != nil:
		return err
	default:
		r.show("The server " + server + " has its port " + port.ID + " again.")
	}
	return nil
}

// isSuccessor tells whether the VIM made this server as the successor of a recorded server.
func (r restoring) isSuccessor(id string) bool {
	known := func(v record.Vnfc) bool { return v.ServerID == id }
	made := func(s vim.Resource) bool { return s.ID == id }
	return id != "" && !slices.ContainsFunc(r.recorded, known) &&
		slices.ContainsFunc(r.inv.OfKind(vim.Compute), made)
}
