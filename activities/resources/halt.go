package resources

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// OperateContainersInput names the operation, and the target state of the VNF's containers.
type OperateContainersInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID  `json:"opOccId"`
	To      lcm.VnfState `json:"to"`
}

// OperateContainersOutput is empty.
type OperateContainersOutput struct{}

// OperateContainers stops or starts all containers of the VNF, and waits until this is done.
//
// Idempotent: stopped containers stay stopped, and running containers go on. Takes minutes, so it heartbeats. A cancel
// only stops the waiting.
func (i *Activities) OperateContainers(
	ctx context.Context, in OperateContainersInput,
) (out OperateContainersOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "operate the containers", err) }()
	defer activities.Heartbeat(ctx)()
	on, err := i.Cloud.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	halter, err := halterOf(on)
	if err != nil {
		return out, err
	}
	change, grace, err := i.Cloud.Deployments.Halting(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	show := i.Cloud.Output.Lines(ctx, in.Step)
	if in.To == lcm.VnfStopped {
		return out, halter.Halt(ctx, change, grace, show)
	}
	return out, halter.Resume(ctx, change, show)
}
