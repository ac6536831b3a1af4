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

func (k *kubeadmWork) storageMade() table {
	return table{
		"wait-for-storage": {do: k.waitForStorage},
		"check-storage":    {do: k.checkStorage},
		"mount-volumes":    {do: k.setUpVolumes},
		"export-volumes":   {do: k.exportVolumes},
		"mount-exports":    {do: k.mountEverywhere},
		"register-volumes": {do: k.registerVolumes},
		"set-up-classes":   {do: k.setUpClasses},
	}
}

func (k *kubeadmWork) storageReplaced() table {
	return table{
		"stop-provisioners": {do: k.stopProvisioners, undo: k.restartProvisioners},
		"remove-volumes":    {do: k.removeVolumes, undo: k.restoreVolumes},
	}
}

// onStorage is the input of an activity on the storage server.
func (k *kubeadmWork) onStorage(ctx workflow.Context) (activities.NodeInput, error) {
	if k.made.Storage == nil {
		return activities.NodeInput{}, lcm.Errorf(lcm.KindBroken, "The deployment has no storage server.")
	}
	return k.on(ctx, k.made.Storage.Node), nil
}

func (k *kubeadmWork) waitForStorage(ctx workflow.Context) error {
	in, err := k.onStorage(ctx)
	if err == nil {
		_, err = call(onlyWaits(onNode(ctx)), nodes.WaitForSSH, in)
	}
	return err
}

func (k *kubeadmWork) checkStorage(ctx workflow.Context) error {
	in, err := k.onStorage(ctx)
	if err == nil {
		_, err = call(onlyWaits(onNode(ctx)), storage.CheckStorageServer, in)
	}
	return err
}

// setUpVolumes looks again what is attached: a person may have attached a volume since the step has failed.
func (k *kubeadmWork) setUpVolumes(ctx workflow.Context) error {
	if err := k.findNodes(ctx); err != nil {
		return err
	}
	in, err := k.onStorage(ctx)
	if err == nil {
		_, err = call(onNode(ctx), storage.SetUpVolumes,
			activities.SetUpVolumesInput{NodeInput: in, Volumes: k.made.Storage.Volumes})
	}
	return err
}

func (k *kubeadmWork) exportVolumes(ctx workflow.Context) error {
	in, err := k.onStorage(ctx)
	if err == nil {
		_, err = call(onNode(ctx), storage.ExportVolumes, in)
	}
	return err
}

func (k *kubeadmWork) mountEverywhere(ctx workflow.Context) error {
	return k.mountOn(ctx, k.made.Nodes)
}

func (k *kubeadmWork) mountOnArrivals(ctx workflow.Context) error { return k.mountOn(ctx, k.fresh()) }

func (k *kubeadmWork) mountOn(ctx workflow.Context, list lcm.Nodes) error {
	if k.made.Storage == nil {
		return lcm.Errorf(lcm.KindBroken, "The deployment has no storage server.")
	}
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), storage.MountExports, activities.MountExportsInput{
			NodeInput: k.on(ctx, node), Storage: *k.made.Storage, WasBroken: k.wasBroken(node),
		})
		return err
	})
}

func (k *kubeadmWork) registerVolumes(ctx workflow.Context) error {
	_, err := call(onNode(ctx), storage.RegisterPersistentVolumes, activities.PersistentVolumesInput{
		ClusterInput: k.onCluster(ctx), Storage: k.made.Storage,
	})
	return err
}

// formerVolumes are those of the storage server before the operation, seen through control planes that stay.
func (k *kubeadmWork) formerVolumes(ctx workflow.Context) activities.PersistentVolumesInput {
	through := append(k.staying().With(lcm.ControlPlane), k.leaving().With(lcm.ControlPlane)...)
	return activities.PersistentVolumesInput{
		ClusterInput: k.through(ctx, through), Storage: k.what.StorageServer, KeepVolumes: k.change.KeepVolumes,
	}
}

// setUpClasses also gives the volumes of claims that have outlived their storage server the address of its successor.
func (k *kubeadmWork) setUpClasses(ctx workflow.Context) error {
	_, err := call(onNode(ctx), storage.SetUpStorageClasses, activities.PersistentVolumesInput{
		ClusterInput: k.onCluster(ctx), Storage: k.made.Storage,
	})
	return err
}

func (k *kubeadmWork) stopProvisioners(ctx workflow.Context) error {
	_, err := call(onNode(ctx), storage.StopProvisioners, k.formerVolumes(ctx))
	return err
}

// restartProvisioners waits for nothing: a storage server that was to be replaced may not answer.
func (k *kubeadmWork) restartProvisioners(ctx workflow.Context) error {
	_, err := call(onNode(ctx), storage.StartProvisioners, k.formerVolumes(ctx))
	return err
}

// checkVolumes refuses to replace a storage server that is in use, before anything is touched.
func (k *kubeadmWork) checkVolumes(ctx workflow.Context) error {
	if !k.storageLeaves() {
		return nil
	}
	_, err := call(onlyWaits(onNode(ctx)), storage.CheckPersistentVolumes, k.formerVolumes(ctx))
	return err
}

func (k *kubeadmWork) removeVolumes(ctx workflow.Context) error {
	_, err := call(onNode(ctx), storage.RemovePersistentVolumes, k.formerVolumes(ctx))
	return err
}

// restoreVolumes registers them again: the storage server is there still.
func (k *kubeadmWork) restoreVolumes(ctx workflow.Context) error {
	if err := k.known(ctx); err != nil {
		return err
	}
	return k.registerVolumes(ctx)
}

// storageLeaves tells whether a heal replaces the storage server.
func (k *kubeadmWork) storageLeaves() bool {
	s := k.what.StorageServer
	return s != nil && !k.what.Whole && slices.Contains(k.change.LeavingServers(), s.Node.ServerID)
}

// leavingStorage is the VM of a storage server that is replaced, as a list of one or none.
func (k *kubeadmWork) leavingStorage() lcm.Nodes {
	if !k.storageLeaves() {
		return nil
	}
	return lcm.Nodes{k.what.StorageServer.Node}
}
