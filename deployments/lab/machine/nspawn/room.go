package nspawn

import (
	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// diskOfMachine is what must be free below the state directory before a new machine starts, in MiB. All machines see
// the free space of this file system as their own. Windlass refuses a node whose disk has less than 4,096 MiB free, and
// a node's images and logs take up to 1,500 MiB before that check of the next node.
const diskOfMachine = 6 * 1024

// freeSpace returns the MiB that are free in the file system of a directory, for root.
func freeSpace(dir string) (int, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, err
	}
	return int(fs.Bavail * uint64(fs.Bsize) >> 20), nil
}

// ensureSpace returns an error if the file system of the state directory has no room for a new machine. Without it, an
// operation fails minutes later at the check of a node, and names the disk of that node.
func (h *Hypervisor) ensureSpace(i *instance) error {
	if exists(i.path("upper")) {
		return nil // it was started before, and has its files
	}
	free, err := h.freeSpace(h.opts.StateDir)
	if err != nil || free >= diskOfMachine {
		return nil //nolint:nilerr // the machine's own start tells what is wrong with the directory
	}
	return lcm.Errorf(lcm.KindExhausted, "Machine %s cannot start: the file system of %s has %d MiB free, and a new machine "+
		"needs %d. Delete files there, or choose a state directory on a larger disk.", i.spec.Name, h.opts.StateDir, free,
		diskOfMachine)
}
