package openstack

import (
	"context"
	"fmt"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// loadBalancerType is Octavia's service type in the catalog.
const loadBalancerType = "load-balancer"

// Octavia's words for the state of a load balancer.
const (
	octaviaActive  = "ACTIVE"
	octaviaError   = "ERROR"
	octaviaDeleted = "DELETED"
)

// ovnProvider is a provider of Octavia that can only check whether ports of members are open.
const ovnProvider = "ovn"

// balancing is the work on one load balancer.
type balancing struct {
	*Cloud

	want     vim.LoadBalancer
	id       string
	progress func(string)
}

func (c *Cloud) hasOctavia() error {
	if c.balancer != nil {
		return nil
	}
	return lcm.Errorf(lcm.KindInvalid, "The VIM has no load balancers: its catalog has no load-balancer (Octavia) "+
		"endpoint. Request a load balancer on a server instead of octavia.")
}

// Balance implements vim.Balancer with Octavia.
func (c *Cloud) Balance(ctx context.Context, want vim.LoadBalancer, progress func(string)) error {
	if err := c.hasOctavia(); err != nil {
		return err
	}
	b := balancing{Cloud: c, want: want, progress: progress}
	have, err := c.findBalancer(ctx, want.Name, want.Owner)
	if err != nil {
		return err
	}
	if have != nil && have.ProvisioningStatus == octaviaError {
		progress("The load balancer is in ERROR in Octavia: Windlass makes it anew.")
		if err := c.RemoveBalancer(ctx, want.Name, want.Owner, progress); err != nil {
			return err
		}
		have = nil
	}
	if have == nil {
		if have, err = b.create(ctx); err != nil {
			return err
		}
	}
	b.id = have.ID
	if err := b.settle(ctx); err != nil {
		return err
	}
	return b.route(ctx)
}

// findBalancer finds a load balancer by its name, nil for none. It returns a Conflict when another owner has it.
func (c *Cloud) findBalancer(ctx context.Context, name, owner string) (*loadbalancers.LoadBalancer, error) {
	list, err := listed(ctx, "find the load balancer "+name,
		loadbalancers.List(c.balancer, loadbalancers.ListOpts{Name: name}), loadbalancers.ExtractLoadBalancers)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(b loadbalancers.LoadBalancer) bool { return b.ProvisioningStatus == octaviaDeleted })
	switch {
	case len(list) == 0:
		return nil, nil //nolint:nilnil // there is none, which is no error
	case len(list) > 1 || list[0].Description != balancerNote(owner):
		return nil, lcm.Errorf(lcm.KindConflict, "The VIM has a load balancer %s that does not belong to this VNF: "+
			"remove or rename it.", name)
	}
	return &list[0], nil
}

// balancerNote is the description of a load balancer; it names the owner.
func balancerNote(owner string) string { return "Windlass: " + owner }

func (b *balancing) create(ctx context.Context) (*loadbalancers.LoadBalancer, error) {
	b.progress("Octavia makes the load balancer " + b.want.Name)
	made, err := loadbalancers.Create(ctx, b.balancer, loadbalancers.CreateOpts{
		Name: b.want.Name, Description: balancerNote(b.want.Owner), VipPortID: b.want.PortID, Provider: b.want.Provider,
		FlavorID: b.want.FlavorID,
	}).Extract()
	return made, translate("create the load balancer "+b.want.Name, err)
}

// settle waits until Octavia accepts the next change: it refuses changes while one is in progress.
func (b *balancing) settle(ctx context.Context) error {
	doing := "wait for the load balancer " + b.want.Name
	return b.until(ctx, func() (bool, error) {
		now, err := loadbalancers.Get(ctx, b.balancer, b.id).Extract()
		switch {
		case err != nil:
			return false, translate(doing, err)
		case now.ProvisioningStatus == octaviaError:
			return false, lcm.Errorf(lcm.KindBroken, "Octavia could not set up the load balancer %s "+
				"(provisioning_status ERROR). Ask the operator of the cloud why, then retry: Windlass makes it anew.",
				b.want.Name)
		}
		return now.ProvisioningStatus == octaviaActive, nil
	})
}

// change makes a change that Octavia carries out in the background, and waits until it is done.
func (b *balancing) change(ctx context.Context, doing string, do func() error) error {
	if err := translate(doing, do()); err != nil {
		return err
	}
	return b.settle(ctx)
}

// route makes the load balancer serve exactly its routes.
func (b *balancing) route(ctx context.Context) error {
	have, err := b.listeners(ctx)
	if err != nil {
		return err
	}
	behind, err := b.pools(ctx)
	if err != nil {
		return err
	}
	for _, route := range b.want.Routes {
		r := routing{balancing: b, Route: route}
		if err := r.serve(ctx, have, behind); err != nil {
			return err
		}
	}
	return b.dropOthers(ctx, have, behind)
}

func (b *balancing) listeners(ctx context.Context) ([]listeners.Listener, error) {
	return listed(ctx, "list the listeners of "+b.want.Name,
		listeners.List(b.balancer, listeners.ListOpts{LoadbalancerID: b.id}), listeners.ExtractListeners)
}

func (b *balancing) pools(ctx context.Context) ([]pools.Pool, error) {
	return listed(ctx, "list the pools of "+b.want.Name,
		pools.List(b.balancer, pools.ListOpts{LoadbalancerID: b.id}), pools.ExtractPools)
}

// dropOthers deletes listeners and pools that are no longer routes.
func (b *balancing) dropOthers(ctx context.Context, served []listeners.Listener, behind []pools.Pool) error {
	wanted := func(name string) bool {
		return slices.ContainsFunc(b.want.Routes, func(r vim.Route) bool { return r.Name == name })
	}
	for _, l := range served {
		if wanted(l.Name) {
			continue
		}
		err := b.change(ctx, "delete the listener "+l.Name, func() error { return listeners.Delete(ctx, b.balancer, l.ID).ExtractErr() })
		if err != nil {
			return err
		}
	}
	for _, p := range behind {
		if wanted(p.Name) {
			continue
		}
		err := b.change(ctx, "delete the pool "+p.Name, func() error { return pools.Delete(ctx, b.balancer, p.ID).ExtractErr() })
		if err != nil {
			return err
		}
	}
	return nil
}

// BalancerState implements vim.Balancer.
func (c *Cloud) BalancerState(ctx context.Context, name, owner string) (vim.Level, string, error) {
	if err := c.hasOctavia(); err != nil {
		return "", "", err
	}
	have, err := c.findBalancer(ctx, name, owner)
	switch {
	case err != nil:
		return "", "", err
	case have == nil:
		return vim.Removed, octaviaDeleted, nil
	case have.ProvisioningStatus == octaviaActive:
		return vim.Running, octaviaActive, nil
	case have.ProvisioningStatus == octaviaError:
		return vim.Failed, octaviaError, nil
	default:
		return vim.Changing, have.ProvisioningStatus, nil
	}
}

// RemoveBalancer implements vim.Balancer.
func (c *Cloud) RemoveBalancer(ctx context.Context, name, owner string, progress func(string)) error {
	if err := c.hasOctavia(); err != nil {
		return err
	}
	asked := false
	return c.until(ctx, func() (bool, error) {
		have, err := c.findBalancer(ctx, name, owner)
		if err != nil || have == nil {
			return have == nil, err
		}
		if asked || have.ProvisioningStatus != octaviaActive && have.ProvisioningStatus != octaviaError {
			return false, nil
		}
		progress(fmt.Sprintf("Octavia deletes the load balancer %s", name))
		err = translate("delete the load balancer "+name,
			loadbalancers.Delete(ctx, c.balancer, have.ID, loadbalancers.DeleteOpts{Cascade: true}).ExtractErr())
		asked = err == nil
		if lcm.Is(err, lcm.KindNotFound) {
			err = nil
		}
		return false, err
	})
}
