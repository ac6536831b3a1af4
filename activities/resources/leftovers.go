package resources

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// LookForLeftoversOutput is what a given-up INSTANTIATE has left.
type LookForLeftoversOutput struct {
	// Nothing is set when every VIM of the VNF has answered that it has no deployment of the VNF's name.
	Nothing bool `json:"nothing,omitempty"`
}

// LookForLeftovers looks whether the VIM has anything of the VNF. A rollback believes the same answer of the VIM: it
// ends as soon as there is no deployment of that name.
// Idempotent: it only reads.
func (i *Activities) LookForLeftovers(
	ctx context.Context, in DeploymentInput,
) (out LookForLeftoversOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "look for what is left", err) }()
	defer activities.Heartbeat(ctx)()
	deployment, err := i.Cloud.DeploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	for _, one := range vim.Each(deployment.Cloud) { // several VIMs together answer NotFound as soon as one does
		deployment.Cloud = one
		if err := deployment.Settle(ctx); !lcm.Is(err, lcm.KindNotFound) {
			return out, err
		}
	}
	out.Nothing = true
	return out, nil
}
