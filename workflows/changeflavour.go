package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ChangeFlavour carries out one CHANGE_FLAVOUR operation (SOL003 clause 5.4.7) with the work of a scaling: the deployment
// first gets what the new flavour has more, and then loses what only the former one has. A rollback gives it back the
// former flavour, and looks at the VNF again: it does not bring replaced Pods back.
func ChangeFlavour(ctx workflow.Context, in lcm.OperationInput) error {
	v := newVnf(in)
	v.op.outcome, v.op.restored, v.op.lookBack = v.outcome, v.formerPods, v.lookBack
	return runOperation(ctx, v.op)
}
