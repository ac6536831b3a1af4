package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/environment"
)

const (
	// bootMs is how long Nova takes for a server in this part, about as long as on some clouds.
	bootMs = 30_000
	// startsAtOnce is how many clients send requests.
	startsAtOnce = 16
)

// load is what many operations in flight have needed.
type load struct {
	sent, over time.Duration // from the first request to the last one, and to the last COMPLETED
	inFlight   int           // the greatest number in flight
	memory     float64       // MiB of the measured processes, at the peak
}

// inFlight measures what a thousand operations at once need on one worker. Each instantiates one small server, for
// which Nova takes half a minute. All of them must complete.
func (b *bench) inFlight(ctx context.Context) (err error) {
	bed, count, err := b.slowBed(ctx, bootMs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.close()) }()
	say("%d operations at once, each of which waits %d s for Nova ...", count, bootMs/1000)
	l, err := bed.load(ctx, count, servers, func(int) error {
		_, err := bed.beginOf(ctx, serverVnfdID, bed.serverRequest())
		return err
	})
	if err != nil {
		return err
	}
	b.add("in_flight_completed", float64(count), "operations", "none lost")
	b.add("in_flight_peak", float64(l.inFlight), "operations", "")
	b.add("in_flight_sent", l.sent.Seconds(), "s", "")
	b.compare("in_flight_seconds", l.over.Seconds(), bootMs/1000, "s", "")
	b.add("in_flight_rate", float64(count)/l.over.Seconds(), "1/s", "")
	b.add("in_flight_memory", l.memory, "MiB", "")
	return nil
}

// slowBed is a bed with the package of one small server, for which Nova takes that long, and the number of operations to
// begin on it.
func (b *bench) slowBed(ctx context.Context, ms int) (made *bed, count int, err error) {
	count = 1000
	if b.quick {
		count = 100
	}
	if made, err = newBed(ctx, "fake", "--image-alias", "tiny"); err != nil {
		return nil, 0, err
	}
	out, err := made.Windlass(ctx, "package", "create", serverPackage).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("on-board the package: %w\n%s", err, out)
	} else {
		err = made.slowDown(ctx, ms)
	}
	if err != nil {
		return nil, 0, errors.Join(err, made.close())
	}
	return made, count, nil
}

// slowDown makes Nova slow for every server.
func (b *bed) slowDown(ctx context.Context, ms int) error {
	lab, ok := b.Cloud.(*environment.Lab)
	if !ok {
		return errors.New("only a lab can be slowed down")
	}
	_, err := call(ctx, http.MethodPost, lab.OrderURL()+"/faults", map[string]any{
		"service": "nova", "method": "POST", "path": "/servers$", "delay_ms": ms, "count": -1,
	}, nil)
	return err
}

// load requests all operations as fast as the API accepts them and waits until the last has ended. It measures the
// memory of the processes.
func (b *bed) load(
	ctx context.Context, count int, processes []string, begin func(n int) error,
) (l load, err error) {
	stop := b.watchMemory(ctx, processes)
	defer func() { l.memory = stop() }()
	began := time.Now()
	var sending errgroup.Group
	sending.SetLimit(startsAtOnce)
	sent := make(chan error, 1)
	go func() {
		for n := range count {
			sending.Go(func() error { return begin(n) })
		}
		err := sending.Wait()
		l.sent = time.Since(began)
		sent <- err
	}()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for all := false; ; {
		select {
		case <-ctx.Done():
			return l, ctx.Err()
		case err := <-sent:
			if err != nil {
				return l, err
			}
			all = true
		case <-tick.C:
		}
		open, completed, err := b.count(ctx)
		if err != nil {
			return l, err
		}
		l.inFlight = max(l.inFlight, open)
		say("  %4.0f s: %4d in flight, %4d completed", time.Since(began).Seconds(), open, completed)
		if all && open == 0 {
			l.over = time.Since(began)
			if completed != count {
				return l, fmt.Errorf("of %d operations %d are completed", count, completed)
			}
			return l, nil
		}
	}
}

// count counts the operations by state. It returns an error if one has stopped, because none may.
func (b *bed) count(ctx context.Context) (open, completed int, err error) {
	all, err := b.operations(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, op := range all {
		switch op.State {
		case lcm.Completed:
			completed++
		case lcm.Starting, lcm.Processing:
			open++
		default:
			_, err := b.await(ctx, "instantiate", op) // returns the reason
			return 0, 0, cmp.Or(err, fmt.Errorf("operation %s was %s", op.ID, op.State))
		}
	}
	return open, completed, nil
}

// operations lists all operations, page by page.
func (b *bed) operations(ctx context.Context) (all []operation, err error) {
	for url := b.api + "/vnflcm/v1/vnf_lcm_op_occs?exclude_default"; url != ""; {
		var page []operation
		header, err := call(ctx, http.MethodGet, url, nil, &page)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		url = nextPage(header)
	}
	return all, nil
}

// nextPage returns the URL of the next page of a list, "" after the last one.
func nextPage(header http.Header) string {
	link, rest, found := strings.Cut(header.Get("Link"), ">")
	if !found || !strings.Contains(rest, "next") {
		return ""
	}
	return strings.TrimPrefix(link, "<")
}
