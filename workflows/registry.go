package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/imageregistry"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
)

// registryWork makes a VNF's only server a registry of images.
type registryWork struct{ *vnf }

func (r *registryWork) table() table {
	return table{
		registry.StepWaitForRegistry:     {do: r.waitForServer, undo: r.forgetNodes},
		registry.StepMountRegistryVolume: {do: r.mountRegistryVolume},
		registry.StepInstallRegistry:     {do: r.installRegistry},
		registry.StepForgetRegistry:      {do: r.forgetServer},
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
