package worker

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Halting implements activities.Deployments.
func (o *resolver) Halting(ctx context.Context, id lcm.OpOccID) (ch vim.Change, grace time.Duration, err error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return ch, 0, err
	}
	name, owner, err := o.DeploymentName(ctx, id)
	if err != nil {
		return ch, 0, err
	}
	request, err := lcm.ParseOperate(j.OpOcc.Params)
	if err == nil && request.Graceful() {
		grace = request.GracePeriod()
	}
	definer, err := o.definerOf(ctx, j)
	if err != nil {
		return ch, 0, err
	}
	definition, opened, err := definer.Whole(ctx, j.Operation)
	return vim.Change{
		Name: name, Owner: owner, Operation: deploymentTag(id), Definition: definition, Timeout: o.deployTimeout(j),
		Secrets: opened,
	}, grace, err
}
