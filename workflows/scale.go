package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Scale carries out one SCALE or SCALE_TO_LEVEL operation (SOL003 clauses 5.4.5 and 5.4.6). Servers come before others
// go. It can be rolled back until the first server is deleted.
func Scale(ctx workflow.Context, in lcm.OperationInput) error {
	b := &build{in: in}
	op := &operation{in: in, learn: b.learn, table: b.table(), outcome: b.outcome, lookBack: b.lookBack}
	b.op = op
	return runOperation(ctx, op)
}

func (b *build) scaling() table {
	return table{
		"decide":               {do: b.decide},
		"look":                 {do: b.look},
		"change-bitrates":      {do: b.changeBitrates, undo: b.shrinkBack},
		"enlarge-stack":        {do: b.enlarge, undo: b.shrinkBack},
		"find-new-nodes":       {do: b.look},
		"remove-servers":       {do: b.removeServers},
		"forget-removed-nodes": {do: b.forgetRemoved},
		"find-remaining":       {do: b.look},
	}
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

// removeServers deletes the nodes from the cluster and then exactly their servers.
func (b *build) removeServers(ctx workflow.Context) error {
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

// forgetRemoved removes every other trace of the nodes that have left.
func (b *build) forgetRemoved(ctx workflow.Context) error {
	if err := b.look(ctx); err != nil {
		return err
	}
	return together(ctx, b.tellRemaining, b.forgetLeaving)
}
