package fake

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// AttachVolume records the attachment and returns a device name.
func (h *Hypervisor) AttachVolume(_ context.Context, machineID string, v machine.Volume) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m, known := h.machines[machineID]
	if !known {
		return "", lcm.Errorf(lcm.KindNotFound, "there is no machine %s", machineID)
	}
	if holder := h.volumes[v.ID]; holder != "" && holder != machineID {
		return "", lcm.Errorf(lcm.KindConflict, "volume %s is attached to the machine %s", v.ID, holder)
	}
	h.volumes[v.ID] = machineID
	return m.device(v.ID), nil
}

// DetachVolume removes the attachment; the volume stays.
func (h *Hypervisor) DetachVolume(_ context.Context, machineID, volumeID string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.volumes[volumeID] == machineID {
		h.volumes[volumeID] = ""
	}
	if m, known := h.machines[machineID]; known {
		m.removeDevice(volumeID)
	}
	return nil
}

// DeleteVolume forgets a volume that is not attached.
func (h *Hypervisor) DeleteVolume(_ context.Context, volumeID string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if holder := h.volumes[volumeID]; holder != "" {
		return lcm.Errorf(lcm.KindConflict, "volume %s is attached to the machine %s", volumeID, holder)
	}
	delete(h.volumes, volumeID)
	h.world.forgetDisk(volumeID)
	return nil
}

// BindFloatingIP makes the machine with that fixed address also listen on the floating address.
func (h *Hypervisor) BindFloatingIP(_ context.Context, f machine.FloatingIP) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old, bound := h.floating[f.ID]; bound && old != f {
		h.unbind(old)
	}
	h.floating[f.ID] = f
	for _, m := range h.machines {
		if m.hasAddress(f.FixedIP) {
			return m.listen(f.Address)
		}
	}
	return nil // the machine may be created later
}

// behind returns the fixed address to which a floating IP leads; other addresses lead to themselves.
func (h *Hypervisor) behind(address string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.floating {
		if f.Address == address {
			return f.FixedIP
		}
	}
	return address
}

// UnbindFloatingIP stops listening on the address and closes its connections.
func (h *Hypervisor) UnbindFloatingIP(_ context.Context, id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f, bound := h.floating[id]; bound {
		h.unbind(f)
		delete(h.floating, id)
	}
	return nil
}

func (h *Hypervisor) unbind(f machine.FloatingIP) {
	for _, m := range h.machines {
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
