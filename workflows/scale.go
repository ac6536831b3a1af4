package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Scale carries out one SCALE or SCALE_TO_LEVEL operation (SOL003 clauses 5.4.5 and 5.4.6). New servers come before
// others go. A rollback is possible until the first server is deleted.
func Scale(ctx workflow.Context, in lcm.OperationInput) error {
	v := newVnf(in)
	v.op.outcome, v.op.lookBack = v.outcome, v.lookBack
	return runOperation(ctx, v.op)
}

func (v *vnf) scaleWork() table {
	return table{
		lifecycle.StepDecide:         {do: v.decide},
		lifecycle.StepLook:           {do: v.look},
		lifecycle.StepChangeBitrates: {do: v.changeBitrates, undo: v.shrinkBack},
		lifecycle.StepEnlargeStack:   {do: v.enlarge, undo: v.shrinkBack},
		lifecycle.StepFindNewNodes:   {do: v.look},
		lifecycle.StepRemoveServers:  {do: v.removeServers},
		lifecycle.StepFindRemaining:  {do: v.look},
	}
}

func (v *vnf) enlarge(ctx workflow.Context) error {
	return v.changeDeployment(ctx, vim.SizesGrown, nil)
}

func (v *vnf) changeBitrates(ctx workflow.Context) error {
	return v.changeDeployment(ctx, vim.SizesPlanned, nil)
}

func (v *vnf) shrinkBack(ctx workflow.Context) error {
	if err := v.changeDeployment(ctx, vim.SizesRecorded, nil); err != nil {
		return err
	}
	return v.findNodes(ctx)
}

// removeServers deletes exactly the servers that the plan names.
func (v *vnf) removeServers(ctx workflow.Context) error {
	return v.changeDeployment(ctx, vim.SizesPlanned, v.change.LeavingServers())
}

// removeNodes deletes the nodes from the cluster and then exactly their servers.
func (c *clusterWork) removeNodes(ctx workflow.Context) error {
	if err := c.expelLeaving(ctx); err != nil {
		return err
	}
	return c.removeServers(ctx)
}

func (c *clusterWork) expelLeaving(ctx workflow.Context) error {
	return c.expel(ctx, c.leaving(), c.staying().With(lcm.ControlPlane))
}

// forgetRemoved removes every other trace of nodes that have left.
func (c *clusterWork) forgetRemoved(ctx workflow.Context) error {
	if err := c.look(ctx); err != nil {
		return err
	}
	return together(ctx, c.tellRemaining, c.forgetLeaving)
}
