package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
)

// ChangeExtConn carries out one CHANGE_EXT_CONN operation (SOL003 clause 5.4.11). It connects external connection
// points to other networks, by the parameters of the deployment.
func ChangeExtConn(ctx workflow.Context, in lcm.OperationInput) error {
	v := newVnf(in)
	v.op.outcome, v.op.restored, v.op.lookBack = v.outcome, v.restored, v.lookBackAtLinks
	return runOperation(ctx, v.op)
}

func (v *vnf) changeExtConnWork() table {
	return table{
		lifecycle.StepDecideLinks:       {do: v.decideLinks},
		lifecycle.StepTryVim:            {do: v.tryVim},
		lifecycle.StepChangeConnections: {do: v.reconnect, undo: v.connectAsBefore},
	}
}

// lookBackAtLinks looks at how a given-up change has left the connection points.
func (v *vnf) lookBackAtLinks(ctx workflow.Context) error {
	out, err := call(glance(ctx), act.infrastructure.FindConnections,
		resources.FindConnectionsInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID})
	if err != nil {
		return err
	}
	v.made = kubenode.FindNodesOutput{DeploymentID: out.DeploymentID, Vnfcs: out.Vnfcs, Networks: out.Networks}
	v.left, v.moved = true, out.Moved
	return nil
}

func (v *vnf) decideLinks(ctx workflow.Context) (err error) {
	v.change, err = call(short(ctx), act.opOccs.PlanOperation,
		records.PlanInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID})
	return err
}

// restored is what the VNF has after a rollback of its connections. Their ports may differ from the recorded ones.
func (v *vnf) restored() *record.Outcome {
	if len(v.before.Vnfcs) == 0 {
		return nil
	}
	return &record.Outcome{
		Restored: true, DeploymentID: v.before.DeploymentID, Vnfcs: v.before.Vnfcs, Networks: v.before.Networks,
	}
}

func (v *vnf) reconnect(ctx workflow.Context) error {
	_, err := v.connect(ctx, false)
	return err
}

func (v *vnf) connectAsBefore(ctx workflow.Context) (err error) {
	v.before, err = v.connect(ctx, true)
	return err
}

func (v *vnf) connect(ctx workflow.Context, asBefore bool) (resources.ReconnectStackOutput, error) {
	return call(polling(ctx), act.infrastructure.ReconnectStack, resources.ReconnectStackInput{
		Tracked: track(ctx, ""), OpOccID: v.in.OpOccID, AsBefore: asBefore,
	})
}
