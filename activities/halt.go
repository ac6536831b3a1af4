package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// OperateContainersInput names the operation, and the target state of the VNF's containers.
type OperateContainersInput struct {
	Tracked
	OpOccID lcm.OpOccID  `json:"opOccId"`
	To      lcm.VnfState `json:"to"`
}

// OperateContainersOutput is empty.
type OperateContainersOutput struct{}

// OperateContainers stops or starts all containers of the VNF, and waits until this is done.
//
// Idempotent: stopped containers stay stopped, and running containers go on. Takes minutes, so it heartbeats. A cancel
// only stops the waiting.
func (i *Infrastructure) OperateContainers(
	ctx context.Context, in OperateContainersInput,
) (out OperateContainersOutput, err error) {
	defer func() { err = boundary(ctx, "operate the containers", err) }()
	defer heartbeat(ctx)()
	on, err := i.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	halter, err := halterOf(on)
	if err != nil {
		return out, err
	}
	change, grace, err := i.Deployments.Halting(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	show := i.Output.Lines(ctx, in.Step)
	if in.To == lcm.VnfStopped {
		return out, halter.Halt(ctx, change, grace, show)
	}
	return out, halter.Resume(ctx, change, show)
}
