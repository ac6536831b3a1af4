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
	op := &operation{in: in, learn: b.learn, table: b.table(), outcome: b.outcome, lookBack: b.lookBack}
	b.op = op
	return runOperation(ctx, op)
}

func (b *build) healing() table {
	return table{
		"check-given-ports":         {do: b.checkPorts},
		"look-before-heal":          {do: b.lookBefore},
		"replace-servers":           {do: b.replaceServers},
		"replace-servers-revocably": {do: b.replaceRevocably, undo: b.restoreServers},
		"forget-replaced-nodes":     {do: b.forgetLeaving},
	}
}

// lookBefore also refuses to replace a server with whom volumes would go that its successor is to get.
func (b *build) lookBefore(ctx workflow.Context) error {
	if err := b.decided(ctx); err != nil {
		return err
	}
	return b.findThem(onlyWaits(short(ctx)), activities.FindNodesInput{AnyNumber: b.vnfStays(), Keepers: b.keepers()})
}

// replaceServers deletes the nodes from the cluster and gives exactly these VNFCs new VMs.
func (b *build) replaceServers(ctx workflow.Context) error {
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

// restoreServers gives the former servers back what Heat has taken from them, as long as all of them are there.
func (b *build) restoreServers(ctx workflow.Context) error {
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

// checkPorts looks at ports that others have made while all is as it was: a port that cannot be used again is no way
// back any more once the stack is gone.
func (b *build) checkPorts(ctx workflow.Context) error {
	_, err := call(onlyWaits(short(ctx)), infra.CheckPorts, activities.StackInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID})
	return err
}
