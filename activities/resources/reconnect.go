package resources

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// ReconnectStackInput names the operation, and whether to make its changes or to undo them.
type ReconnectStackInput struct {
	activities.Tracked
	OpOccID  lcm.OpOccID `json:"opOccId"`
	AsBefore bool        `json:"asBefore,omitempty"`
}

// ReconnectStackOutput is the deployment's state after an undo: ports and their addresses may differ from the recorded
// ones. It is empty after a change, because FindNodes reads the state then.
type ReconnectStackOutput struct {
	DeploymentID string           `json:"stackId,omitempty"`
	Vnfcs        []record.Vnfc    `json:"vnfcs,omitempty"`
	Networks     []record.Network `json:"networks,omitempty"`
}

// ReconnectStack changes the VNF's deployment so that its external connection points are on the links of the plan, or
// on the VNF's recorded links. It waits until the VIM is done.
//
// Idempotent: unchanged parameters change nothing, and the activity waits for a change that is under way. Takes
// minutes, so it heartbeats. A cancel only stops the waiting.
func (i *Activities) ReconnectStack(
	ctx context.Context, in ReconnectStackInput,
) (out ReconnectStackOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "change the connections of the deployment", err) }()
	defer activities.Heartbeat(ctx)()
	cloud, err := i.Cloud.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	change, err := i.Cloud.Deployments.Reconnection(ctx, in.OpOccID, in.AsBefore)
	if err != nil {
		return out, err
	}
	if !in.AsBefore {
		if err := i.checkGiven(ctx, cloud, in.OpOccID, lookedChanged); err != nil {
			return out, err
		}
	}
	if err := i.releaseSuperseded(ctx, cloud, change, in); err != nil {
		return out, err
	}
	if err := cloud.Change(ctx, change, i.Cloud.Output.Lines(ctx, in.Step)); err != nil || !in.AsBefore {
		return out, err
	}
	inv, err := i.Cloud.Inventory(ctx, cloud, in.OpOccID, change.Name)
	if err != nil {
		return out, err
	}
	out.DeploymentID, out.Vnfcs, out.Networks = inv.ID, VnfcsOf(inv), NetworksOf(inv)
	return out, nil
}

// releaseSuperseded prepares the deployment for a change after an earlier rolled-back heal.
func (i *Activities) releaseSuperseded(
	ctx context.Context, cloud vim.VIM, change vim.Change, in ReconnectStackInput,
) error {
	show := i.Cloud.Output.Lines(ctx, in.Step)
	if err := cloud.Settle(ctx, change.Name, change.Owner, show); err != nil {
		return err
	}
	inv, err := i.Cloud.Inventory(ctx, cloud, in.OpOccID, change.Name)
	if err != nil {
		return err
	}
	vnfcs, err := i.Cloud.Deployments.Recorded(ctx, in.OpOccID)
	if err != nil {
		return err
	}
	return releasing{cloud: cloud, inv: inv, show: show}.superseded(ctx, vnfcs)
}
