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
func (h *Hypervisor) Recover(ctx context.Context) error {
	if err := h.recoverNetworks(ctx); err != nil {
		return err
	}
	var all error
	for _, i := range h.instances() {
		i.busy.Lock()
		switch {
		case i.gone:
			all = errors.Join(all, h.erase(ctx, i))
		case i.running():
			i.runs++
			h.watch(i)
		default:
			h.settle(ctx, i)
		}
		i.busy.Unlock()
	}
	return all
}

func (h *Hypervisor) instances() []*instance {
	h.mu.Lock()
	defer h.mu.Unlock()
	var is []*instance
	for _, id := range slices.Sorted(maps.Keys(h.machines)) {
		is = append(is, h.machines[id])
	}
	return is
}

func (h *Hypervisor) recoverNetworks(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.networks.all) == 0 && len(h.floating.all) == 0 {
		return nil
	}
	if err := h.ensureRouter(ctx); err != nil {
		return err
	}
	for _, n := range h.networks.list() {
		if err := h.plugNetwork(ctx, n); err != nil {
			return err
		}
	}
	for _, f := range h.floating.list() {
		if err := h.announce(ctx, f); err != nil {
			return err
		}
	}
	return h.applyRules(ctx)
}

// Down removes all machines, networks and volumes from the host, with their state. It continues after an error, so that
// as little as possible is left. It can be called again.
func (h *Hypervisor) Down(ctx context.Context) error {
	h.closeBalancing()
	var group errgroup.Group
	for _, i := range h.instances() {
		group.Go(func() error {
			i.busy.Lock()
			defer i.busy.Unlock()
			return h.erase(ctx, i)
		})
	}
	all := group.Wait()

	h.mu.Lock()
	volumes := h.volumes.list()
	h.mu.Unlock()
	for _, v := range volumes {
		all = errors.Join(all, h.DeleteVolume(ctx, v.ID))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	all = errors.Join(all, h.removeRouter(ctx), h.groups.removeTree(""))
	if all != nil {
		return lcm.Wrap(lcm.KindBroken, all, "The lab in %s is not down completely.", h.opts.StateDir)
	}
	for _, name := range []string{"machines", "networks", "floating-ips", "volumes", "machines.lock"} {
		if err := os.RemoveAll(filepath.Join(h.opts.StateDir, name)); err != nil {
			return broken(err, "The state in %s cannot be removed.", h.opts.StateDir)
		}
	}
	_ = os.Remove(h.opts.StateDir) // fails, without harm, when the directory has other files
	clear(h.networks.all)
	clear(h.floating.all)
	return nil
}
