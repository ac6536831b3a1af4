package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// overhead is what Windlass itself costs: the time of an operation on machines that work in no time, less the time
// of the same stack when it is made straight with Heat.
func (b *bench) overhead(ctx context.Context) (err error) {
	bed, err := newBed(ctx, "fake", noWork...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	heat, err := bed.heat(ctx)
	if err != nil {
		return err
	}
	rounds := 20
	if b.quick {
		rounds = 5
	}
	say("%d times: instantiate and terminate, by Windlass and straight with Heat ...", rounds)
	var instantiate, terminate, create, remove []time.Duration
	for round := range rounds + 1 {
		made, err := bed.instantiate(ctx, 1)
		if err != nil {
			return err
		}
		gone, err := bed.terminate(ctx, made.vnf)
		if err != nil {
			return err
		}
		createTook, deleteTook, err := heat.cycle(ctx, fmt.Sprintf("raw-%d", round))
		if err != nil {
			return err
		}
		if round == 0 {
			continue // connections, caches and the database's plans are cold
		}
		instantiate, terminate = append(instantiate, made.took()), append(terminate, gone.took())
		create, remove = append(create, createTook), append(remove, deleteTook)
	}
	b.compare("instantiate_idle_machines_p50", median(instantiate), median(create), "s", "")
	b.compare("terminate_idle_machines_p50", median(terminate), median(remove), "s", "")
	b.add("overhead_instantiate_p50", median(instantiate)-median(create), "s", "0.3")
	b.add("overhead_terminate_p50", median(terminate)-median(remove), "s", "0.3")
	return nil
}

// cycle makes a stack and deletes it again, and tells how long each took.
func (h *heat) cycle(ctx context.Context, name string) (create, remove time.Duration, err error) {
	stack, err := h.definition(name, 1)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	id, _, err := h.create(ctx, stack)
	if err != nil {
		return 0, 0, err
	}
	create, began = time.Since(began), time.Now()
	err = h.delete(ctx, name, id)
	return create, time.Since(began), err
}
