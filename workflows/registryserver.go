package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
)

func (b *build) registryMade() table {
	return table{
		"wait-for-registry":     {do: b.waitForMachine, undo: b.forgetNodes},
		"mount-registry-volume": {do: b.mountRegistryVolume},
		"install-registry":      {do: b.installRegistry},
		"forget-registry":       {do: b.forgetMachine},
	}
}

// onMachine finds the machine anew in every step: a step may be retried days later.
func (b *build) onMachine(ctx workflow.Context, do func(workflow.Context, activities.FindMachineOutput) error) error {
	found, err := call(onlyWaits(short(ctx)), infra.FindMachine, activities.FindMachineInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID})
	if err != nil {
		return err
	}
	return do(ctx, found)
}

func (b *build) waitForMachine(ctx workflow.Context) error {
	return b.onMachine(ctx, func(ctx workflow.Context, found activities.FindMachineOutput) error {
		_, err := call(onlyWaits(onNode(ctx)), nodes.WaitForSSH, b.on(ctx, found.Machine))
		return err
	})
}

func (b *build) mountRegistryVolume(ctx workflow.Context) error {
	return b.onMachine(ctx, func(ctx workflow.Context, found activities.FindMachineOutput) error {
		_, err := call(onNode(ctx), nodes.MountRegistryVolume, activities.MountRegistryVolumeInput{NodeInput: b.on(ctx, found.Machine), Volume: found.Volume})
		return err
	})
}

func (b *build) installRegistry(ctx workflow.Context) error {
	return b.onMachine(ctx, func(ctx workflow.Context, found activities.FindMachineOutput) error {
		out, err := call(onNode(ctx), nodes.InstallRegistry, b.on(ctx, found.Machine))
		if err == nil {
			b.registry = out.Connection
		}
		return err
	})
}

func (b *build) forgetMachine(ctx workflow.Context) error {
	_, err := call(short(ctx), vims.ForgetNodes, activities.ForgetNodesInput{
		Tracked: track(ctx, ""), VnfInstanceID: b.in.VnfInstanceID, KeepCluster: true, ServerIDs: b.change.LeavingServers(),
	})
	return err
}
