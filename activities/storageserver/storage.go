// Package storageserver has the activities on storage servers, and on the volumes and classes that clusters have there.
package storageserver

import (
	"context"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/locate"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// Activities makes a VM a storage server: it mounts its volumes and exports them over NFS.
type Activities struct{ Reach reach.Runner }

// noStorage is the error of a storage step for a request without a storage server.
func noStorage() error {
	return lcm.Errorf(lcm.KindBug, "Windlass ran a step for storage servers, but the request asks for none.")
}

// storageOf reads the request's parameters of the storage server.
func storageOf(
	ctx context.Context, r reach.Runner, id lcm.OpOccID,
) (reach.ClusterContext, *k8s.StorageServerParams, error) {
	cluster, err := r.Cluster(ctx, id)
	if err == nil && cluster.Params.StorageServer == nil {
		err = noStorage()
	}
	return cluster, cluster.Params.StorageServer, err
}

// CheckStorageServerOutput is empty: the VM can be a storage server.
type CheckStorageServerOutput struct{}

// CheckStorageServer is the preflight check of the storage server. Its error lists all problems.
//
// Idempotent: it only reads. Takes seconds.
func (s *Activities) CheckStorageServer(
	ctx context.Context, in reach.NodeInput,
) (out CheckStorageServerOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "check "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	cluster, _, err := storageOf(ctx, s.Reach, in.OpOccID)
	if err != nil {
		return out, err
	}
	results, err := s.Reach.RunOn(ctx, in, reach.Command(cluster,
		scripts.CheckStorageServer{Node: in.Node.Name, Address: in.Node.Address}))
	if err != nil {
		return out, err
	}
	if problems := results.Texts("problem"); len(problems) > 0 {
		err = lcm.Errorf(lcm.KindBroken, "%s cannot become a storage server: %s. Correct this, then retry.", in.Node.Name,
			strings.Join(problems, "; "))
	}
	return out, err
}

// SetUpVolumesInput names the storage server and its volumes.
type SetUpVolumesInput struct {
	reach.NodeInput
	Volumes []lcm.StorageVolume `json:"volumes"`
}

// SetUpVolumesOutput tells which volumes were empty, by their ids.
type SetUpVolumesOutput struct {
	Formatted []string `json:"formatted,omitempty"`
}

// DeviceTimeout is how long, in seconds, an attached disk may take to appear in the guest.
const DeviceTimeout = 60

// SetUpVolumes makes a file system on each empty volume and mounts all volumes, now and at every boot.
//
// Idempotent: it never formats a volume that has a file system, and a mounted volume stays mounted. Takes seconds, or
// minutes for large volumes (timeouts.install). A cancel kills the formatting, and the next run finds the volume empty.
func (s *Activities) SetUpVolumes(ctx context.Context, in SetUpVolumesInput) (out SetUpVolumesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "set up the volumes of "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	cluster, params, err := storageOf(ctx, s.Reach, in.OpOccID)
	if err != nil {
		return out, err
	}
	limit := cluster.Params.Timeouts.Install
	step := scripts.SetUpVolumes{Node: in.Node.Name, Timeout: DeviceTimeout, LockFor: reach.LockFor(limit)}
	for _, p := range params.Volumes {
		at := slices.IndexFunc(in.Volumes, func(v lcm.StorageVolume) bool { return v.ResourceID == p.VolumeResourceID })
		if at < 0 {
			return out, locate.Missing(p.VolumeResourceID, "volume_resource_id")
		}
		if err := AttachedTo(in.Node, in.Volumes[at], "the storage server"); err != nil {
			return out, err
		}
		step.Volumes = append(step.Volumes, scripts.MountedVolume{ID: in.Volumes[at].VolumeID, Directory: p.MountTo})
	}
	results, err := s.Reach.RunOn(
		ctx, in.NodeInput, reach.Task{Script: step, Limit: reach.Seconds(limit), Parameter: "timeouts.install"},
	)
	out.Formatted = Formatted(results)
	return out, err
}

// AttachedTo returns an error if a volume is not attached to the node. what is the kind of machine, for the error text.
func AttachedTo(node lcm.Node, v lcm.StorageVolume, what string) error {
	switch v.ServerID {
	case node.ServerID:
		return nil
	case "":
		return lcm.Errorf(lcm.KindBroken, "The volume %s (%s of the template) is attached to no server of the VNF. Attach "+
			"it to %s, or correct the package, then retry.",
			v.VolumeID, v.ResourceID, node.ServerID)
	default:
		return lcm.Errorf(lcm.KindBroken,
			"The volume %s (%s of the template) is attached to the server %s, not to %s %s. Correct the package.",
			v.VolumeID, v.ResourceID, v.ServerID, what, node.ServerID)
	}
}

// Formatted returns the ids of the volumes that SetUpVolumes has formatted.
func Formatted(r scripts.Results) (out []string) {
	for _, line := range r.All("volume") {
		if f := reach.Fields(line, 4); f[3] == "yes" {
			out = append(out, f[0])
		}
	}
	return out
}

// ExportVolumesOutput tells which NFS server runs: kernel or ganesha.
type ExportVolumesOutput struct {
	Server string `json:"server"`
}

// ExportVolumes exports the directories of the request over NFS: with the kernel's server if the kernel has it, else
// with NFS-Ganesha if the image has it.
//
// Idempotent: it installs packages only when their commands are missing, keeps the content of existing directories, and
// writes the list of exports as a whole. Takes seconds, or minutes when it installs packages (timeouts.install).
func (s *Activities) ExportVolumes(ctx context.Context, in reach.NodeInput) (out ExportVolumesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "export the volumes of "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	cluster, params, err := storageOf(ctx, s.Reach, in.OpOccID)
	if err != nil {
		return out, err
	}
	inputs, mask, err := s.Reach.ProxyInputs(ctx, cluster.Params.Proxy)
	if err != nil {
		return out, err
	}
	limit := cluster.Params.Timeouts.Install
	step := scripts.ExportVolumes{
		Node: in.Node.Name, NoProxy: reach.NoProxy(cluster.Params, "", nil), LockFor: reach.LockFor(limit),
		Timeout: reach.Briefly(cluster),
	}
	for _, v := range params.Volumes {
		step.Mounts = append(step.Mounts, v.MountTo)
	}
	for _, dir := range params.ExportDirs() {
		export := scripts.Export{Directory: dir}
		for _, e := range params.Exports {
			if e.ExportDir == dir {
				export.Networks = append(export.Networks, e.ExportTo)
			}
		}
		step.Exports = append(step.Exports, export)
	}
	results, err := s.Reach.RunOn(ctx, in, reach.Task{
		Script: step, Stdin: scripts.Stdin(inputs...), Mask: mask, Limit: reach.Seconds(limit), Parameter: "timeouts.install",
	})
	out.Server = results.Get("server")
	return out, err
}

// MountExportsInput names a node of the cluster and the storage server.
type MountExportsInput struct {
	reach.NodeInput
	Storage lcm.StorageServer `json:"storage"`
	// WasBroken is set for a node that did not work before the operation: the step may skip it.
	WasBroken bool `json:"wasBroken,omitempty"`
}

// MountExportsOutput is empty: the node can mount every export.
type MountExportsOutput struct{}

// MountExports installs an NFS client on a node and verifies that the node can mount every export and write to it.
// Nothing stays mounted.
//
// Idempotent. Takes seconds, or minutes when it installs packages (timeouts.install).
func (s *Activities) MountExports(ctx context.Context, in MountExportsInput) (out MountExportsOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "mount the exports on "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	cluster, params, err := storageOf(ctx, s.Reach, in.OpOccID)
	if err != nil {
		return out, err
	}
	limit := cluster.Params.Timeouts.Install
	step := scripts.MountExports{
		Node: in.Node.Name, NoProxy: reach.NoProxy(cluster.Params, "", nil), LockFor: reach.LockFor(limit),
		Timeout: reach.Briefly(cluster),
	}
	servers := in.Storage.AllAddresses()
	if len(in.Storage.Addresses) > 0 { // the volumes will be mounted from these addresses
		servers = nil
		for _, a := range in.Storage.Addresses {
			if !slices.Contains(servers, a.Address) {
				servers = append(servers, a.Address)
			}
		}
	}
	for _, server := range servers {
		for _, dir := range params.ExportDirs() {
			step.Exports = append(step.Exports, scripts.RemoteExport{Server: server, Directory: dir})
		}
	}
	_, err = s.Reach.RunOn(
		ctx, in.NodeInput, reach.Task{Script: step, Limit: reach.Seconds(limit), Parameter: "timeouts.install"},
	)
	if s.Reach.PassOver(ctx, in.NodeInput, in.WasBroken, err) {
		return out, nil
	}
	return out, err
}

// HealedByPeople returns the VNFCs that no policy may heal automatically: the storage server. The users of its volumes
// must stop first, and an operator must decide about the data.
func HealedByPeople(info *lcm.InstantiatedVnfInfo) (out []string) {
	for _, v := range info.VnfcResources {
		if info.Storage != nil && v.ComputeResource.ResourceID == info.Storage.Node.ServerID {
			out = append(out, v.ID)
		}
	}
	return out
}
