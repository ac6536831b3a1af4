package workflows

import (
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Heal carries out one HEAL operation (SOL003 clause 5.4.9): the VNFCs that the request names get new VMs, or the
// entire VNF is made anew. It can be rolled back until the first server is deleted, or a node out of its cluster.
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
		b.replacing(),
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
	return b.findThem(onlyWaits(short(ctx)), activities.FindNodesInput{AnyNumber: b.changesWhatIs(), Keepers: b.keepers()})
}

// replacing ends the way back at its beginning, unless nothing is deleted before Heat has made the new machines.
func (b *build) replacing() step {
	const title = "Replace the machines"
	if b.what.Revocable {
		return step{title: title, do: b.replaceRevocably, undo: b.restoreMachines}
	}
	return step{title: title, do: b.replaceMachines, final: true}
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

// replaceRevocably leaves the way back open where it fails before a server is deleted. Where that cannot be told now,
// the rollback itself looks.
func (b *build) replaceRevocably(ctx workflow.Context) error {
	err := b.changeStack(ctx, activities.SizesPlanned, b.change.LeavingServers())
	if err == nil {
		b.op.journal.status.ForwardOnly = true
		return nil
	}
	looking, _ := workflow.NewDisconnectedContext(ctx)
	out, unknown := call(glance(looking), infra.FindLostServers, b.leavingInput(looking))
	b.op.journal.status.ForwardOnly = b.op.journal.status.ForwardOnly || unknown == nil && len(out.Lost) > 0
	return err
}

func (b *build) leavingInput(ctx workflow.Context) activities.ServersInput {
	return activities.ServersInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID, ServerIDs: b.change.LeavingServers()}
}

// restoreMachines gives the former machines back what Heat has taken from them, as long as all of them are there.
func (b *build) restoreMachines(ctx workflow.Context) error {
	if err := b.decided(ctx); err != nil {
		return err
	}
	out, err := call(polling(ctx), infra.RestoreServers, b.leavingInput(ctx))
	if err != nil || len(out.Lost) == 0 {
		return err
	}
	b.op.journal.status.ForwardOnly = true
	return lcm.Errorf(lcm.KindConflict, "Heat has deleted %s meanwhile.", strings.Join(out.Lost, ", "))
}

// planAnew takes the VNF down and makes it again as it was instantiated and scaled since.
func (b *build) planAnew(what activities.Description) []step {
	var list []step
	if what.GivenPorts {
		list = append(list, step{title: "Check the ports that are given", do: b.checkPorts})
	}
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

// checkPorts looks at ports that others have made while all is as it was: a port that cannot be used again is no way
// back any more once the stack is gone.
func (b *build) checkPorts(ctx workflow.Context) error {
	_, err := call(onlyWaits(short(ctx)), infra.CheckPorts, activities.StackInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID})
	return err
}
