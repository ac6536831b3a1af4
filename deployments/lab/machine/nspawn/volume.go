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

func (d *Driver) volumeFile(id string) string {
	return filepath.Join(d.opts.StateDir, "volumes", id+".img")
}

// AttachVolume plugs the volume in as the next free /dev/vdX; the name stays the same over reboots.
func (d *Driver) AttachVolume(ctx context.Context, machineID string, v machine.Volume) (string, error) {
	if err := checkID("volume", v.ID); err != nil {
		return "", err
	}
	i, err := d.acquire(machineID)
	if err != nil {
		return "", err
	}
	defer i.busy.Unlock()
	if err := d.awaitReleased(ctx, v.ID); err != nil {
		return "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	have, ok := d.volumes.all[v.ID]
	if ok && have.MachineID != "" && have.MachineID != machineID {
		return "", lcm.Errorf(lcm.KindConflict, "Volume %s is attached to machine %s.", v.ID, have.MachineID)
	}
	if !ok {
		have = volume{Volume: v}
		if err := makeSparse(d.volumeFile(v.ID), v.SizeGB); err != nil {
			return "", broken(err, "Volume %s cannot be made.", v.ID)
		}
	}
	if have.MachineID == "" {
		have.MachineID, have.Device = machineID, d.freeDevice(machineID)
	}
	if err := d.volumes.put(v.ID, have); err != nil {
		return "", broken(err, "Volume %s cannot be recorded.", v.ID)
	}
	if leader := i.leader(); leader != 0 {
		if err := d.plugVolume(ctx, leader, have); err != nil {
			return "", err
		}
	}
	return have.Device, nil
}

// freeDevice returns the lowest free name from /dev/vdb on: vda is the machine's own disk.
func (d *Driver) freeDevice(machineID string) string {
	taken := map[string]bool{}
	for _, v := range d.volumes.all {
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
func (d *Driver) DetachVolume(ctx context.Context, machineID, volumeID string) error {
	d.mu.Lock()
	i := d.machines[machineID]
	d.mu.Unlock()
	if i != nil {
		i.busy.Lock()
		defer i.busy.Unlock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	v, ok := d.volumes.all[volumeID]
	if !ok || v.MachineID != machineID {
		return nil
	}
	if i != nil {
		if leader := i.leader(); leader != 0 {
			pullOut(leader, v)
		}
	}
	if err := d.freeLoop(ctx, volumeID); err != nil {
		return broken(err, "Volume %s cannot be detached.", volumeID)
	}
	v.MachineID, v.Device = "", ""
	return broken(d.volumes.put(volumeID, v), "Volume %s cannot be recorded.", volumeID)
}

// releaseVolumes detaches the volumes of a deleted machine.
func (d *Driver) releaseVolumes(ctx context.Context, machineID string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, v := range d.volumes.list() {
		if v.MachineID != machineID {
			continue
		}
		v.MachineID, v.Device = "", ""
		if err := errors.Join(d.freeLoop(ctx, v.ID), d.volumes.put(v.ID, v)); err != nil {
			return broken(err, "Volume %s cannot be detached.", v.ID)
		}
	}
	return nil
}

// DeleteVolume deletes the volume's data.
func (d *Driver) DeleteVolume(ctx context.Context, volumeID string) error {
	if err := checkID("volume", volumeID); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if v, ok := d.volumes.all[volumeID]; ok && v.MachineID != "" {
		return lcm.Errorf(lcm.KindConflict, "Volume %s is attached to machine %s.", volumeID, v.MachineID)
	}
	if err := d.freeLoop(ctx, volumeID); err != nil {
		return broken(err, "Volume %s cannot be deleted.", volumeID)
	}
	if err := os.Remove(d.volumeFile(volumeID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return broken(err, "Volume %s cannot be deleted.", volumeID)
	}
	return broken(d.volumes.remove(volumeID), "Volume %s cannot be forgotten.", volumeID)
}
