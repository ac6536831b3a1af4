package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// CheckModificationInput names the operation.
type CheckModificationInput struct {
	Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
}

// CheckModificationOutput is empty: the modifications can be made.
type CheckModificationOutput struct{}

// CheckModification looks whether the modifications can be made: the package and the VIMs that they name must be there.
// Idempotent: it only reads.
func (o *OpOccs) CheckModification(
	ctx context.Context, in CheckModificationInput,
) (out CheckModificationOutput, err error) {
	defer func() { err = boundary(ctx, "check the modifications", err) }()
	_, _, err = o.Facts.Modified(ctx, in.OpOccID)
	return out, err
}

// TryVimInput names the operation whose VIM connection is tried.
type TryVimInput struct {
	Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	// HasDeployment is set when the VNF has resources, which the VIM must have.
	HasDeployment bool `json:"hasStack,omitempty"`
}

// TryVimOutput is empty: the VIM answers as it should.
type TryVimOutput struct{}

// TryVim looks whether the VIM takes the credentials of the connection as it will be and, of a VNF that is
// instantiated, whether its deployment is there: a connection that leads to another cloud would make the VNF's
// resources unreachable.
//
// Idempotent: it only looks. A deployment that is being changed is waited for, so it heartbeats.
func (i *Infrastructure) TryVim(ctx context.Context, in TryVimInput) (out TryVimOutput, err error) {
	defer func() { err = boundary(ctx, "try the VIM connection", err) }()
	defer heartbeat(ctx)()
	deployment, err := i.deploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	err = deployment.settle(ctx)
	switch {
	case !lcm.Is(err, lcm.KindNotFound):
		return out, err
	case in.HasDeployment:
		return out, lcm.Errorf(lcm.KindConflict, "The VIM answers, but it has no deployment %s: the VNF's resources are in "+
			"another cloud or project. Name a VIM that leads to them.", deployment.name)
	default: // nothing to be found yet
		return out, nil
	}
}
