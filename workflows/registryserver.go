package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
)

// registryServerSteps make a registry of images of the VNF's only machine.
func (b *build) registryServerSteps() []step {
	if !b.what.RegistryServer {
		return nil
	}
	list := []step{{title: "Wait until the machine answers on SSH", do: b.waitForMachine, undo: b.forgetNodes}}
	if b.what.RegistryVolume {
		list = append(list, step{title: "Mount the volume of the registry", do: b.mountRegistryVolume})
	}
	return append(list, step{title: "Install the registry", do: b.installRegistry})
}

// replacedRegistrySteps do the same with the machine that has come for another one.
func (b *build) replacedRegistrySteps() []step {
	if !b.what.RegistryServer {
		return nil
	}
	return append(b.registryServerSteps(), step{title: "Forget the machine that has left", do: b.forgetMachine})
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
