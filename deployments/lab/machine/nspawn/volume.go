package nspawn

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// volume is a sparse file. While a running machine has it attached, it is a loop device there.
type volume struct {
	machine.Volume
	MachineID string `json:"machineId,omitempty"`
	Device    string `json:"device,omitempty"`
}

func (h *Hypervisor) volumeFile(id string) string {
	return filepath.Join(h.opts.StateDir, "volumes", id+".img")
}

// AttachVolume plugs the volume in as the next free /dev/vdX; the name stays the same over reboots.
func (h *Hypervisor) AttachVolume(ctx context.Context, machineID string, v machine.Volume) (string, error) {
	if err := checkID("volume", v.ID); err != nil {
		return "", err
	}
	i, err := h.acquire(machineID)
	if err != nil {
		return "", err
	}
	defer i.busy.Unlock()
	if err := h.awaitReleased(ctx, v.ID); err != nil {
		return "", err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	have, ok := h.volumes.all[v.ID]
	if ok && have.MachineID != "" && have.MachineID != machineID {
		return "", lcm.Errorf(lcm.KindConflict, "Volume %s is attached to machine %s.", v.ID, have.MachineID)
	}
	if !ok {
		have = volume{Volume: v}
		if err := makeSparse(h.volumeFile(v.ID), v.SizeGB); err != nil {
			return "", broken(err, "Volume %s cannot be made.", v.ID)
		}
	}
	if have.MachineID == "" {
		have.MachineID, have.Device = machineID, h.freeDevice(machineID)
	}
	if err := h.volumes.put(v.ID, have); err != nil {
		return "", broken(err, "Volume %s cannot be recorded.", v.ID)
	}
	if leader := i.leader(); leader != 0 {
		if err := h.plugVolume(ctx, leader, have); err != nil {
			return "", err
		}
	}
	return have.Device, nil
}

// freeDevice returns the lowest free name from /dev/vdb on: vda is the machine's own disk.
func (h *Hypervisor) freeDevice(machineID string) string {
	taken := map[string]bool{}
	for _, v := range h.volumes.all {
		taken[v.Device] = taken[v.Device] || v.MachineID == machineID
	}
	for letter := 'b'; letter <= 'z'; letter++ {
		if device := "/dev/vd" + string(letter); !taken[device] {
			return device
		}
	}
	return "/dev/vdaa" // more than 25 volumes share this name; no VNF attaches so many
}

func makeSparse(path string, sizeGB int) error {
	if sizeGB < 1 {
		return lcm.Errorf(lcm.KindInvalid, "The lab cannot make a volume of %d GB.", sizeGB)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(int64(sizeGB)<<30), f.Close())
}

// DetachVolume removes the volume from the machine, even if it is mounted; its data stay.
func (h *Hypervisor) DetachVolume(ctx context.Context, machineID, volumeID string) error {
	h.mu.Lock()
	i := h.machines[machineID]
	h.mu.Unlock()
	if i != nil {
		i.busy.Lock()
		defer i.busy.Unlock()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	v, ok := h.volumes.all[volumeID]
	if !ok || v.MachineID != machineID {
		return nil
	}
	if i != nil {
		if leader := i.leader(); leader != 0 {
			pullOut(leader, v)
		}
	}
	if err := h.freeLoop(ctx, volumeID); err != nil {
		return broken(err, "Volume %s cannot be detached.", volumeID)
	}
	v.MachineID, v.Device = "", ""
	return broken(h.volumes.put(volumeID, v), "Volume %s cannot be recorded.", volumeID)
}

// releaseVolumes detaches the volumes of a deleted machine.
func (h *Hypervisor) releaseVolumes(ctx context.Context, machineID string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, v := range h.volumes.list() {
		if v.MachineID != machineID {
			continue
		}
		v.MachineID, v.Device = "", ""
		if err := errors.Join(h.freeLoop(ctx, v.ID), h.volumes.put(v.ID, v)); err != nil {
			return broken(err, "Volume %s cannot be detached.", v.ID)
		}
	}
	return nil
}

// DeleteVolume deletes the volume's data.
func (h *Hypervisor) DeleteVolume(ctx context.Context, volumeID string) error {
	if err := checkID("volume", volumeID); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if v, ok := h.volumes.all[volumeID]; ok && v.MachineID != "" {
		return lcm.Errorf(lcm.KindConflict, "Volume %s is attached to machine %s.", volumeID, v.MachineID)
	}
	if err := h.freeLoop(ctx, volumeID); err != nil {
		return broken(err, "Volume %s cannot be deleted.", volumeID)
	}
	if err := os.Remove(h.volumeFile(volumeID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return broken(err, "Volume %s cannot be deleted.", volumeID)
	}
	return broken(h.volumes.remove(volumeID), "Volume %s cannot be forgotten.", volumeID)
}
