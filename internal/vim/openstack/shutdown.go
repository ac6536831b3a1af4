package openstack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// atOnce bounds the concurrent calls; the transport keeps as many connections.
const atOnce = 16

// Nova's statuses for a server that is off and for a server in error, and its task for a shutdown.
const (
	statusOff   = "SHUTOFF"
	statusError = "ERROR"
	taskOff     = "powering-off"
)

// ShutDown asks Nova to shut down all servers of the stack of that name concurrently, as their power buttons would. It
// waits until they are off, but not longer than until. It returns the names of the servers that are still on: Nova may
// refuse a server, or not answer. It leaves a stack alone that does not exist or has another owner.
//
// It can be called again: it does not ask again for servers that are off or shutting down.
func (c *Cloud) ShutDown(
	ctx context.Context, name, owner string, until time.Time, progress func(string),
) (stillOn []string, err error) {
	have, err := c.stack(ctx, name)
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case !slices.Contains(have.Tags, owner):
		progress("The stack " + name + " does not belong to Windlass, which leaves it alone.")
		return nil, nil
	}
	list, err := c.resources(ctx, name, have.ID)
	if err != nil {
		return nil, err
	}
	s := &shutdown{cloud: c, progress: progress, asked: map[string]bool{}, hopeless: map[string]bool{}}
	for _, r := range list {
		if r.Type == "OS::Nova::Server" && r.PhysicalID != "" {
			s.ids = append(s.ids, r.PhysicalID)
		}
	}
	return s.run(ctx, until)
}

// shutdown is the progress of one stack's servers to SHUTOFF.
type shutdown struct {
	cloud    *Cloud
	ids      []string
	on       []servers.Server // as last seen
	progress func(string)

	mu       sync.Mutex
	asked    map[string]bool // Nova has accepted the request
	hopeless map[string]bool // these will not shut down: do not wait for them
}

func (s *shutdown) run(ctx context.Context, until time.Time) (stillOn []string, err error) {
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	s.progress(fmt.Sprintf("%d of %d servers are on. They have %s to shut down.", len(s.on), len(s.ids),
		max(0, time.Until(until)).Round(time.Second)))
	for begun := time.Now(); ; {
		s.ask(ctx)
		left := time.Until(until)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !s.waiting() || left <= 0 {
			return s.give(), nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(s.cloud.timing.pause(time.Since(begun)), left)):
		}
		if err := s.look(ctx); err != nil && lcm.KindOf(err) != lcm.KindUnavailable {
			return nil, err
		} // else Nova may be back before the time is over
	}
}

// look reads which servers are on, and reports those that went off since the last look.
func (s *shutdown) look(ctx context.Context) error {
	list, err := s.cloud.servers(ctx, s.ids)
	if err != nil {
		return err
	}
	var on []servers.Server
	for _, server := range list {
		if server.Status != statusOff {
			on = append(on, server)
		}
		if server.Status == statusError && s.asked[server.ID] && server.TaskState == "" {
			s.hopeless[server.ID] = true
		}
	}
	for _, before := range s.on {
		if !slices.ContainsFunc(on, func(server servers.Server) bool { return server.ID == before.ID }) {
			s.progress(before.Name + ": off")
		}
	}
	s.on = on
	return nil
}

// ask asks Nova to shut down the servers that it was not asked for yet.
func (s *shutdown) ask(ctx context.Context) {
	var all errgroup.Group
	all.SetLimit(atOnce)
	unasked := slices.DeleteFunc(slices.Clone(s.on), func(server servers.Server) bool {
		return s.asked[server.ID] || s.hopeless[server.ID] || server.TaskState == taskOff
	})
	for _, server := range unasked {
		all.Go(func() error {
			err := translate("shut down "+server.Name, servers.Stop(ctx, s.cloud.compute, server.ID).ExtractErr())
			s.mu.Lock()
			defer s.mu.Unlock()
			switch {
			case err == nil || lcm.Is(err, lcm.KindNotFound):
				s.asked[server.ID] = true
			case lcm.Is(err, lcm.KindUnavailable): // asked again with the next look
			default:
				s.hopeless[server.ID] = true
				s.progress(server.Name + ": " + sentence(err))
			}
			return nil
		})
	}
	_ = all.Wait() // none of them fails
}

func (s *shutdown) waiting() bool {
	return slices.ContainsFunc(s.on, func(server servers.Server) bool { return !s.hopeless[server.ID] })
}

// give gives up: it reports and returns the servers that are still on.
func (s *shutdown) give() (stillOn []string) {
	for _, server := range s.on {
		stillOn = append(stillOn, server.Name)
		s.progress(fmt.Sprintf("%s: still %s. Windlass deletes it anyway.", server.Name, server.Status))
	}
	return stillOn
}

func sentence(err error) string {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return e.Sentence()
	}
	return err.Error()
}
