package fake

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// AttachVolume records the attachment and returns a device name.
func (d *Driver) AttachVolume(_ context.Context, machineID string, v machine.Volume) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m, known := d.machines[machineID]
	if !known {
		return "", lcm.Errorf(lcm.KindNotFound, "there is no machine %s", machineID)
	}
	if holder := d.volumes[v.ID]; holder != "" && holder != machineID {
		return "", lcm.Errorf(lcm.KindConflict, "volume %s is attached to the machine %s", v.ID, holder)
	}
	d.volumes[v.ID] = machineID
	return m.device(v.ID), nil
}

// DetachVolume removes the attachment; the volume stays.
func (d *Driver) DetachVolume(_ context.Context, machineID, volumeID string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.volumes[volumeID] == machineID {
		d.volumes[volumeID] = ""
	}
	if m, known := d.machines[machineID]; known {
		m.removeDevice(volumeID)
	}
	return nil
}

// DeleteVolume forgets a volume that is not attached.
func (d *Driver) DeleteVolume(_ context.Context, volumeID string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if holder := d.volumes[volumeID]; holder != "" {
		return lcm.Errorf(lcm.KindConflict, "volume %s is attached to the machine %s", volumeID, holder)
	}
	delete(d.volumes, volumeID)
	d.world.forgetDisk(volumeID)
	return nil
}

// BindFloatingIP makes the machine with that fixed address also listen on the floating address.
func (d *Driver) BindFloatingIP(_ context.Context, f machine.FloatingIP) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, bound := d.floating[f.ID]; bound && old != f {
		d.unbind(old)
	}
	d.floating[f.ID] = f
	for _, m := range d.machines {
		if m.hasAddress(f.FixedIP) {
			return m.listen(f.Address)
		}
	}
	return nil // the machine may be created later
}

// behind returns the fixed address to which a floating IP leads; other addresses lead to themselves.
func (d *Driver) behind(address string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.floating {
		if f.Address == address {
			return f.FixedIP
		}
	}
	return address
}

// UnbindFloatingIP stops listening on the address and closes its connections.
func (d *Driver) UnbindFloatingIP(_ context.Context, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, bound := d.floating[id]; bound {
		d.unbind(f)
		delete(d.floating, id)
	}
	return nil
}

func (d *Driver) unbind(f machine.FloatingIP) {
	for _, m := range d.machines {
		if m.hasAddress(f.FixedIP) {
			m.unlisten(f.Address)
		}
	}
}

// device returns the volume's device name, which stays the same while the volume is attached.
func (m *Machine) device(volumeID string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	place := slices.Index(m.devices, volumeID)
	if place < 0 {
		if place = slices.Index(m.devices, ""); place < 0 {
			place = len(m.devices)
			m.devices = append(m.devices, "")
		}
		m.devices[place] = volumeID
	}
	return "/dev/vd" + string(rune('b'+place))
}

func (m *Machine) removeDevice(volumeID string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if place := slices.Index(m.devices, volumeID); place >= 0 {
		m.devices[place] = ""
	}
}
