package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
)

// Terminate carries out one TERMINATE operation (SOL003 clause 5.4.8). It goes forward only: nobody can bring back what
// is deleted. So a failed step is retried and never undone.
func Terminate(ctx workflow.Context, in lcm.OperationInput) error {
	v := newVnf(in)
	v.op.outcome = v.terminated
	return runOperation(ctx, v.op)
}

func (v *vnf) terminated() *record.Outcome { return &record.Outcome{Terminated: v.gone} }

func (v *vnf) terminateWork() table {
	return table{
		lifecycle.StepShutDown:      {do: v.shutDownServers},
		lifecycle.StepDeleteStack:   {do: v.remove},
		lifecycle.StepReleaseImages: {do: v.releaseImages},
		lifecycle.StepForgetSecrets: {do: v.forgetNodes},
	}
}

func (v *vnf) shutDownServers(ctx workflow.Context) error {
	_, err := call(onlyWaits(polling(ctx)), act.infrastructure.ShutDownServers,
		resources.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID})
	return err
}
