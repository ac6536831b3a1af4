package main

import (
	"context"
	"errors"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// removeVNF removes the demo's VNF from the OpenStack of this machine, in any state.
func removeVNF(ctx context.Context, d *demo) error {
	if _, runs := environment.OpenStackRuns(ctx); !runs {
		d.say("The OpenStack does not run; the VNF has gone with it, or is still there when it comes up again.")
		return nil
	}
	if err := d.env.StartDev(ctx); err != nil {
		return err
	}
	all, err := query[[]vnf](ctx, d, "vnf", "list")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(v vnf) bool { return v.Name == d.product().instance })
	if i < 0 {
		return nil
	}
	if err := d.settle(ctx, all[i].ID); err != nil {
		return err
	}
	instance, err := query[vnf](ctx, d, "vnf", "show", all[i].ID)
	if err != nil {
		return err
	}
	if instance.State == string(lcm.Instantiated) {
		if err := d.show(ctx, "vnf", "terminate", instance.ID, "--watch"); err != nil {
			return err
		}
	}
	return d.show(ctx, "vnf", "delete", instance.ID)
}

// settle ends the last operation of the instance if it runs or waits for a decision.
func (d *demo) settle(ctx context.Context, instance string) error {
	for range 3 { // it may need a cancel, then a rollback, then a last look
		last, err := d.last(ctx, instance)
		switch {
		case err != nil:
			return err
		case last.ID == "" || last.State.Terminal():
			return nil
		case last.State == lcm.FailedTemp && last.Operation == lcm.OpInstantiate:
			err = d.show(ctx, "op", "rollback", last.ID, "--watch")
		case last.State == lcm.FailedTemp || last.Operation == lcm.OpTerminate:
			return d.show(ctx, "op", "retry", last.ID, "--watch")
		default:
			// The operation ends in FAILED_TEMP, for which --watch returns an error.
			_ = d.show(ctx, "op", "cancel", last.ID, "--mode", "FORCEFUL", "--watch")
		}
		if err != nil {
			return err
		}
	}
	return errors.New("the VNF's operation does not come to an end")
}

// last returns the operation of the instance that began last. Its id is "" if there is none.
func (d *demo) last(ctx context.Context, instance string, only ...lcm.Operation) (last operation, err error) {
	ops, err := query[[]operation](ctx, d, "op", "list", "--vnf", instance)
	if err != nil {
		return last, err
	}
	if len(only) > 0 {
		ops = slices.DeleteFunc(ops, func(o operation) bool { return !slices.Contains(only, o.Operation) })
	}
	if len(ops) > 0 {
		last = slices.MaxFunc(ops, func(a, b operation) int { return a.Start.Compare(b.Start) })
	}
	return last, nil
}
