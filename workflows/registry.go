package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/imageregistry"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
)

// registryWork makes a VNF's only server a registry of images.
type registryWork struct{ *vnf }

func (r *registryWork) table() table {
	return table{
		"wait-for-registry":     {do: r.waitForServer, undo: r.forgetNodes},
		"mount-registry-volume": {do: r.mountRegistryVolume},
		"install-registry":      {do: r.installRegistry},
		"forget-registry":       {do: r.forgetServer},
	}
}

// onServer finds the server anew in every step: a step may be retried days later.
func (r *registryWork) onServer(
	ctx workflow.Context, do func(workflow.Context, imageregistry.FindMachineOutput) error,
) error {
	found, err := call(onlyWaits(short(ctx)), act.registry.FindMachine,
		imageregistry.FindMachineInput{Tracked: track(ctx, ""), OpOccID: r.in.OpOccID})
	if err != nil {
		return err
	}
	return do(ctx, found)
}

func (r *registryWork) waitForServer(ctx workflow.Context) error {
	return r.onServer(ctx, func(ctx workflow.Context, found imageregistry.FindMachineOutput) error {
		_, err := call(onlyWaits(onNode(ctx)), act.nodes.WaitForSSH, r.on(ctx, found.Machine))
		return err
	})
}

func (r *registryWork) mountRegistryVolume(ctx workflow.Context) error {
	return r.onServer(ctx, func(ctx workflow.Context, found imageregistry.FindMachineOutput) error {
		_, err := call(onNode(ctx), act.registry.MountRegistryVolume,
			imageregistry.MountRegistryVolumeInput{NodeInput: r.on(ctx, found.Machine), Volume: found.Volume})
		return err
	})
}

func (r *registryWork) installRegistry(ctx workflow.Context) error {
	return r.onServer(ctx, func(ctx workflow.Context, found imageregistry.FindMachineOutput) error {
		out, err := call(onNode(ctx), act.registry.InstallRegistry, r.on(ctx, found.Machine))
		if err == nil {
			r.registry = out.Connection
		}
		return err
	})
}

func (r *registryWork) forgetServer(ctx workflow.Context) error {
	_, err := call(short(ctx), act.vims.ForgetNodes, kubecluster.ForgetNodesInput{
		Tracked: track(ctx, ""), VnfInstanceID: r.in.VnfInstanceID, KeepCluster: true, ServerIDs: r.change.LeavingServers(),
	})
	return err
}
