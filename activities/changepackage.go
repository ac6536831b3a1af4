package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ChangePackageInput names the operation, and whether its change is made or taken back.
type ChangePackageInput struct {
	Tracked
	OpOccID  lcm.OpOccID `json:"opOccId"`
	AsBefore bool        `json:"asBefore,omitempty"`
}

// ChangePackageOutput is empty.
type ChangePackageOutput struct{}

// ChangePackage makes of the VNF's deployment what the package of a CHANGE_VNFPKG says, or what the one before says,
// and waits until that is so.
//
// Idempotent: what is so already stays as it is. Takes minutes, so it heartbeats; a cancel stops the waiting only.
func (i *Infrastructure) ChangePackage(
	ctx context.Context, in ChangePackageInput,
) (out ChangePackageOutput, err error) {
	defer func() { err = boundary(ctx, "change the package of the VNF", err) }()
	defer heartbeat(ctx)()
	on, err := i.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	change, err := i.Deployments.Repackaging(ctx, in.OpOccID, in.AsBefore)
	if err != nil {
		return out, err
	}
	show := i.Output.Lines(ctx, in.Step)
	if err := on.Settle(ctx, change.Name, change.Owner, show); err != nil {
		return out, err
	}
	return out, on.Change(ctx, change, show)
}
