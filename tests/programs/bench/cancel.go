package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// heldMs is how long Nova takes for a server in this part: longer than the part.
	heldMs = 3_600_000
	// cancelsAtOnce is how many clients cancel operations.
	cancelsAtOnce = 4
	// cancelledOneIn: one operation in so many is cancelled.
	cancelledOneIn = 5
)

// cancels measures how soon a FORCEFUL cancel has interrupted an operation while a thousand operations are in flight on
// one worker: the time from the request to FAILED_TEMP. An operation gets there when all its work has ended, also the
// work of its stack in Heat.
func (b *bench) cancels(ctx context.Context) (err error) {
	bed, count, err := b.slowBed(ctx, heldMs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	say("A FORCEFUL cancel of one operation in %d, with %d in flight ...", cancelledOneIn, count)
	ops, err := bed.hold(ctx, count)
	if err != nil {
		return err
	}
	if err := settle(ctx); err != nil {
		return err
	}
	took, err := bed.cancelSome(ctx, ops)
	if err != nil {
		return err
	}
	b.add("cancel_forceful_p50", percentile(took, 50).Seconds(), "s", "")
	b.add("cancel_forceful_p99", percentile(took, 99).Seconds(), "s", "at most 1")
	return nil
}

// hold begins operations and returns when all of them wait for Nova.
func (b *bed) hold(ctx context.Context, count int) ([]operation, error) {
	ops := make([]operation, count)
	var sending errgroup.Group
	sending.SetLimit(startsAtOnce)
	for n := range count {
		sending.Go(func() (err error) {
			ops[n], err = b.beginOf(ctx, serverVnfdID, b.serverRequest())
			return err
		})
	}
	if err := sending.Wait(); err != nil {
		return nil, err
	}
	for _, op := range ops {
		if err := b.awaitDeployment(ctx, op); err != nil {
			return nil, err
		}
	}
	return ops, nil
}

// awaitDeployment waits until an operation creates its deployment.
func (b *bed) awaitDeployment(ctx context.Context, op operation) error {
	const title = "Create the infrastructure"
	ctx, done := context.WithTimeout(ctx, 10*time.Minute)
	defer done()
	for {
		steps, err := b.steps(ctx, op)
		if err != nil {
			return fmt.Errorf("operation %s is not at %q: %w", op.ID, title, err)
		}
		for _, s := range steps {
			if s.Title == title && s.State == lcm.StepRunning {
				return nil
			}
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return fmt.Errorf("operation %s is not at %q: %w", op.ID, title, err)
		}
	}
}

// settle waits until the machine has idle processors, for two minutes at most. Each operation looks at its new stack more
// often at first, and the lab, which answers all of them, is on this machine.
func settle(ctx context.Context) error {
	idle, all, err := processorTime()
	for end := time.Now().Add(2 * time.Minute); err == nil && time.Now().Before(end); {
		if err := sleep(ctx, 2*time.Second); err != nil {
			return err
		}
		idleThen, allThen := idle, all
		idle, all, err = processorTime()
		if (idle-idleThen)*10 >= (all-allThen)*4 {
			return nil
		}
	}
	return err
}

// processorTime reads how long the processors of this machine were idle, and how long they have run, in ticks.
func processorTime() (idle, all int64, err error) {
	content, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, err
	}
	line, _, _ := strings.Cut(string(content), "\n")
	for i, field := range strings.Fields(line)[1:] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("read /proc/stat: %w", err)
		}
		if all += ticks; i == 3 {
			idle = ticks
		}
	}
	return idle, all, nil
}

// cancelSome cancels some of the operations and returns how long each one took.
func (b *bed) cancelSome(ctx context.Context, ops []operation) ([]time.Duration, error) {
	took := make([]time.Duration, len(ops)/cancelledOneIn)
	var sending errgroup.Group
	sending.SetLimit(cancelsAtOnce)
	for n := range took {
		sending.Go(func() (err error) {
			took[n], err = b.cancel(ctx, ops[n*cancelledOneIn])
			return err
		})
	}
	return took, sending.Wait()
}

func (b *bed) cancel(ctx context.Context, op operation) (time.Duration, error) {
	ctx, done := context.WithTimeout(ctx, 2*time.Minute)
	defer done()
	began, path := time.Now(), "/vnflcm/v1/vnf_lcm_op_occs/"+op.ID
	if _, err := b.call(ctx, http.MethodPost, path+"/cancel", map[string]any{"cancelMode": lcm.Forceful}, nil); err != nil {
		return 0, err
	}
	for {
		if _, err := b.call(ctx, http.MethodGet, path, nil, &op); err != nil {
			return 0, err
		}
		if op.State == lcm.FailedTemp {
			return time.Since(began), nil
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return 0, fmt.Errorf("operation %s is %s after a FORCEFUL cancel: %w", op.ID, op.State, err)
		}
	}
}

func sleep(ctx context.Context, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return nil
	}
}
