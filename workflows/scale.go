package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Scale carries out one SCALE or SCALE_TO_LEVEL operation (SOL003 clauses 5.4.5 and 5.4.6). VMs come before others
// go. It can be rolled back until the first server is deleted.
func Scale(ctx workflow.Context, in lcm.OperationInput) error {
	b := &build{in: in}
	op := &operation{in: in, plan: b.planScaling, outcome: b.outcome, lookBack: b.lookBack}
	b.op = op
	return runOperation(ctx, op)
}

func (b *build) planScaling(what activities.Description) (starting, processing []step) {
	b.what, b.vim = what, what.ClusterVimID
	starting = []step{
		{title: "Decide what changes", do: b.decide},
		{title: "Ask for a grant", do: b.requestGrant},
	}
	processing = []step{{title: "Look at the infrastructure", do: b.look}}
	if what.OnlyBitrates {
		processing = append(processing, step{title: "Change the bit rates of the virtual links", do: b.changeBitrates, undo: b.shrinkBack})
	}
	if what.Grows {
		processing = append(processing,
			step{title: "Enlarge the infrastructure stack", do: b.enlarge, undo: b.shrinkBack},
			step{title: "Find the new nodes", do: b.look},
		)
		if what.Cluster {
			processing = append(processing, b.arrivalSteps()...)
		}
	}
	if what.Shrinks {
		if what.Cluster {
			processing = append(processing, b.departureSteps()...)
		}
		processing = append(processing, step{title: "Remove the machines", do: b.removeMachines, final: true})
		if what.Cluster {
			processing = append(processing, step{title: "Forget the nodes that have left", do: b.closeRanks})
		} else {
			processing = append(processing, step{title: "Find the VNFCs that are left", do: b.look})
		}
	}
	return starting, processing
}

func (b *build) enlarge(ctx workflow.Context) error {
	return b.changeStack(ctx, activities.SizesGrown, nil)
}

func (b *build) changeBitrates(ctx workflow.Context) error {
	return b.changeStack(ctx, activities.SizesPlanned, nil)
}

func (b *build) shrinkBack(ctx workflow.Context) error {
	if err := b.changeStack(ctx, activities.SizesRecorded, nil); err != nil {
		return err
	}
	return b.findNodes(ctx)
}

// removeMachines deletes the nodes from the cluster and then exactly their VMs.
func (b *build) removeMachines(ctx workflow.Context) error {
	if err := b.expelLeaving(ctx); err != nil {
		return err
	}
	return b.changeStack(ctx, activities.SizesPlanned, b.change.LeavingServers())
}

func (b *build) expelLeaving(ctx workflow.Context) error {
	if !b.what.Cluster {
		return nil
	}
	return b.expel(ctx, b.leaving(), b.staying().With(lcm.ControlPlane))
}

// closeRanks removes every other trace of the nodes that have left.
func (b *build) closeRanks(ctx workflow.Context) error {
	if err := b.look(ctx); err != nil {
		return err
	}
	return together(ctx, b.tellRemaining, b.forgetLeaving)
}
