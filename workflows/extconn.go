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
	op := &operation{in: in, plan: b.planReconnection, outcome: b.outcome, restored: b.restored, lookBack: b.lookBackAtLinks}
	b.op = op
	return runOperation(ctx, op)
}

func (b *build) planReconnection(what activities.Description) (starting, processing []step) {
	b.what, b.vim = what, what.ClusterVimID
	starting = []step{
		{title: "Decide what is connected", do: b.decideLinks},
		{title: "Ask for a grant", do: b.requestGrant},
	}
	if what.VimChanges {
		processing = append(processing, step{title: "Try the VIM connection", do: b.tryVim})
	}
	return starting, append(processing,
		step{title: "Change the connections of the stack", do: b.reconnect, undo: b.connectAsBefore},
		step{title: "Look at the infrastructure", do: b.look},
	)
}

// lookBackAtLinks sees where a change that is given up has left the connection points.
func (b *build) lookBackAtLinks(ctx workflow.Context) error {
	if !b.what.LooksBack {
		return nil
	}
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
