package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/storageserver"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// A cluster with a storage server also has a VM that exports volumes, nodes that mount them, and registered
// PersistentVolumes.

func (c *clusterWork) storageReplaced() table {
	return table{
		cluster.StepStopProvisioners: {do: c.stopProvisioners, undo: c.restartProvisioners},
		cluster.StepRemoveVolumes:    {do: c.removeVolumes, undo: c.restoreVolumes},
	}
}

// onStorage is the input of an activity on the storage server.
func (c *clusterWork) onStorage(ctx workflow.Context) (reach.NodeInput, error) {
	if c.made.Storage == nil {
		return reach.NodeInput{}, lcm.Errorf(lcm.KindBroken, "The deployment has no storage server.")
	}
	return c.on(ctx, c.made.Storage.Node), nil
}

func (c *clusterWork) waitForStorage(ctx workflow.Context) error {
	in, err := c.onStorage(ctx)
	if err == nil {
		_, err = call(onlyWaits(onNode(ctx)), act.nodes.WaitForSSH, in)
	}
	return err
}

func (c *clusterWork) checkStorage(ctx workflow.Context) error {
	in, err := c.onStorage(ctx)
	if err == nil {
		_, err = call(onlyWaits(onNode(ctx)), act.storage.CheckStorageServer, in)
	}
	return err
}

// setUpVolumes checks again which volumes are attached: a person may have attached one since the step failed.
func (c *clusterWork) setUpVolumes(ctx workflow.Context) error {
	if err := c.findNodes(ctx); err != nil {
		return err
	}
	in, err := c.onStorage(ctx)
	if err == nil {
		_, err = call(onNode(ctx), act.storage.SetUpVolumes,
			storageserver.SetUpVolumesInput{NodeInput: in, Volumes: c.made.Storage.Volumes})
	}
	return err
}

func (c *clusterWork) exportVolumes(ctx workflow.Context) error {
	in, err := c.onStorage(ctx)
	if err == nil {
		_, err = call(onNode(ctx), act.storage.ExportVolumes, in)
	}
	return err
}

func (c *clusterWork) mountEverywhere(ctx workflow.Context) error {
	return c.mountOn(ctx, c.made.Nodes)
}

func (c *clusterWork) mountOnArrivals(ctx workflow.Context) error { return c.mountOn(ctx, c.fresh()) }

func (c *clusterWork) mountOn(ctx workflow.Context, list lcm.Nodes) error {
	if c.made.Storage == nil {
		return lcm.Errorf(lcm.KindBroken, "The deployment has no storage server.")
	}
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.storage.MountExports, storageserver.MountExportsInput{
			NodeInput: c.on(ctx, node), Storage: *c.made.Storage, WasBroken: c.wasBroken(node),
		})
		return err
	})
}

func (c *clusterWork) registerVolumes(ctx workflow.Context) error {
	_, err := call(onNode(ctx), act.storage.RegisterPersistentVolumes, storageserver.PersistentVolumesInput{
		ClusterInput: c.onCluster(ctx), Storage: c.made.Storage,
	})
	return err
}

// formerVolumes are the volumes of the storage server before the operation, seen through control planes that stay.
func (c *clusterWork) formerVolumes(ctx workflow.Context) storageserver.PersistentVolumesInput {
	through := append(c.staying().With(lcm.ControlPlane), c.leaving().With(lcm.ControlPlane)...)
	return storageserver.PersistentVolumesInput{
		ClusterInput: c.through(ctx, through), Storage: c.what.StorageServer, KeepVolumes: c.change.KeepVolumes,
	}
}

// setUpClasses also updates volumes of claims that have outlived their storage server: they get the address of its
// successor.
func (c *clusterWork) setUpClasses(ctx workflow.Context) error {
	_, err := call(onNode(ctx), act.storage.SetUpStorageClasses, storageserver.PersistentVolumesInput{
		ClusterInput: c.onCluster(ctx), Storage: c.made.Storage,
	})
	return err
}

func (c *clusterWork) stopProvisioners(ctx workflow.Context) error {
	_, err := call(onNode(ctx), act.storage.StopProvisioners, c.formerVolumes(ctx))
	return err
}

// restartProvisioners does not wait: a storage server that was to be replaced may not answer.
func (c *clusterWork) restartProvisioners(ctx workflow.Context) error {
	_, err := call(onNode(ctx), act.storage.StartProvisioners, c.formerVolumes(ctx))
	return err
}

// checkVolumes refuses to replace a storage server in use, before any step touches anything.
func (c *clusterWork) checkVolumes(ctx workflow.Context) error {
	if !c.storageLeaves() {
		return nil
	}
	_, err := call(onlyWaits(onNode(ctx)), act.storage.CheckPersistentVolumes, c.formerVolumes(ctx))
	return err
}

func (c *clusterWork) removeVolumes(ctx workflow.Context) error {
	_, err := call(onNode(ctx), act.storage.RemovePersistentVolumes, c.formerVolumes(ctx))
	return err
}

// restoreVolumes registers the volumes again: the storage server still exists.
func (c *clusterWork) restoreVolumes(ctx workflow.Context) error {
	if err := c.known(ctx); err != nil {
		return err
	}
	return c.registerVolumes(ctx)
}

// storageLeaves tells whether a heal replaces the storage server.
func (c *clusterWork) storageLeaves() bool {
	s := c.what.StorageServer
	return s != nil && !c.what.Whole && slices.Contains(c.change.LeavingServers(), s.Node.ServerID)
}

// leavingStorage lists the VM of a storage server that is replaced, if there is one.
func (c *clusterWork) leavingStorage() lcm.Nodes {
	if !c.storageLeaves() {
		return nil
	}
	return lcm.Nodes{c.what.StorageServer.Node}
}
