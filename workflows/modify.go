package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
)

// ModifyInfo carries out one MODIFY_INFO operation (SOL003 clause 5.4.3.3.4). It writes the instance together with
// COMPLETED. Until then nobody sees a part of the modifications, and a rollback has nothing to undo.
func ModifyInfo(ctx workflow.Context, in lcm.OperationInput) error {
	v := newVnf(in)
	v.op.outcome = v.modified
	return runOperation(ctx, v.op)
}

func (v *vnf) modified() *record.Outcome { return &record.Outcome{Modified: true} }

func (v *vnf) modifyWork() table {
	return table{
		lifecycle.StepCheckModifications: {do: v.checkModification},
	}
}

func (v *vnf) checkModification(ctx workflow.Context) error {
	_, err := call(short(ctx), act.opOccs.CheckModification,
		records.CheckModificationInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID})
	return err
}

func (v *vnf) tryVim(ctx workflow.Context) error {
	_, err := call(onlyWaits(polling(ctx)), act.infrastructure.TryVim, resources.TryVimInput{
		Tracked: track(ctx, ""), OpOccID: v.in.OpOccID, HasDeployment: len(v.what.ServerIDs) > 0,
	})
	return err
}
