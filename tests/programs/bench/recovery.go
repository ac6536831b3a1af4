package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Steps of an instantiation. The benchmark kills the worker while nodes are being prepared. The next step begins when
// another worker has got the result.
const (
	interruptedStep = "Prepare every node"
	workerName      = "worker"
)

// recovery measures the time from a worker's SIGKILL in the middle of a step to the beginning of the next step. The
// nodes continue their work on the step meanwhile, which takes two seconds. The baseline is the same without the kill.
// `windlass dev` starts the worker again at once, as a service manager would.
func (b *bench) recovery(ctx context.Context) (err error) {
	bed, err := newBed(ctx, "fake")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	if err := bed.pace(ctx, workMs); err != nil {
		return err
	}
	rounds := 5
	if b.quick {
		rounds = 2
	}
	var killed, calm []time.Duration
	for range rounds {
		for _, kill := range []bool{false, true} {
			took, err := bed.recover(ctx, kill)
			if err != nil {
				return err
			}
			say("  killed %t: the next step began after %.1f s", kill, took.Seconds())
			if kill {
				killed = append(killed, took)
			} else {
				calm = append(calm, took)
			}
		}
	}
	b.compare("recovery_next_step_p50", median(killed), median(calm), "s", "")
	return nil
}

// recover instantiates a cluster, kills the worker if kill is set, and returns the time until the next step began.
func (b *bed) recover(ctx context.Context, kill bool) (time.Duration, error) {
	op, err := b.begin(ctx, 1)
	if err != nil {
		return 0, err
	}
	at, index, err := b.awaitWork(ctx, op)
	if err != nil {
		return 0, err
	}
	if kill {
		info, err := b.Info()
		if err != nil {
			return 0, err
		}
		at = time.Now()
		if err := syscall.Kill(info.Processes[workerName], syscall.SIGKILL); err != nil {
			return 0, fmt.Errorf("kill the worker: %w", err)
		}
	}
	if op, err = b.await(ctx, "instantiate", op); err != nil {
		return 0, err
	}
	steps, err := b.steps(ctx, op)
	if err != nil {
		return 0, err
	}
	for _, s := range steps {
		if s.Index == index+1 && s.Node == "" {
			_, err := b.terminate(ctx, op.vnf)
			return s.Started.Sub(at), err
		}
	}
	return 0, fmt.Errorf("no step follows %q", interruptedStep)
}

// awaitWork waits until a node works on the step, and returns when it saw this.
func (b *bed) awaitWork(ctx context.Context, op operation) (at time.Time, index int, err error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	title := map[int]string{}
	for {
		steps, err := b.steps(ctx, op)
		if err != nil {
			return at, 0, err
		}
		for _, s := range steps {
			if s.Node == "" {
				title[s.Index] = s.Title
				continue
			}
			if s.State == lcm.StepFailed {
				_, err := b.await(ctx, "instantiate", op) // returns the reason
				return at, 0, cmp.Or(err, fmt.Errorf("the step %q has failed", title[s.Index]))
			}
			if title[s.Index] == interruptedStep {
				return time.Now(), s.Index, nil
			}
		}
		select {
		case <-ctx.Done():
			return at, 0, ctx.Err()
		case <-tick.C:
		}
	}
}
