package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// storage is a receiver of method values only.
var storage *activities.Storage

// What a cluster with a storage server has beside others: a VM that exports volumes, nodes that mount them, and
// PersistentVolumes that are registered.

func (b *build) storageMade() table {
	return table{
		"wait-for-storage": {do: b.waitForStorage},
		"check-storage":    {do: b.checkStorage},
		"mount-volumes":    {do: b.setUpVolumes},
		"export-volumes":   {do: b.exportVolumes},
		"mount-exports":    {do: b.mountEverywhere},
		"register-volumes": {do: b.registerVolumes},
		"set-up-classes":   {do: b.setUpClasses},
	}
}

func (b *build) storageReplaced() table {
	return table{
		"stop-provisioners": {do: b.stopProvisioners, undo: b.restartProvisioners},
		"remove-volumes":    {do: b.removeVolumes, undo: b.restoreVolumes},
	}
}

// onStorage is the input of an activity on the storage server.
func (b *build) onStorage(ctx workflow.Context) (activities.NodeInput, error) {
	if b.made.Storage == nil {
		return activities.NodeInput{}, lcm.Errorf(lcm.KindBroken, "The stack has no storage server.")
	}
	return b.on(ctx, b.made.Storage.Node), nil
}

func (b *build) waitForStorage(ctx workflow.Context) error {
	in, err := b.onStorage(ctx)
	if err == nil {
		_, err = call(onlyWaits(onNode(ctx)), nodes.WaitForSSH, in)
	}
	return err
}

func (b *build) checkStorage(ctx workflow.Context) error {
	in, err := b.onStorage(ctx)
	if err == nil {
		_, err = call(onlyWaits(onNode(ctx)), storage.CheckStorageServer, in)
	}
	return err
}

// setUpVolumes looks again what is attached: a person may have attached a volume since the step has failed.
func (b *build) setUpVolumes(ctx workflow.Context) error {
	if err := b.findNodes(ctx); err != nil {
		return err
	}
	in, err := b.onStorage(ctx)
	if err == nil {
		_, err = call(onNode(ctx), storage.SetUpVolumes, activities.SetUpVolumesInput{NodeInput: in, Volumes: b.made.Storage.Volumes})
	}
	return err
}

func (b *build) exportVolumes(ctx workflow.Context) error {
	in, err := b.onStorage(ctx)
	if err == nil {
		_, err = call(onNode(ctx), storage.ExportVolumes, in)
	}
	return err
}

func (b *build) mountEverywhere(ctx workflow.Context) error { return b.mountOn(ctx, b.made.Nodes) }
func (b *build) mountOnArrivals(ctx workflow.Context) error { return b.mountOn(ctx, b.fresh()) }

func (b *build) mountOn(ctx workflow.Context, list lcm.Nodes) error {
	if b.made.Storage == nil {
		return lcm.Errorf(lcm.KindBroken, "The stack has no storage server.")
	}
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), storage.MountExports, activities.MountExportsInput{
			NodeInput: b.on(ctx, node), Storage: *b.made.Storage, WasBroken: b.wasBroken(node),
		})
		return err
	})
}

func (b *build) registerVolumes(ctx workflow.Context) error {
	_, err := call(onNode(ctx), storage.RegisterPersistentVolumes, activities.PersistentVolumesInput{
		ClusterInput: b.onCluster(ctx), Storage: b.made.Storage,
	})
	return err
}

// formerVolumes are those of the storage server before the operation, seen through control planes that stay.
func (b *build) formerVolumes(ctx workflow.Context) activities.PersistentVolumesInput {
	through := append(b.staying().With(lcm.ControlPlane), b.leaving().With(lcm.ControlPlane)...)
	return activities.PersistentVolumesInput{
		ClusterInput: b.through(ctx, through), Storage: b.what.StorageServer, KeepVolumes: b.change.KeepVolumes,
	}
}

// setUpClasses also gives the volumes of claims that have outlived their storage server the address of its successor.
func (b *build) setUpClasses(ctx workflow.Context) error {
	_, err := call(onNode(ctx), storage.SetUpStorageClasses, activities.PersistentVolumesInput{
		ClusterInput: b.onCluster(ctx), Storage: b.made.Storage,
	})
	return err
}

func (b *build) stopProvisioners(ctx workflow.Context) error {
	_, err := call(onNode(ctx), storage.StopProvisioners, b.formerVolumes(ctx))
	return err
}

// restartProvisioners waits for nothing: a storage server that was to be replaced may not answer.
func (b *build) restartProvisioners(ctx workflow.Context) error {
	_, err := call(onNode(ctx), storage.StartProvisioners, b.formerVolumes(ctx))
	return err
}

// checkVolumes refuses to replace a storage server that is in use, before anything is touched.
func (b *build) checkVolumes(ctx workflow.Context) error {
	if !b.storageLeaves() {
		return nil
	}
	_, err := call(onlyWaits(onNode(ctx)), storage.CheckPersistentVolumes, b.formerVolumes(ctx))
	return err
}

func (b *build) removeVolumes(ctx workflow.Context) error {
	_, err := call(onNode(ctx), storage.RemovePersistentVolumes, b.formerVolumes(ctx))
	return err
}

// restoreVolumes registers them again: the storage server is there still.
func (b *build) restoreVolumes(ctx workflow.Context) error {
	if err := b.known(ctx); err != nil {
		return err
	}
	return b.registerVolumes(ctx)
}

// freeVolumes takes the volumes that its successor gets from a machine that is replaced.
func (b *build) freeVolumes(ctx workflow.Context) error {
	for _, server := range b.keepers() {
		_, err := call(polling(ctx), infra.FreeVolumes, activities.FreeVolumesInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID, ServerID: server})
		if err != nil {
			return err
		}
	}
	return nil
}

// keepers are the servers whose volumes stay when they are replaced.
func (b *build) keepers() []string { return b.change.Keepers }

// storageLeaves tells whether a heal replaces the storage server.
func (b *build) storageLeaves() bool {
	s := b.what.StorageServer
	return s != nil && !b.what.Whole && slices.Contains(b.change.LeavingServers(), s.Node.ServerID)
}

// leavingStorage is the VM of a storage server that is replaced, as a list of one or none.
func (b *build) leavingStorage() lcm.Nodes {
	if !b.storageLeaves() {
		return nil
	}
	return lcm.Nodes{b.what.StorageServer.Node}
}
