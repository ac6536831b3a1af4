package openstack

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"

	"github.com/windlass-nfv/windlass/internal/vim"
)

// routing is the work on one route of a load balancer: a listener, a pool with its members, and their health monitor.
type routing struct {
	*balancing
	vim.Route
}

// Settings of Octavia's health monitors, in seconds, and the idle timeout of connections, in milliseconds: watches of
// the Kubernetes API are idle for hours.
const (
	checkEvery   = 5
	checkTimeout = 3
	checkTimes   = 2
	quiet        = 4 * 60 * 60 * 1000
)

// serve makes what is missing of the route. The members are set before the listener is made, so that it leads somewhere
// from its beginning.
func (r routing) serve(ctx context.Context, served []listeners.Listener, behind []pools.Pool) error {
	pool := pools.Pool{Name: r.Name}
	if i := slices.IndexFunc(behind, func(p pools.Pool) bool { return p.Name == r.Name }); i >= 0 {
		pool = behind[i]
	} else if err := r.makePool(ctx, &pool); err != nil {
		return err
	}
	if pool.MonitorID == "" {
		if err := r.monitor(ctx, pool.ID); err != nil {
			return err
		}
	}
	if err := r.setMembers(ctx, pool.ID); err != nil {
		return err
	}
	if slices.ContainsFunc(served, func(l listeners.Listener) bool { return l.Name == r.Name }) {
		return nil
	}
	return r.listen(ctx, pool.ID)
}

func (r routing) makePool(ctx context.Context, pool *pools.Pool) error {
	method := pools.LBMethodRoundRobin
	if r.want.Provider == ovnProvider {
		method = pools.LBMethodSourceIpPort
	}
	return r.change(ctx, "create the pool "+r.Name, func() error {
		made, err := pools.Create(ctx, r.balancer, pools.CreateOpts{
			Name: r.Name, LoadbalancerID: r.id, Protocol: pools.ProtocolTCP, LBMethod: method,
		}).Extract()
		if err == nil {
			*pool = *made
		}
		return err
	})
}

func (r routing) monitor(ctx context.Context, pool string) error {
	opts := monitors.CreateOpts{
		PoolID: pool, Name: r.Name, Type: monitors.TypeTCP, Delay: checkEvery, Timeout: checkTimeout, MaxRetries: checkTimes,
	}
	if r.HealthPath != "" && r.want.Provider != ovnProvider {
		opts.Type, opts.URLPath, opts.ExpectedCodes, opts.HTTPMethod = monitors.TypeHTTPS, r.HealthPath, r.HealthCodes, "GET"
	}
	return r.change(ctx, "create the health monitor "+r.Name, func() error {
		_, err := monitors.Create(ctx, r.balancer, opts).Extract()
		return err
	})
}

// setMembers replaces all members of the pool in one call, unless they are so already.
func (r routing) setMembers(ctx context.Context, pool string) error {
	have, err := listed(ctx, "list the members of "+r.Name, pools.ListMembers(r.balancer, pool, nil), pools.ExtractMembers)
	if err != nil {
		return err
	}
	if r.sameMembers(have) {
		return nil
	}
	opts := []pools.BatchUpdateMemberOpts{}
	for _, m := range r.Members {
		at := net.JoinHostPort(m.Address, strconv.Itoa(r.MemberPort))
		r.progress(fmt.Sprintf("Octavia sends %s to %s at %s", r.Name, m.Name, at))
		opts = append(opts, pools.BatchUpdateMemberOpts{Address: m.Address, ProtocolPort: r.MemberPort, Name: &m.Name})
	}
	return r.change(ctx, "set the members of "+r.Name, func() error {
		return pools.BatchUpdateMembers(ctx, r.balancer, pool, opts).ExtractErr()
	})
}

func (r routing) sameMembers(have []pools.Member) bool {
	return len(have) == len(r.Members) && !slices.ContainsFunc(r.Members, func(m vim.RouteMember) bool {
		return !slices.ContainsFunc(have, func(h pools.Member) bool {
			return h.Name == m.Name && h.Address == m.Address && h.ProtocolPort == r.MemberPort
		})
	})
}

func (r routing) listen(ctx context.Context, pool string) error {
	opts := listeners.CreateOpts{
		Name: r.Name, LoadbalancerID: r.id, Protocol: listeners.ProtocolTCP, ProtocolPort: r.Port, DefaultPoolID: pool,
	}
	if r.want.Provider != ovnProvider {
		long := quiet
		opts.TimeoutClientData, opts.TimeoutMemberData = &long, &long
	}
	return r.change(ctx, "create the listener "+r.Name, func() error {
		_, err := listeners.Create(ctx, r.balancer, opts).Extract()
		return err
	})
}
