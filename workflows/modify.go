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
	op := &operation{in: in, plan: b.planModification, outcome: func() *activities.Outcome { return &activities.Outcome{Modified: true} }}
	b.op = op
	return runOperation(ctx, op)
}

// planModification lists what is done before the modifications count. What brings them to the VNF itself has its place
// after the checks.
func (b *build) planModification(what activities.Description) (starting, processing []step) {
	b.what = what
	processing = []step{{title: "Check the modifications", do: b.checkModification}}
	if what.VimChanges {
		processing = append(processing, step{title: "Try the VIM connection", do: b.tryVim})
	}
	return nil, append(processing, b.reconnectSteps()...)
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
