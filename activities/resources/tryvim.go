package resources

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TryVimInput names the operation with the VIM connection to try.
type TryVimInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	// HasDeployment is set when the VNF has resources; the VIM must have them.
	HasDeployment bool `json:"hasStack,omitempty"`
}

// TryVimOutput is empty: the VIM accepts the connection.
type TryVimOutput struct{}

// TryVim checks that the VIM accepts the credentials of the changed connection. For an instantiated VNF it also checks
// that the VNF's deployment is there: a connection to another cloud would make the VNF's resources unreachable.
//
// Idempotent: it only reads. It waits for a change of the deployment that is under way, so it heartbeats.
func (i *Activities) TryVim(ctx context.Context, in TryVimInput) (out TryVimOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "try the VIM connection", err) }()
	defer activities.Heartbeat(ctx)()
	deployment, err := i.Cloud.DeploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	err = deployment.Settle(ctx)
	switch {
	case !lcm.Is(err, lcm.KindNotFound):
		return out, err
	case in.HasDeployment:
		return out, lcm.Errorf(lcm.KindConflict, "The VIM answers, but it has no deployment %s: the VNF's resources "+
			"are in another cloud or project. Name a VIM that has them.", deployment.Name)
	default: // no deployment yet
		return out, nil
	}
}
