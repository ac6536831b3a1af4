package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// size is a level of the sample package.
type size struct {
	level, workers int
}

// workMs is how long booting, preparing and joining take on every machine.
const workMs = 2000

// pace sets how long the fake machines take for the work that takes long on real ones.
func (b *bed) pace(ctx context.Context, ms int) error {
	lab, ok := b.Cloud.(*environment.Lab)
	if !ok {
		return errors.New("only a lab's machines can be paced")
	}
	_, err := call(ctx, http.MethodPut, lab.OrderURL()+"/scripts/pace", map[string]any{
		"boot_ms": ms, "work": map[string]int{"prepare-node": ms, "kubeadm-init": ms, "kubeadm-join": ms},
	}, nil)
	return err
}

// growth measures how the time of an instantiation grows with the number of workers, on machines where everything takes
// a fixed time, and how much memory the API server and the worker need for it.
func (b *bench) growth(ctx context.Context) (err error) {
	bed, err := newBed(ctx, "fake")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	if err := bed.pace(ctx, workMs); err != nil {
		return err
	}
	sizes := []size{{1, 2}, {2, 10}, {3, 50}}
	if b.quick {
		sizes = sizes[:2]
	}
	idle, err := bed.memory(servers)
	if err != nil {
		return err
	}
	b.add("memory_idle", idle, "MiB", "150")
	var smallest time.Duration
	for _, s := range sizes {
		say("Instantiate 3 control planes and %d workers ...", s.workers)
		stop := bed.watchMemory(ctx, servers)
		op, err := bed.instantiate(ctx, s.level)
		peak := stop()
		if err != nil {
			return err
		}
		name := fmt.Sprintf("instantiate_fake_3_%d", s.workers)
		if smallest == 0 {
			smallest = op.took()
			b.add(name, op.took().Seconds(), "s", "")
		} else {
			b.compare(name, op.took().Seconds(), smallest.Seconds(), "s", "nearly flat")
		}
		if s.workers == 50 {
			b.add("memory_peak_3_50", peak, "MiB", "300")
		}
		if _, err := bed.terminate(ctx, op.vnf); err != nil {
			return err
		}
	}
	return nil
}
