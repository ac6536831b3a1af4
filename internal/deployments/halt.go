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
	request, err := lcm.ParseOperate(op.OpOcc.Params)
	if err == nil && request.Graceful() {
		grace = request.GracePeriod()
	}
	ch = changeOf(op)
	ch.Definition, ch.Secrets, err = definer.Whole(ctx, op)
	return ch, grace, err
}

// GracePeriod implements activities.Deployments.
func (d *Deployments) GracePeriod(ctx context.Context, id lcm.OpOccID) (time.Duration, error) {
	opOcc, err := d.Operations.OpOcc(ctx, id)
	if err != nil {
		return 0, err
	}
	request, err := lcm.ParseTerminate(opOcc.Params)
	if err != nil || request.GracefulTerminationTimeout != nil {
		return request.GracePeriod(), err
	}
	op, err := d.Operations.Load(ctx, id)
	if err != nil {
		return 0, err
	}
	if op.Flavour == nil {
		return request.GracePeriod(), nil
	}
	return max(request.GracePeriod(), op.Flavour.LeastGrace()), nil
}
