package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// scaleOut measures how the time to add workers grows with their number, on machines where booting, preparing and
// joining each take a fixed time. Between two measurements it scales the cluster back to its first size.
func (b *bench) scaleOut(ctx context.Context) (err error) {
	bed, err := newBed(ctx, "fake")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	if err := bed.pace(ctx, workMs); err != nil {
		return err
	}
	say("Instantiate 3 control planes and 2 workers ...")
	cluster, err := bed.instantiate(ctx, 1)
	if err != nil {
		return err
	}
	var one time.Duration
	for _, count := range []int{1, 2, 4, 8} {
		say("Add workers: %d ...", count)
		op, err := bed.scale(ctx, cluster.vnf, "SCALE_OUT", count)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("scale_out_fake_%d", count)
		if one == 0 {
			one = op.took()
			b.add(name, one.Seconds(), "s", "")
		} else {
			b.compare(name, op.took().Seconds(), one.Seconds(), "s", "nearly flat")
		}
		if _, err := bed.scale(ctx, cluster.vnf, "SCALE_IN", count); err != nil {
			return err
		}
	}
	return nil
}

func (b *bed) scale(ctx context.Context, vnf, direction string, steps int) (operation, error) {
	return b.operate(ctx, vnf, "scale", map[string]any{
		"type": direction, "aspectId": "worker_instance", "numberOfSteps": steps,
	})
}
