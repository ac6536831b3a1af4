package resources

import (
	"context"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// The VIM's part of a storage server: its VM, its ports and its volumes.

// volumesOf returns the resources that still have these volume ids.
func volumesOf(inv *vim.Inventory, ids []string) []vim.Resource {
	return having(inv, vim.Storage, ids)
}

// DeployedVolumes returns the ids of the volumes that the deployment has made.
func DeployedVolumes(inv *vim.Inventory) (ids []string) {
	for _, r := range inv.OfKind(vim.Storage) {
		ids = append(ids, r.ID)
	}
	return ids
}

// VolumesStay returns a Conflict when the VIM would delete volumes together with the server, and NotFound when the VIM
// has no such server. ours are the deployment's volumes.
func VolumesStay(ctx context.Context, cloud vim.VIM, server string, ours ...string) error {
	keeper, err := volumesOfVIM(cloud)
	if err != nil {
		return err
	}
	lost, err := keeper.VolumesLost(ctx, server, ours...)
	if err != nil || len(lost) == 0 {
		return err
	}
	return lcm.Errorf(lcm.KindConflict, "The VIM would delete the volume %s together with the server %s "+
		"(delete_on_termination): nothing was deleted. Remove this flag from the volume's attachment, then retry; or "+
		"replace the volumes, too (additionalParams.all true).", strings.Join(lost, ", "), server)
}

// FreeVolumesInput names the server whose volumes go to its successor.
type FreeVolumesInput struct {
	activities.Tracked
	OpOccID  lcm.OpOccID `json:"opOccId"`
	ServerID string      `json:"serverId"`
}

// FreeVolumesOutput is empty: the server is gone, and its volumes are free.
type FreeVolumesOutput struct{}

// politely is how long a server may take to shut down and unmount its file systems. Data that the server has written is
// on the volumes in any case.
const politely = time.Minute

// FreeVolumes shuts a server down and deletes it. Otherwise the VIM would make the successor first, and a volume can be
// attached to only one server. It refuses if the VIM would delete volumes with the server. The deployment still lists
// the server: ChangeStack replaces it.
//
// Idempotent: a deleted server has no volumes. Takes up to about two minutes, so it heartbeats.
func (i *Activities) FreeVolumes(ctx context.Context, in FreeVolumesInput) (out FreeVolumesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "free the volumes", err) }()
	defer activities.Heartbeat(ctx)()
	cloud, err := i.Cloud.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	power, err := powerOf(cloud)
	if err != nil {
		return out, err
	}
	restorer, err := restorerOf(cloud)
	if err != nil {
		return out, err
	}
	show := i.Cloud.Output.Lines(ctx, in.Step)
	switch err := VolumesStay(ctx, cloud, in.ServerID); {
	case lcm.Is(err, lcm.KindNotFound):
		show("The server " + in.ServerID + " is gone already.")
		return out, nil
	case err != nil:
		return out, err
	}
	limited, cancel := context.WithTimeout(ctx, politely)
	if err := power.StopServer(limited, in.ServerID); err != nil && ctx.Err() == nil {
		show("The server " + in.ServerID + " does not shut down; Windlass deletes it " +
			"anyway: " + activities.Classify(err).Sentence())
	}
	cancel()
	if err := restorer.DeleteServer(ctx, in.ServerID); err != nil {
		return out, err
	}
	show("The server " + in.ServerID + " is deleted: its volumes are free.")
	return out, nil
}
