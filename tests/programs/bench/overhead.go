package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/windlass-nfv/windlass/internal/remote"
)

// overhead measures what Windlass itself costs: the time of an operation on machines that need no time, minus the time
// of the same API calls, logins and scripts in a small program without Windlass.
func (b *bench) overhead(ctx context.Context) (err error) {
	bed, err := newBed(ctx, "fake")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	heat, err := bed.heat(ctx)
	if err != nil {
		return err
	}
	program := &straight{heat: heat, dialer: &remote.Dialer{HostKeys: &pins{}}}
	rounds := 20
	if b.quick {
		rounds = 5
	}
	say("%d times: instantiate and terminate, by Windlass and straight ...", rounds)
	var up, down, straightUp, straightDown []time.Duration
	for round := range rounds + 1 {
		made, err := bed.instantiate(ctx, 1)
		if err != nil {
			return err
		}
		gone, err := bed.terminate(ctx, made.vnf)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("straight-%d", round)
		id, upTook, err := program.instantiate(ctx, name)
		if err != nil {
			return err
		}
		downTook, err := program.terminate(ctx, name, id)
		if err != nil {
			return err
		}
		if round == 0 {
			continue // connections, caches and the database's plans are cold
		}
		up, down = append(up, made.took()), append(down, gone.took())
		straightUp, straightDown = append(straightUp, upTook), append(straightDown, downTook)
	}
	b.compare("instantiate_idle_machines_p50", median(up), median(straightUp), "s", "")
	b.compare("terminate_idle_machines_p50", median(down), median(straightDown), "s", "")
	b.add("overhead_instantiate_p50", median(up)-median(straightUp), "s", "0.3")
	b.add("overhead_terminate_p50", median(down)-median(straightDown), "s", "0.3")
	return nil
}
