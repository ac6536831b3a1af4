package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// The package with one small server.
const (
	serverPackage = "tests/programs/bench/server"
	serverVnfdID  = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e11"
)

// openstack measures what Windlass adds to the time of a real OpenStack: it makes the same small stack by Heat's API
// and through SOL003, alternately.
func (b *bench) openstack(ctx context.Context) (err error) {
	file, runs := environment.OpenStackRuns(ctx)
	if !runs {
		b.notes = append(b.notes, "Not measured: the overhead on a real OpenStack, which does not run here. Bring it up "+
			"with: go tool task openstack:up")
		return nil
	}
	say("Starting Windlass for the OpenStack of %s ...", file)
	bed, err := newBedIn(ctx, &environment.OpenStack{File: file}, serverPackage)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	rounds := 10
	if b.quick {
		rounds = 3
	}
	say("%d times: one server, by Heat's own API and by Windlass ...", rounds)
	var raw, windlass turns
	for round := range rounds + 1 {
		if err := bed.turn(ctx, round, &raw, &windlass); err != nil {
			return err
		}
		if round == 0 { // Nova's cache of images and the connections are cold
			raw, windlass = turns{}, turns{}
			continue
		}
		say("  %s", turns{windlass.up[round-1:], windlass.down[round-1:]}.against(raw.up[round-1], raw.down[round-1]))
	}
	b.compare("instantiate_openstack_p50", median(windlass.up), median(raw.up), "s", "")
	b.compare("terminate_openstack_p50", median(windlass.down), median(raw.down), "s", "")
	b.add("overhead_openstack_instantiate_p50", median(windlass.up)-median(raw.up), "s", "0.5")
	b.add("overhead_openstack_terminate_p50", median(windlass.down)-median(raw.down), "s", "0.5")
	return nil
}

// turns are the times of all rounds.
type turns struct{ up, down []time.Duration }

func (t turns) against(up, down time.Duration) string {
	return fmt.Sprintf("instantiate %.2f s, Heat %.2f s; terminate %.2f s, Heat %.2f s",
		t.up[0].Seconds(), up.Seconds(), t.down[0].Seconds(), down.Seconds())
}

// turn makes the server once in each way. The two ways alternate in being first, because the second finds warm caches.
func (b *bed) turn(ctx context.Context, round int, raw, windlass *turns) error {
	ways := []func() error{
		func() error { return b.serverByHeat(ctx, fmt.Sprintf("bench-%d-%d", time.Now().Unix(), round), raw) },
		func() error { return b.serverByWindlass(ctx, windlass) },
	}
	if round%2 == 1 {
		ways[0], ways[1] = ways[1], ways[0]
	}
	return errors.Join(ways[0](), ways[1]())
}

func (b *bed) serverRequest() map[string]any {
	return map[string]any{
		"flavourId":         "simple",
		"vimConnectionInfo": []any{map[string]any{"id": "openstack", "vimId": b.vim, "vimType": "openstack"}},
		"extVirtualLinks": []any{map[string]any{"id": "net0", "resourceId": "net0", "extCps": []any{map[string]any{
			"cpdId":    "VDU1_CP1",
			"cpConfig": []any{map[string]any{"cpProtocolData": []any{map[string]any{"layerProtocol": "IP_OVER_ETHERNET"}}}},
		}}}},
	}
}

func (b *bed) serverByWindlass(ctx context.Context, t *turns) error {
	made, err := b.make(ctx, serverVnfdID, b.serverRequest())
	if err != nil {
		return err
	}
	gone, err := b.terminate(ctx, made.vnf)
	t.up, t.down = append(t.up, made.took()), append(t.down, gone.took())
	return err
}

func (b *bed) serverByHeat(ctx context.Context, name string, t *turns) error {
	heat, err := b.heat(ctx)
	if err != nil {
		return err
	}
	heat.poll = 100 * time.Millisecond // Heat itself would become slower with more frequent requests
	stack, err := heat.define(name, serverPackage, b.serverRequest())
	if err != nil {
		return err
	}
	began := time.Now()
	id, _, err := heat.create(ctx, stack)
	up := time.Since(began)
	if id == "" {
		return err
	}
	began = time.Now()
	err = errors.Join(err, heat.delete(context.WithoutCancel(ctx), name, id))
	t.up, t.down = append(t.up, up), append(t.down, time.Since(began))
	return err
}
