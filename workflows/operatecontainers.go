package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// The containers of a VNF are stopped and started as a whole.

func (p *power) stopContainers(ctx workflow.Context) error {
	plan, err := p.chosen(ctx)
	if err != nil {
		return err
	}
	if err := p.turnContainers(ctx, lcm.VnfStopped); err != nil {
		return err
	}
	for _, v := range containersOf(plan) {
		p.note(v.VnfcID, lcm.VnfStopped)
	}
	return nil
}

// containersOf returns the containers of a plan. A VNF of containers has no other VNFCs.
func containersOf(plan lcm.Plan) (out []lcm.OperatedVnfc) {
	for _, v := range plan.Operated {
		if v.Together {
			out = append(out, v)
		}
	}
	if out == nil {
		return plan.Operated
	}
	return out
}

func (p *power) startContainers(ctx workflow.Context) error {
	return p.turnContainers(ctx, lcm.VnfStarted)
}

func (p *power) stopContainersAgain(ctx workflow.Context) error {
	return p.turnContainers(ctx, lcm.VnfStopped)
}

// startContainersAgain looks at the VNF, because it has new Pods now.
func (p *power) startContainersAgain(ctx workflow.Context) error {
	if err := p.turnContainers(ctx, lcm.VnfStarted); err != nil {
		return err
	}
	p.switched = nil
	return p.findThem(onlyWaits(short(ctx)), kubenode.FindNodesInput{AnyNumber: true})
}

func (p *power) turnContainers(ctx workflow.Context, to lcm.VnfState) error {
	_, err := call(polling(ctx), act.infrastructure.OperateContainers, resources.OperateContainersInput{
		Tracked: track(ctx, ""), OpOccID: p.in.OpOccID, To: to,
	})
	return err
}
