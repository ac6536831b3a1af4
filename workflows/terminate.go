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
	op := &operation{in: in, plan: b.planTermination, outcome: func() *activities.Outcome { return &activities.Outcome{Terminated: b.gone} }}
	b.op = op
	return runOperation(ctx, op)
}

func (b *build) planTermination(what activities.Description) (starting, processing []step) {
	b.what = what
	starting = []step{
		{title: "Ask for a grant", do: b.requestGrant},
	}
	if what.Cluster {
		// First of all: a cluster that still carries other VNFs must not lose its machines.
		processing = append(processing, step{title: "Deregister the cluster", do: b.deregisterVim})
	}
	if what.Graceful {
		processing = append(processing, step{title: "Shut the servers down", do: b.shutDownServers})
	}
	return starting, append(processing,
		step{title: "Delete the infrastructure stack", do: b.deleteStack},
		step{title: "Forget keys and secrets", do: b.forgetNodes},
	)
}

func (b *build) shutDownServers(ctx workflow.Context) error {
	_, err := call(onlyWaits(polling(ctx)), infra.ShutDownServers, activities.StackInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID})
	return err
}
