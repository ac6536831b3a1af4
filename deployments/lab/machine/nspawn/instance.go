package nspawn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// instance is one machine of the lab. Its directory holds machine.json once the machine is defined, the upper layer of
// its disk and, while it runs, the pid of its runner.
type instance struct {
	busy sync.Mutex // held through a whole boot, stop or delete
	dir  string
	name string // of the control group, network namespace and container on this host
	cg   cgroup
	spec machine.Machine // guarded by Hypervisor.mu
	gone bool            // deleted, or not defined yet; guarded by busy
	runs int             // counts the boots, so that a watcher recognises its own; guarded by busy
}

func (i *instance) path(parts ...string) string {
	return filepath.Join(append([]string{i.dir}, parts...)...)
}

func (h *Hypervisor) newInstance(id string) *instance {
	name := "wl-" + h.tag + "-" + short(id)
	return &instance{
		dir: filepath.Join(h.opts.StateDir, "machines", id), name: name, cg: h.groups.machine(name),
		spec: machine.Machine{ID: id}, gone: true,
	}
}

func (h *Hypervisor) loadMachines() error {
	base := filepath.Join(h.opts.StateDir, "machines")
	if err := os.MkdirAll(base, 0o711); err != nil {
		return err
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		i := h.newInstance(entry.Name())
		err := readJSON(i.path("machine.json"), &i.spec)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		// A directory without machine.json is half made or half deleted; Recover removes it.
		i.gone = err != nil
		h.machines[entry.Name()] = i
	}
	return nil
}

// acquire finds a defined machine and locks it against other operations.
func (h *Hypervisor) acquire(id string) (*instance, error) {
	h.mu.Lock()
	i := h.machines[id]
	h.mu.Unlock()
	if i != nil {
		i.busy.Lock()
		if !i.gone {
			return i, nil
		}
		i.busy.Unlock()
	}
	return nil, lcm.Errorf(lcm.KindNotFound, "There is no machine %s.", id)
}

// with does something with a defined machine, locked against other operations.
func (h *Hypervisor) with(id string, do func(i *instance) error) error {
	i, err := h.acquire(id)
	if err != nil {
		return err
	}
	defer i.busy.Unlock()
	return do(i)
}

// pid returns the pid of the machine's runner, 0 when the machine does not run.
func (i *instance) pid() int {
	b, err := os.ReadFile(i.path("pid"))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || !i.cg.holds(pid) {
		return 0
	}
	return pid
}

func (i *instance) running() bool { return i.pid() != 0 }

// leader returns the machine's own init: the child of systemd-nspawn that is process 1 of another pid namespace. The
// child must have become systemd, which happens when all mounts are in place.
func (i *instance) leader() int {
	runner := i.pid()
	if runner == 0 {
		return 0
	}
	for _, pid := range i.cg.pids() {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		var parent int
		name, ns := "", []string{}
		for line := range strings.Lines(string(status)) {
			key, value, _ := strings.Cut(line, ":")
			switch key {
			case "Name":
				name = strings.TrimSpace(value)
			case "PPid":
				parent, _ = strconv.Atoi(strings.TrimSpace(value))
			case "NSpid":
				ns = strings.Fields(value)
			}
		}
		isInit := len(ns) >= 2 && ns[len(ns)-1] == "1" && (name == "systemd" || name == "init")
		if isInit && parentOf(parent) == runner {
			return pid
		}
	}
	return 0
}

func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The command's name is in parentheses and may contain any character.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// awaitExit returns when the process is gone or the timeout has passed, or when ctx or stop ends the wait.
func awaitExit(ctx context.Context, pid int, timeout time.Duration, stop <-chan struct{}) (gone bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return errors.Is(err, unix.ESRCH)
	}
	defer unix.Close(fd)
	end := time.Now().Add(timeout)
	for timeout == 0 || time.Now().Before(end) {
		// A short poll replaces a second descriptor for wake-ups: the wait must also react to ctx and stop.
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 100)
		if n > 0 {
			return true
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-stop:
			return false
		default:
		}
	}
	return false
}

// State returns the machine's current state.
func (h *Hypervisor) State(_ context.Context, id string) (machine.State, error) {
	h.mu.Lock()
	i := h.machines[id]
	defined := i != nil && exists(i.path("machine.json"))
	h.mu.Unlock()
	switch {
	case !defined:
		return machine.Absent, nil
	case !i.running():
		return machine.Stopped, nil
	case i.cg.frozen():
		return machine.Frozen, nil
	}
	return machine.Running, nil
}

// consoleTail is how much of the console's output an operator gets, as from Nova.
const consoleTail = 256 << 10

// Console returns the end of the machine's console output, over all its boots.
func (h *Hypervisor) Console(_ context.Context, id string) (string, error) {
	h.mu.Lock()
	i := h.machines[id]
	h.mu.Unlock()
	if i == nil {
		return "", lcm.Errorf(lcm.KindNotFound, "There is no machine %s.", id)
	}
	return tail(i.path("console.log"), consoleTail)
}

func tail(path string, size int64) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", broken(err, "The console cannot be read.")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", broken(err, "The console cannot be read.")
	}
	b := make([]byte, min(size, info.Size()))
	n, err := f.ReadAt(b, info.Size()-int64(len(b)))
	if n == len(b) {
		err = nil
	}
	return string(b[:n]), broken(err, "The console cannot be read.")
}
