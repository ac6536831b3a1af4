package deployments

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Halting implements activities.Deployments.
func (d *Deployments) Halting(ctx context.Context, id lcm.OpOccID) (ch vim.Change, grace time.Duration, err error) {
	op, definer, err := d.load(ctx, id)
	if err != nil {
		return ch, 0, err
	}
	if request, ok := op.Own.(lcm.OperateRequest); ok && request.Graceful() {
		grace = request.GracePeriod()
	}
	ch = changeOf(op)
	ch.Definition, ch.Secrets, err = definer.Whole(ctx, op)
	return ch, grace, err
}

// GracePeriod implements activities.Deployments.
func (d *Deployments) GracePeriod(ctx context.Context, id lcm.OpOccID) (time.Duration, error) {
	op, err := d.Operations.Load(ctx, id)
	if err != nil {
		return 0, err
	}
	request, _ := op.Own.(lcm.TerminateRequest)
	if request.GracefulTerminationTimeout != nil || op.Flavour == nil {
		return request.GracePeriod(), nil
	}
	return max(request.GracePeriod(), op.Flavour.LeastGrace()), nil
}
