package nspawn

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// powerOff asks systemd in the machine for an orderly shutdown: SIGRTMIN+4.
	powerOff = unix.Signal(38)
	// shutdownTimeout is Nova's default; after it, the hypervisor takes the power away.
	shutdownTimeout = 60 * time.Second
	killTimeout     = 20 * time.Second
)

// Create defines the machine and boots it. A machine that is defined already is left as it is.
func (h *Hypervisor) Create(ctx context.Context, m machine.Machine) error {
	if err := checkMachine(m); err != nil {
		return err
	}
	if err := h.checkNetworks(m); err != nil {
		return err
	}
	i := h.claim(m.ID)
	defer i.busy.Unlock()
	if i.gone {
		if err := h.layOutDisk(ctx, i, m); err != nil {
			return errors.Join(err, h.erase(context.WithoutCancel(ctx), i))
		}
	}
	return h.boot(ctx, i)
}

func (h *Hypervisor) checkNetworks(m machine.Machine) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range m.Ports {
		if _, ok := h.networks.all[p.NetworkID]; !ok {
			return lcm.Errorf(lcm.KindNotFound, "Machine %s has a port on network %s, which does not exist.", m.Name,
				p.NetworkID)
		}
	}
	return nil
}

// claim locks the machine with that id, or a new one when none exists.
func (h *Hypervisor) claim(id string) *instance {
	for {
		h.mu.Lock()
		i := h.machines[id]
		if i == nil {
			i = h.newInstance(id)
			h.machines[id] = i
		}
		h.mu.Unlock()
		i.busy.Lock()
		h.mu.Lock()
		still := h.machines[id] == i
		h.mu.Unlock()
		if still {
			return i
		}
		i.busy.Unlock() // deleted while we waited for it
	}
}

func checkMachine(m machine.Machine) error {
	if err := checkID("machine", m.ID); err != nil {
		return err
	}
	if !validHostname.MatchString(m.Name) {
		return lcm.Errorf(lcm.KindInvalid, "%q cannot be a host name.", m.Name)
	}
	for _, p := range m.Ports {
		if err := checkPort(p); err != nil {
			return err
		}
	}
	return nil
}

// Start boots a machine that is stopped.
func (h *Hypervisor) Start(ctx context.Context, id string) error {
	return h.with(id, func(i *instance) error { return h.boot(ctx, i) })
}

// Stop shuts the machine down, and kills it if it still runs after a minute.
func (h *Hypervisor) Stop(ctx context.Context, id string) error {
	return h.with(id, func(i *instance) error { return h.shutDown(ctx, i) })
}

func (h *Hypervisor) shutDown(ctx context.Context, i *instance) error {
	runner, leader := i.pid(), i.leader()
	if leader != 0 && !i.cg.frozen() { // a frozen machine does not react to signals
		_ = unix.Kill(leader, powerOff)
		awaitExit(ctx, runner, shutdownTimeout, nil)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return h.powerOff(ctx, i)
}

// Kill takes the power away.
func (h *Hypervisor) Kill(ctx context.Context, id string) error {
	return h.with(id, func(i *instance) error { return h.powerOff(ctx, i) })
}

// powerOff kills the machine's init, so that the kernel kills all its other processes, and cleans up the host.
func (h *Hypervisor) powerOff(ctx context.Context, i *instance) error {
	if runner, leader := i.pid(), i.leader(); leader != 0 {
		_ = unix.Kill(leader, unix.SIGKILL)
		_ = i.cg.setFrozen(false)
		// When init dies, systemd-nspawn removes its mounts and the runner ends.
		awaitExit(ctx, runner, 5*time.Second, nil)
	}
	return h.clear(ctx, i)
}

// Reboot restarts the machine; its disk, addresses and volumes stay.
func (h *Hypervisor) Reboot(ctx context.Context, id string, hard bool) error {
	stop := h.shutDown
	if hard {
		stop = h.powerOff
	}
	return h.with(id, func(i *instance) error {
		if err := stop(ctx, i); err != nil {
			return err
		}
		return h.boot(ctx, i)
	})
}

// Freeze stops every process of the machine where it stands, as a hung hypervisor would.
func (h *Hypervisor) Freeze(_ context.Context, id string) error { return h.setFrozen(id, true) }

// Thaw lets the machine's processes continue.
func (h *Hypervisor) Thaw(_ context.Context, id string) error { return h.setFrozen(id, false) }

func (h *Hypervisor) setFrozen(id string, frozen bool) error {
	return h.with(id, func(i *instance) error {
		if !i.running() {
			return lcm.Errorf(lcm.KindConflict, "Machine %s does not run.", id)
		}
		return broken(i.cg.setFrozen(frozen), "Machine %s cannot be frozen or thawed.", id)
	})
}

// Delete removes the machine and its disk.
func (h *Hypervisor) Delete(ctx context.Context, id string) error {
	h.mu.Lock()
	i := h.machines[id]
	h.mu.Unlock()
	if i == nil {
		return nil
	}
	i.busy.Lock()
	defer i.busy.Unlock()
	return h.erase(ctx, i)
}

func (h *Hypervisor) erase(ctx context.Context, i *instance) error {
	if err := h.powerOff(ctx, i); err != nil {
		return err
	}
	if err := h.releaseVolumes(ctx, i.spec.ID); err != nil {
		return err
	}
	// machine.json goes first: if Delete is interrupted, the machine counts as half deleted, and Recover finishes the
	// deletion.
	if err := os.Remove(i.path("machine.json")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return broken(err, "Machine %s cannot be deleted.", i.spec.Name)
	}
	if err := os.RemoveAll(i.dir); err != nil {
		return broken(err, "The disk of machine %s cannot be deleted.", i.spec.Name)
	}
	i.gone = true
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.machines[i.spec.ID] == i {
		delete(h.machines, i.spec.ID)
	}
	return h.applyRules(ctx)
}

// UpdatePort changes the addresses that a port may use as source, at once.
func (h *Hypervisor) UpdatePort(ctx context.Context, machineID string, p machine.Port) error {
	if err := checkPort(p); err != nil {
		return err
	}
	i, err := h.acquire(machineID)
	if err != nil {
		return err
	}
	defer i.busy.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	for n := range i.spec.Ports {
		if i.spec.Ports[n].ID != p.ID {
			continue
		}
		i.spec.Ports[n].AllowedAddresses = p.AllowedAddresses
		if err := writeJSON(i.path("machine.json"), i.spec); err != nil {
			return broken(err, "Port %s cannot be recorded.", p.ID)
		}
		return h.applyRules(ctx)
	}
	return lcm.Errorf(lcm.KindNotFound, "Machine %s has no port %s.", machineID, p.ID)
}
