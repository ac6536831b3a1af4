package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ChangeExtConn carries out one CHANGE_EXT_CONN operation (SOL003 clause 5.4.11): external connection points are connected
// to other networks, by the parameters of the stack.
func ChangeExtConn(ctx workflow.Context, in lcm.OperationInput) error {
	b := &build{in: in}
	op := &operation{in: in, learn: b.learn, table: b.table(), outcome: b.outcome, restored: b.restored, lookBack: b.lookBackAtLinks}
	b.op = op
	return runOperation(ctx, op)
}

func (b *build) reconnecting() table {
	return table{
		"decide-links":       {do: b.decideLinks},
		"try-vim":            {do: b.tryVim},
		"change-connections": {do: b.reconnect, undo: b.connectAsBefore},
	}
}

// lookBackAtLinks sees where a change that is given up has left the connection points.
func (b *build) lookBackAtLinks(ctx workflow.Context) error {
	out, err := call(glance(ctx), infra.FindConnections, activities.FindConnectionsInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID})
	if err != nil {
		return err
	}
	b.made = activities.FindNodesOutput{StackID: out.StackID, Vnfcs: out.Vnfcs, Networks: out.Networks}
	b.left, b.moved = true, out.Moved
	return nil
}

func (b *build) decideLinks(ctx workflow.Context) (err error) {
	b.change, err = call(short(ctx), opOccs.PlanOperation, activities.PlanInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID})
	return err
}

// restored is what the VNF has after its connections were made as before, with other ports than the recorded ones.
func (b *build) restored() *activities.Outcome {
	if len(b.before.Vnfcs) == 0 {
		return nil
	}
	return &activities.Outcome{Restored: true, StackID: b.before.StackID, Vnfcs: b.before.Vnfcs, Networks: b.before.Networks}
}

func (b *build) reconnect(ctx workflow.Context) error {
	_, err := b.connect(ctx, false)
	return err
}

func (b *build) connectAsBefore(ctx workflow.Context) (err error) {
	b.before, err = b.connect(ctx, true)
	return err
}

func (b *build) connect(ctx workflow.Context, asBefore bool) (activities.ReconnectStackOutput, error) {
	return call(polling(ctx), infra.ReconnectStack, activities.ReconnectStackInput{
		Tracked: track(ctx, ""), OpOccID: b.in.OpOccID, AsBefore: asBefore,
	})
}
