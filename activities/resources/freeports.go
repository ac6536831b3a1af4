package resources

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// releasing frees ports from servers if the VIM does not, so that the successors can have the ports.
type releasing struct {
	cloud vim.VIM
	inv   *vim.Inventory
	show  func(string)
}

// broken deletes leaving servers that are in ERROR and have ports of the deployment. The VIM moves ports from other
// servers to their successors, but not from servers in ERROR; then the successors would fail.
func (r releasing) broken(ctx context.Context, leaving []string) error {
	for _, resource := range having(r.inv, vim.Compute, leaving) {
		id := resource.ID
		if r.inv.Servers[id].Level != vim.Failed || len(r.plugged(id)) == 0 {
			continue
		}
		r.show("The server " + id + " is in ERROR and keeps its ports: Windlass deletes it first.")
		if err := r.deleteServer(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// superseded unplugs the ports of servers that the VNF has kept after a rolled-back heal. The VIM no longer lists these
// servers, and tries to make their successors at every change of the deployment.
func (r releasing) superseded(ctx context.Context, recorded []record.Vnfc) error {
	for _, v := range recorded {
		if len(having(r.inv, vim.Compute, []string{v.ServerID})) > 0 {
			continue
		}
		for _, port := range r.plugged(v.ServerID) {
			r.show("The server " + v.ServerID + " gives its port " + port +
				" to its successor now, which the VIM could not make before.")
			ports, err := portsOf(r.cloud)
			if err != nil {
				return err
			}
			err = ports.UnplugPort(ctx, v.ServerID, port)
			if lcm.Is(err, lcm.KindConflict) {
				err = r.deleteServer(ctx, v.ServerID)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (r releasing) deleteServer(ctx context.Context, id string) error {
	restorer, err := restorerOf(r.cloud)
	if err != nil {
		return err
	}
	return restorer.DeleteServer(ctx, id)
}

// plugged returns the deployment's ports of a server, in the order of the deployment's resources.
func (r releasing) plugged(server string) (ids []string) {
	for _, resource := range r.inv.OfKind(vim.LinkPort) {
		if r.inv.Ports[resource.ID].ServerID == server {
			ids = append(ids, resource.ID)
		}
	}
	return ids
}
