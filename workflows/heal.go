package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Heal carries out one HEAL operation (SOL003 clause 5.4.9): the VNFCs that the request names get new VMs, or the
// entire VNF is made anew. It can be rolled back until the first server is deleted.
func Heal(ctx workflow.Context, in lcm.OperationInput) error {
	b := &build{in: in}
	op := &operation{in: in, plan: b.planHealing, outcome: b.outcome, lookBack: b.lookBack}
	b.op = op
	return runOperation(ctx, op)
}

func (b *build) planHealing(what activities.Description) (starting, processing []step) {
	b.what = what
	starting = []step{
		{title: "Decide what is healed", do: b.decide},
		{title: "Ask for a grant", do: b.requestGrant},
	}
	if what.Whole {
		return starting, b.planAnew(what)
	}
	b.vim = what.ClusterVimID
	processing = append([]step{{title: "Look at the infrastructure", do: b.lookBefore}}, b.storageDepartureSteps()...)
	if what.Cluster && !what.OnlyStorage {
		processing = append(processing, b.departureSteps()...)
	}
	processing = append(processing,
		step{title: "Replace the machines", do: b.replaceMachines, final: true},
		step{title: "Find the new nodes", do: b.look},
	)
	if what.StorageLeaves { // first: new nodes mount what it exports
		processing = append(processing, b.storageSteps()...)
	}
	if what.Cluster && !what.OnlyStorage {
		processing = append(processing, b.arrivalSteps()...)
	}
	if what.StorageLeaves {
		processing = append(processing, b.volumeSteps()...)
	}
	if what.Cluster {
		processing = append(processing, step{title: "Forget the nodes that have left", do: b.forgetLeaving})
	}
	return starting, append(processing, b.replacedRegistrySteps()...)
}

// lookBefore also refuses to replace a machine with whom volumes would go that its successor is to get.
func (b *build) lookBefore(ctx workflow.Context) error {
	if err := b.decided(ctx); err != nil {
		return err
	}
	return b.findThem(short(ctx), activities.FindNodesInput{AnyNumber: b.changesWhatIs(), Keepers: b.keepers()})
}

// replaceMachines deletes the nodes from the cluster and gives exactly these VNFCs new VMs.
func (b *build) replaceMachines(ctx workflow.Context) error {
	if err := b.expelLeaving(ctx); err != nil {
		return err
	}
	if err := b.freeVolumes(ctx); err != nil {
		return err
	}
	return b.changeStack(ctx, activities.SizesPlanned, b.change.LeavingServers())
}

// planAnew takes the VNF down and makes it again as it was instantiated and scaled since.
func (b *build) planAnew(what activities.Description) []step {
	var list []step
	if what.Cluster {
		list = append(list, step{title: "Deregister the cluster", do: b.deregisterVim, final: true})
	}
	list = append(list,
		step{title: "Delete the infrastructure stack", do: b.deleteStack, final: true},
		step{title: "Forget keys and secrets", do: b.forgetNodes},
	)
	_, making := b.plan(what)
	return append(list, making...)
}
