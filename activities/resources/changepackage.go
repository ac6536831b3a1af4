package resources

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ChangePackageInput names the operation, and whether to make its change or to undo it.
type ChangePackageInput struct {
	activities.Tracked
	OpOccID  lcm.OpOccID `json:"opOccId"`
	AsBefore bool        `json:"asBefore,omitempty"`
}

// ChangePackageOutput is empty.
type ChangePackageOutput struct{}

// ChangePackage changes the VNF's deployment to the new package of a CHANGE_VNFPKG, or back to the former package. It
// waits until the VIM is done.
//
// Idempotent: resources that are already as they should be do not change. Takes minutes, so it heartbeats. A cancel
// only stops the waiting.
func (i *Activities) ChangePackage(
	ctx context.Context, in ChangePackageInput,
) (out ChangePackageOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "change the package of the VNF", err) }()
	defer activities.Heartbeat(ctx)()
	on, err := i.Cloud.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	change, err := i.Cloud.Deployments.Repackaging(ctx, in.OpOccID, in.AsBefore)
	if err != nil {
		return out, err
	}
	show := i.Cloud.Output.Lines(ctx, in.Step)
	if err := on.Settle(ctx, change.Name, change.Owner, show); err != nil {
		return out, err
	}
	return out, on.Change(ctx, change, show)
}
