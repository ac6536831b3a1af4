package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
)

// ChangeVnfPkg carries out one CHANGE_VNFPKG operation (SOL003 v3.3.1 clause 5.4.11a). It changes the VNF to what
// another package says. A rollback changes it back to what the former package says.
func ChangeVnfPkg(ctx workflow.Context, in lcm.OperationInput) error {
	v := newVnf(in)
	v.op.outcome, v.op.restored, v.op.lookBack = v.outcome, v.formerPods, v.lookBack
	return runOperation(ctx, v.op)
}

func (v *vnf) changeVnfPkgWork() table {
	return table{
		lifecycle.StepDecidePackage: {do: v.decide},
		lifecycle.StepChangePackage: {do: v.changePackage, undo: v.takePackageBack},
		lifecycle.StepFindChanged:   {do: v.look},
	}
}

func (v *vnf) changePackage(ctx workflow.Context) error { return v.repackage(ctx, false) }

// takePackageBack looks at the VNF again: a rollback does not bring replaced Pods back.
func (v *vnf) takePackageBack(ctx workflow.Context) error {
	if err := v.repackage(ctx, true); err != nil {
		return err
	}
	return v.findThem(onlyWaits(short(ctx)), kubenode.FindNodesInput{AnyNumber: true})
}

func (v *vnf) repackage(ctx workflow.Context, asBefore bool) error {
	_, err := call(polling(ctx), act.infrastructure.ChangePackage, resources.ChangePackageInput{
		Tracked: track(ctx, ""), OpOccID: v.in.OpOccID, AsBefore: asBefore,
	})
	return err
}

// formerPods is what the VNF has after a rollback to its former package.
func (v *vnf) formerPods() *record.Outcome {
	if v.made.DeploymentID == "" {
		return nil
	}
	return &record.Outcome{Restored: true, DeploymentID: v.made.DeploymentID, Vnfcs: v.made.Vnfcs, Networks: v.made.Networks}
}
