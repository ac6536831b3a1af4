package nspawn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// diskGroup is the id of Debian's group "disk" in the machine.
const diskGroup = 6

func (h *Hypervisor) plugVolume(ctx context.Context, leader int, v volume) error {
	loop, _, err := h.loopOf(ctx, v.ID)
	if err == nil && loop == "" {
		loop, err = run(ctx, "", "losetup", "--find", "--show", h.volumeFile(v.ID))
	}
	var st unix.Stat_t
	if err == nil {
		err = unix.Stat(strings.TrimSpace(loop), &st)
	}
	if err != nil {
		return broken(err, "Volume %s cannot become a block device.", v.ID)
	}
	dev := fmt.Sprintf("/proc/%d/root/dev", leader)
	node := filepath.Join(dev, filepath.Base(v.Device))
	_ = os.Remove(node)
	if err := unix.Mknod(node, unix.S_IFBLK|0o660, int(st.Rdev)); err != nil {
		return broken(err, "Volume %s cannot be plugged in as %s.", v.ID, v.Device)
	}
	link := filepath.Join(dev, "disk/by-id", "virtio-"+serial(v.ID))
	_ = os.Remove(link)
	err = errors.Join(
		os.Chown(node, 0, diskGroup),
		os.MkdirAll(filepath.Dir(link), 0o755),
		os.Symlink("../../"+filepath.Base(v.Device), link),
		tellUdev(leader, st.Rdev, v),
	)
	return broken(err, "Volume %s cannot be named in the machine.", v.ID)
}

// serial is the serial that Nova gives a virtio disk: the first 20 characters of the volume's id.
func serial(volumeID string) string { return volumeID[:min(20, len(volumeID))] }

// tellUdev writes udev's records, because udev does not run in the machine: lsblk and udevadm read them.
func tellUdev(leader int, device uint64, v volume) error {
	file := udevRecord(leader, device)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return writeFile(file, fmt.Appendf(nil, "S:disk/by-id/virtio-%[1]s\nI:1\nE:DEVNAME=%[2]s\nE:ID_SERIAL=%[1]s\nV:1\n",
		serial(v.ID), v.Device), 0o644)
}

func udevRecord(leader int, device uint64) string {
	return fmt.Sprintf("/proc/%d/root/run/udev/data/b%d:%d", leader, unix.Major(device), unix.Minor(device))
}

// volumesPlugged exists in a machine once its volumes are plugged in at boot: lab-volumes waits for it.
const volumesPlugged = "dev/.windlass-lab-volumes"

// plugVolumes plugs in all volumes of a machine that has just booted.
func (h *Hypervisor) plugVolumes(ctx context.Context, i *instance) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	leader := i.leader()
	for _, v := range h.volumes.list() {
		if v.MachineID != i.spec.ID {
			continue
		}
		if err := h.plugVolume(ctx, leader, v); err != nil {
			return err
		}
	}
	err := writeFile(fmt.Sprintf("/proc/%d/root/%s", leader, volumesPlugged), nil, 0o644)
	return broken(err, "Machine %s cannot be told that its volumes are there.", i.spec.Name)
}

// unplugVolumes frees the loop devices of a machine that does not run, and returns when they are gone.
func (h *Hypervisor) unplugVolumes(ctx context.Context, machineID string) error {
	h.mu.Lock()
	mine := slices.DeleteFunc(h.volumes.list(), func(v volume) bool { return v.MachineID != machineID })
	h.mu.Unlock()
	var all error
	for _, v := range mine {
		all = errors.Join(all, h.freeLoop(ctx, v.ID), h.awaitReleased(ctx, v.ID))
	}
	return all
}

// pullOut removes the volume's device node, link and udev record from a running machine.
func pullOut(leader int, v volume) {
	dev := fmt.Sprintf("/proc/%d/root/dev", leader)
	node := filepath.Join(dev, filepath.Base(v.Device))
	var st unix.Stat_t
	if unix.Stat(node, &st) == nil {
		_ = os.Remove(udevRecord(leader, st.Rdev))
	}
	_ = os.Remove(filepath.Join(dev, "disk/by-id", "virtio-"+serial(v.ID)))
	_ = os.Remove(node)
}
