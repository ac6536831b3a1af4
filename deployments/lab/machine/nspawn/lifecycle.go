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
	// shutdownTimeout is Nova's default; after it, the driver takes the power away.
	shutdownTimeout = 60 * time.Second
	killTimeout     = 20 * time.Second
)

// Create defines the machine and boots it. A machine that is defined already is left as it is.
func (d *Driver) Create(ctx context.Context, m machine.Machine) error {
	if err := checkMachine(m); err != nil {
		return err
	}
	if err := d.checkNetworks(m); err != nil {
		return err
	}
	i := d.claim(m.ID)
	defer i.busy.Unlock()
	if i.gone {
		if err := d.layOutDisk(ctx, i, m); err != nil {
			return errors.Join(err, d.erase(context.WithoutCancel(ctx), i))
		}
	}
	return d.boot(ctx, i)
}

func (d *Driver) checkNetworks(m machine.Machine) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range m.Ports {
		if _, ok := d.networks.all[p.NetworkID]; !ok {
			return lcm.Errorf(lcm.KindNotFound, "Machine %s has a port on network %s, which does not exist.", m.Name,
				p.NetworkID)
		}
	}
	return nil
}

// claim locks the machine with that id, or a new one when none exists.
func (d *Driver) claim(id string) *instance {
	for {
		d.mu.Lock()
		i := d.machines[id]
		if i == nil {
			i = d.newInstance(id)
			d.machines[id] = i
		}
		d.mu.Unlock()
		i.busy.Lock()
		d.mu.Lock()
		still := d.machines[id] == i
		d.mu.Unlock()
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
func (d *Driver) Start(ctx context.Context, id string) error {
	return d.with(id, func(i *instance) error { return d.boot(ctx, i) })
}

// Stop shuts the machine down, and kills it if it still runs after a minute.
func (d *Driver) Stop(ctx context.Context, id string) error {
	return d.with(id, func(i *instance) error { return d.shutDown(ctx, i) })
}

func (d *Driver) shutDown(ctx context.Context, i *instance) error {
	runner, leader := i.pid(), i.leader()
	if leader != 0 && !i.cg.frozen() { // a frozen machine does not react to signals
		_ = unix.Kill(leader, powerOff)
		awaitExit(ctx, runner, shutdownTimeout, nil)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return d.powerOff(ctx, i)
}

// Kill takes the power away.
func (d *Driver) Kill(ctx context.Context, id string) error {
	return d.with(id, func(i *instance) error { return d.powerOff(ctx, i) })
}

// powerOff kills the machine's init, so that the kernel kills all its other processes, and cleans up the host.
func (d *Driver) powerOff(ctx context.Context, i *instance) error {
	if runner, leader := i.pid(), i.leader(); leader != 0 {
		_ = unix.Kill(leader, unix.SIGKILL)
		_ = i.cg.setFrozen(false)
		// When init dies, systemd-nspawn removes its mounts and the runner ends.
		awaitExit(ctx, runner, 5*time.Second, nil)
	}
	return d.clear(ctx, i)
}

// Reboot restarts the machine; its disk, addresses and volumes stay.
func (d *Driver) Reboot(ctx context.Context, id string, hard bool) error {
	stop := d.shutDown
	if hard {
		stop = d.powerOff
	}
	return d.with(id, func(i *instance) error {
		if err := stop(ctx, i); err != nil {
			return err
		}
		return d.boot(ctx, i)
	})
}

// Freeze stops every process of the machine where it stands, as a hung hypervisor would.
func (d *Driver) Freeze(_ context.Context, id string) error { return d.setFrozen(id, true) }

// Thaw lets the machine's processes continue.
func (d *Driver) Thaw(_ context.Context, id string) error { return d.setFrozen(id, false) }

func (d *Driver) setFrozen(id string, frozen bool) error {
	return d.with(id, func(i *instance) error {
		if !i.running() {
			return lcm.Errorf(lcm.KindConflict, "Machine %s does not run.", id)
		}
		return broken(i.cg.setFrozen(frozen), "Machine %s cannot be frozen or thawed.", id)
	})
}

// Delete removes the machine and its disk.
func (d *Driver) Delete(ctx context.Context, id string) error {
	d.mu.Lock()
	i := d.machines[id]
	d.mu.Unlock()
	if i == nil {
		return nil
	}
	i.busy.Lock()
	defer i.busy.Unlock()
	return d.erase(ctx, i)
}

func (d *Driver) erase(ctx context.Context, i *instance) error {
	if err := d.powerOff(ctx, i); err != nil {
		return err
	}
	if err := d.releaseVolumes(ctx, i.spec.ID); err != nil {
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
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.machines[i.spec.ID] == i {
		delete(d.machines, i.spec.ID)
	}
	return d.applyRules(ctx)
}

// UpdatePort changes the addresses that a port may use as source, at once.
func (d *Driver) UpdatePort(ctx context.Context, machineID string, p machine.Port) error {
	if err := checkPort(p); err != nil {
		return err
	}
	i, err := d.acquire(machineID)
	if err != nil {
		return err
	}
	defer i.busy.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for n := range i.spec.Ports {
		if i.spec.Ports[n].ID != p.ID {
			continue
		}
		i.spec.Ports[n].AllowedAddresses = p.AllowedAddresses
		if err := writeJSON(i.path("machine.json"), i.spec); err != nil {
			return broken(err, "Port %s cannot be recorded.", p.ID)
		}
		return d.applyRules(ctx)
	}
	return lcm.Errorf(lcm.KindNotFound, "Machine %s has no port %s.", machineID, p.ID)
}
