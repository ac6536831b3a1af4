package nspawn

import (
	"context"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// loopOf finds the volume's loop device. One that is going stays as long as somebody has it mounted.
func (d *Driver) loopOf(ctx context.Context, volumeID string) (device string, going bool, err error) {
	if !exists(d.volumeFile(volumeID)) {
		return "", false, nil
	}
	out, err := run(ctx, "", "losetup", "--associated", d.volumeFile(volumeID), "--noheadings", "--output",
		"NAME,AUTOCLEAR")
	if fields := strings.Fields(out); len(fields) >= 2 {
		return fields[0], fields[1] == "1", err
	}
	return "", false, err
}

// freeLoop takes the loop device away. The kernel does so when its last user ends, which the processes of a dead
// machine may not have done to the last step.
func (d *Driver) freeLoop(ctx context.Context, volumeID string) error {
	loop, going, err := d.loopOf(ctx, volumeID)
	if err != nil || loop == "" || going {
		return err
	}
	_, err = run(ctx, "", "losetup", "--detach", loop)
	return err
}

// releaseTimeout bounds the wait for the last user of a volume that was detached.
const releaseTimeout = 20 * time.Second

// awaitReleased waits until no loop device of the volume is going: two of them on one file would ruin its file
// system, and one that goes would take the data away from the next machine.
func (d *Driver) awaitReleased(ctx context.Context, volumeID string) error {
	for end := time.Now().Add(releaseTimeout); ; {
		loop, going, err := d.loopOf(ctx, volumeID)
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
