package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ModifyInfo carries out one MODIFY_INFO operation (SOL003 clause 5.4.3.3.4). The instance is written together with
// COMPLETED: until then nobody sees a part of the modifications, and a rollback has nothing to undo.
func ModifyInfo(ctx workflow.Context, in lcm.OperationInput) error {
	b := &build{in: in}
	op := &operation{in: in, learn: b.learn, table: b.table(), outcome: b.modified}
	b.op = op
	return runOperation(ctx, op)
}

func (b *build) modified() *activities.Outcome { return &activities.Outcome{Modified: true} }

func (b *build) modifying() table {
	return table{
		"check-modifications":  {do: b.checkModification},
		"reach-nodes":          {do: b.reachAll},
		"reconnect-registries": {do: b.reconnectAll, undo: b.reconnectFormer},
	}
}

func (b *build) checkModification(ctx workflow.Context) error {
	_, err := call(short(ctx), opOccs.CheckModification, activities.CheckModificationInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID})
	return err
}

func (b *build) tryVim(ctx workflow.Context) error {
	_, err := call(onlyWaits(polling(ctx)), infra.TryVim, activities.TryVimInput{
		Tracked: track(ctx, ""), OpOccID: b.in.OpOccID, HasStack: len(b.what.ServerIDs) > 0,
	})
	return err
}
