package nspawn

import (
	"context"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// loopOf finds the volume's loop device. A device that is going stays as long as a process has it mounted.
func (h *Hypervisor) loopOf(ctx context.Context, volumeID string) (device string, going bool, err error) {
	if !exists(h.volumeFile(volumeID)) {
		return "", false, nil
	}
	out, err := run(ctx, "", "losetup", "--associated", h.volumeFile(volumeID), "--noheadings", "--output",
		"NAME,AUTOCLEAR")
	if fields := strings.Fields(out); len(fields) >= 2 {
		return fields[0], fields[1] == "1", err
	}
	return "", false, err
}

// freeLoop removes the loop device. The kernel also removes it when its last user ends, but the processes of a dead
// machine may not have ended completely.
func (h *Hypervisor) freeLoop(ctx context.Context, volumeID string) error {
	loop, going, err := h.loopOf(ctx, volumeID)
	if err != nil || loop == "" || going {
		return err
	}
	_, err = run(ctx, "", "losetup", "--detach", loop)
	return err
}

// releaseTimeout bounds the wait for the last user of a volume that was detached.
const releaseTimeout = 20 * time.Second

// awaitReleased waits until no loop device of the volume is going. Two loop devices on one file would damage its file
// system. A device that goes later would take the data away from the next machine.
func (h *Hypervisor) awaitReleased(ctx context.Context, volumeID string) error {
	for end := time.Now().Add(releaseTimeout); ; {
		loop, going, err := h.loopOf(ctx, volumeID)
		if err != nil {
			return broken(err, "The block device of volume %s cannot be looked up.", volumeID)
		}
		if !going {
			return nil
		}
		if time.Now().After(end) {
			return lcm.Errorf(lcm.KindConflict, "The machine still has volume %s mounted after its detachment: %s is in use.",
				volumeID, loop)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
