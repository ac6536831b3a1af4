package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// ReconnectStackInput names the operation, and whether its changes are made or taken back.
type ReconnectStackInput struct {
	Tracked
	OpOccID  lcm.OpOccID `json:"opOccId"`
	AsBefore bool        `json:"asBefore,omitempty"`
}

// ReconnectStackOutput is what the deployment has where changes were taken back: ports, and their addresses, may be
// others than the ones that are recorded. It is empty where they were made, because FindNodes looks then.
type ReconnectStackOutput struct {
	DeploymentID string           `json:"stackId,omitempty"`
	Vnfcs        []record.Vnfc    `json:"vnfcs,omitempty"`
	Networks     []record.Network `json:"networks,omitempty"`
}

// ReconnectStack gives the VNF's deployment the parameters with which its external connection points are on the links
// of the operation's plan, or on those of the VNF as it is recorded, and waits until the VIM is done.
//
// Idempotent: parameters that the deployment has already change nothing, and a change that is under way is waited for.
// Takes minutes, so it heartbeats; a cancel stops the waiting only.
func (i *Infrastructure) ReconnectStack(
	ctx context.Context, in ReconnectStackInput,
) (out ReconnectStackOutput, err error) {
	defer func() { err = boundary(ctx, "change the connections of the deployment", err) }()
	defer heartbeat(ctx)()
	cloud, err := i.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	change, err := i.Deployments.Reconnection(ctx, in.OpOccID, in.AsBefore)
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
	if err := cloud.Change(ctx, change, i.Output.Lines(ctx, in.Step)); err != nil || !in.AsBefore {
		return out, err
	}
	inv, err := i.inventory(ctx, cloud, in.OpOccID, change.Name)
	if err != nil {
		return out, err
	}
	out.DeploymentID, out.Vnfcs, out.Networks = inv.ID, vnfcsOf(inv), networksOf(inv)
	return out, nil
}

// releaseSuperseded readies the deployment for a change where a heal was rolled back before.
func (i *Infrastructure) releaseSuperseded(
	ctx context.Context, cloud vim.VIM, change vim.Change, in ReconnectStackInput,
) error {
	show := i.Output.Lines(ctx, in.Step)
	if err := cloud.Settle(ctx, change.Name, change.Owner, show); err != nil {
		return err
	}
	inv, err := i.inventory(ctx, cloud, in.OpOccID, change.Name)
	if err != nil {
		return err
	}
	vnfcs, err := i.Deployments.Recorded(ctx, in.OpOccID)
	if err != nil {
		return err
	}
	return releasing{cloud: cloud, inv: inv, show: show}.superseded(ctx, vnfcs)
}
