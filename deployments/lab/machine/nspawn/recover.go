package nspawn

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Recover takes over the machines and networks of an earlier process. It watches running machines again. It clears
// machines that ended meanwhile, or boots them if they rebooted themselves. It removes half-made and half-deleted
// machines, and recreates networks that a restart of the host removed.
func (d *Driver) Recover(ctx context.Context) error {
	if err := d.recoverNetworks(ctx); err != nil {
		return err
	}
	var all error
	for _, i := range d.instances() {
		i.busy.Lock()
		switch {
		case i.gone:
			all = errors.Join(all, d.erase(ctx, i))
		case i.running():
			i.runs++
			d.watch(i)
		default:
			d.settle(ctx, i)
		}
		i.busy.Unlock()
	}
	return all
}

func (d *Driver) instances() []*instance {
	d.mu.Lock()
	defer d.mu.Unlock()
	var is []*instance
	for _, id := range slices.Sorted(maps.Keys(d.machines)) {
		is = append(is, d.machines[id])
	}
	return is
}

func (d *Driver) recoverNetworks(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.networks.all) == 0 && len(d.floating.all) == 0 {
		return nil
	}
	if err := d.ensureRouter(ctx); err != nil {
		return err
	}
	for _, n := range d.networks.list() {
		if err := d.plugNetwork(ctx, n); err != nil {
			return err
		}
	}
	for _, f := range d.floating.list() {
		if err := d.announce(ctx, f); err != nil {
			return err
		}
	}
	return d.applyRules(ctx)
}

// Down removes all machines, networks and volumes from the host, with their state. It continues after an error, so that
// as little as possible is left. It can be called again.
func (d *Driver) Down(ctx context.Context) error {
	d.closeBalancing()
	var group errgroup.Group
	for _, i := range d.instances() {
		group.Go(func() error {
			i.busy.Lock()
			defer i.busy.Unlock()
			return d.erase(ctx, i)
		})
	}
	all := group.Wait()

	d.mu.Lock()
	volumes := d.volumes.list()
	d.mu.Unlock()
	for _, v := range volumes {
		all = errors.Join(all, d.DeleteVolume(ctx, v.ID))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	all = errors.Join(all, d.removeRouter(ctx), d.groups.removeTree(""))
	if all != nil {
		return lcm.Wrap(lcm.KindBroken, all, "The lab in %s is not down completely.", d.opts.StateDir)
	}
	for _, name := range []string{"machines", "networks", "floating-ips", "volumes", "machines.lock"} {
		if err := os.RemoveAll(filepath.Join(d.opts.StateDir, name)); err != nil {
			return broken(err, "The state in %s cannot be removed.", d.opts.StateDir)
		}
	}
	_ = os.Remove(d.opts.StateDir) // fails, without harm, when the directory has other files
	clear(d.networks.all)
	clear(d.floating.all)
	return nil
}
