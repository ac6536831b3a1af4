package nspawn

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// The machines have no user namespace, so that systemd, containerd and kubelet of all machines share root's limit of
// inotify instances. A node takes 14 to 25. With Linux' default of 128, the kubelet of the seventh or eighth node dies
// without a word.
const (
	inotifyOfMachine = 25
	inotifyWanted    = 8192
)

// inotify is the host's limit of inotify instances of a user, and where to look for those in use. Tests have files of
// their own.
type inotify struct {
	limitFile string
	proc      string
}

func hostInotify() inotify {
	return inotify{limitFile: "/proc/sys/fs/inotify/max_user_instances", proc: "/proc"}
}

func (n inotify) limit() (int, error) {
	b, err := os.ReadFile(n.limitFile)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

// raise raises the limit of the host if it is too low for a lab, and reports the former value, or 0 if nothing changed.
// Where the limit cannot be written, as in a container, ensure tells when it is reached.
func (n inotify) raise() (from int) {
	limit, err := n.limit()
	if err != nil || limit >= inotifyWanted {
		return 0
	}
	if os.WriteFile(n.limitFile, []byte(strconv.Itoa(inotifyWanted)), 0o644) != nil {
		return 0
	}
	return limit
}

// ensure returns an error if there is no room for a further machine.
func (n inotify) ensure(name string) error {
	limit, err := n.limit()
	if err != nil || limit >= inotifyWanted {
		return nil //nolint:nilerr // a kernel that has no such limit
	}
	used := n.used()
	if used+inotifyOfMachine <= limit {
		return nil
	}
	return lcm.Errorf(lcm.KindExhausted, "Machine %s cannot start: root may have %d inotify instances on this host, %d are "+
		"in use, and a node takes up to %d. Raise the limit on the host: sysctl -w fs.inotify.max_user_instances=%d", name,
		limit, used, inotifyOfMachine, inotifyWanted)
}

// used counts root's inotify instances.
func (n inotify) used() (count int) {
	processes, _ := filepath.Glob(filepath.Join(n.proc, "[0-9]*"))
	for _, process := range processes {
		var owner unix.Stat_t
		if unix.Stat(process, &owner) != nil || owner.Uid != uint32(os.Geteuid()) {
			continue
		}
		descriptors, err := os.ReadDir(filepath.Join(process, "fd"))
		if err != nil {
			continue // it has ended meanwhile
		}
		for _, fd := range descriptors {
			target, err := os.Readlink(filepath.Join(process, "fd", fd.Name()))
			if err == nil && target == "anon_inode:inotify" {
				count++
			}
		}
	}
	return count
}

// raiseInotify raises the host's limit, and says so.
func (h *Hypervisor) raiseInotify(ctx context.Context) {
	if from := h.inotify.raise(); from != 0 {
		h.log.InfoContext(ctx, "The lab has raised fs.inotify.max_user_instances of this host, until the host restarts",
			"from", from, "to", inotifyWanted)
	}
}
