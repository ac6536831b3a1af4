package activities

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// The VIM's part of a storage server: its VM, its ports and its volumes.

// findStorage finds the storage server of the request in the deployment; nil when the request asks for none.
func findStorage(inv *vim.Inventory, p k8s.Params) (*lcm.StorageServer, error) {
	params := p.StorageServer
	if params == nil {
		return nil, nil
	}
	node, err := nodeOf(inv, inv.ID, lcm.Storage,
		k8s.NodeParams{SSHCpName: params.SSHCpName, NicCpName: params.NicCpName})
	if err != nil {
		return nil, err
	}
	s := &lcm.StorageServer{Node: node}
	for _, v := range params.Volumes {
		volume, err := findVolume(inv, v.VolumeResourceID)
		if err != nil {
			return nil, err
		}
		s.Volumes = append(s.Volumes, *volume)
	}
	for _, cp := range nfsServerCps(p) {
		port, err := portNamed(inv, inv.ID, cp)
		if err != nil {
			return nil, err
		}
		s.Addresses = append(s.Addresses, lcm.CpAddress{Cp: cp, Address: port.Address})
	}
	return s, nil
}

// findVolume finds a volume outside of any group by its name in the template, with the server that it is attached to.
func findVolume(inv *vim.Inventory, name string) (*lcm.StorageVolume, error) {
	r, ok := inv.In(inv.ID, name)
	if !ok || r.ID == "" {
		return nil, missing(name, "volume_resource_id")
	}
	return &lcm.StorageVolume{ResourceID: name, VolumeID: r.ID, ServerID: holderOf(inv, r.ID)}, nil
}

// nfsServerCps are the connection points whose addresses go into volumes, each once.
func nfsServerCps(p k8s.Params) (out []string) {
	add := func(cp string) {
		if !slices.Contains(out, cp) {
			out = append(out, cp)
		}
	}
	for _, pv := range p.PersistentVolumes {
		add(pv.NFSServerCp)
	}
	for _, class := range p.StorageClasses {
		add(class.NFSServerCp)
	}
	return out
}

// holderOf returns the deployment's server that a volume is attached to, "" for none.
func holderOf(inv *vim.Inventory, volume string) string {
	for _, r := range inv.OfKind(vim.Compute) {
		if slices.Contains(inv.Servers[r.ID].VolumeIDs, volume) {
			return r.ID
		}
	}
	return ""
}

// volumesOf returns the resources that still have these volume ids.
func volumesOf(inv *vim.Inventory, ids []string) []vim.Resource {
	return having(inv, vim.Storage, ids)
}

// deployedVolumes returns the ids of the volumes that the deployment has made.
func deployedVolumes(inv *vim.Inventory) (ids []string) {
	for _, r := range inv.OfKind(vim.Storage) {
		ids = append(ids, r.ID)
	}
	return ids
}

// volumesStay returns a Conflict when the VIM would delete volumes together with the server, and NotFound when the VIM
// has no such server. ours are the deployment's volumes.
func volumesStay(ctx context.Context, cloud vim.VIM, server string, ours ...string) error {
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
	Tracked
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
func (i *Infrastructure) FreeVolumes(ctx context.Context, in FreeVolumesInput) (out FreeVolumesOutput, err error) {
	defer func() { err = boundary(ctx, "free the volumes", err) }()
	defer heartbeat(ctx)()
	cloud, err := i.VIMs.VIM(ctx, in.OpOccID)
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
	show := i.Output.Lines(ctx, in.Step)
	switch err := volumesStay(ctx, cloud, in.ServerID); {
	case lcm.Is(err, lcm.KindNotFound):
		show("The server " + in.ServerID + " is gone already.")
		return out, nil
	case err != nil:
		return out, err
	}
	limited, cancel := context.WithTimeout(ctx, politely)
	if err := power.StopServer(limited, in.ServerID); err != nil && ctx.Err() == nil {
		show("The server " + in.ServerID + " does not shut down; Windlass deletes it " +
			"anyway: " + classify(err).Sentence())
	}
	cancel()
	if err := restorer.DeleteServer(ctx, in.ServerID); err != nil {
		return out, err
	}
	show("The server " + in.ServerID + " is deleted: its volumes are free.")
	return out, nil
}
