package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Terminate carries out one TERMINATE operation (SOL003 clause 5.4.8). It goes forward only: what is
// deleted cannot be brought back, so a failed step is retried and never undone.
func Terminate(ctx workflow.Context, in lcm.OperationInput) error {
	b := &build{in: in}
	op := &operation{in: in, learn: b.learn, table: b.table(), outcome: b.terminated}
	b.op = op
	return runOperation(ctx, op)
}

func (b *build) terminated() *activities.Outcome { return &activities.Outcome{Terminated: b.gone} }

func (b *build) ending() table {
	return table{
		"deregister-cluster": {do: b.deregisterVim},
		"shut-down":          {do: b.shutDownServers},
		"delete-stack":       {do: b.deleteStack},
		"forget-secrets":     {do: b.forgetNodes},
	}
}

func (b *build) shutDownServers(ctx workflow.Context) error {
	_, err := call(onlyWaits(polling(ctx)), infra.ShutDownServers, activities.StackInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID})
	return err
}
