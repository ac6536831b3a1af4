//go:build linux && (amd64 || arm64)

package userdata

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The budget of one playbook that runs on the worker's host, with all processes that it starts.
const (
	playMemory    = 2 << 30 // bytes, with the files of the run
	playProcesses = 512
	playPeriod    = 100_000 // microseconds
	playQuota     = 100_000 // microseconds of a period: one processor
)

// groupPrefix begins the names of control groups of playbooks; workerGroup is the name of a worker's own group.
const (
	groupPrefix = "windlass-play-"
	workerGroup = "windlass-worker"
)

// groups are control groups of the kernel, version 1 or 2, as /proc/self/cgroup and root show them.
type groups struct {
	root string // /sys/fs/cgroup
	self string // /proc/self/cgroup
	pid  string // of the process that joins; "0" is the writing process
}

func hostGroups() groups {
	return groups{root: "/sys/fs/cgroup", self: "/proc/self/cgroup", pid: "0"}
}

// place is one group that a run needs, with its limits.
type place struct {
	parent string      // the group below which it is made
	former string      // the group that the process is in now
	limits [][2]string // names of files, and what they get
	spare  [][2]string // limits that some kernels do not have
}

// places are the groups that limit memory, processes and processors: one in version 2, three in version 1.
func (g groups) places() ([]place, error) {
	text, err := os.ReadFile(g.self)
	if err != nil {
		return nil, err
	}
	memory, processes := strconv.Itoa(playMemory), strconv.Itoa(playProcesses)
	first := map[string][][2]string{
		"memory": {{"memory.limit_in_bytes", memory}},
		"pids":   {{"pids.max", processes}},
		"cpu":    {{"cpu.cfs_period_us", strconv.Itoa(playPeriod)}, {"cpu.cfs_quota_us", strconv.Itoa(playQuota)}},
	}
	var found []place
	unified := ""
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if parts[1] == "" {
			unified = parts[2]
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			if limits, wanted := first[controller]; wanted {
				at := g.visible(filepath.Join(g.root, parts[1]), parts[2])
				found = append(found, place{parent: at, former: at, limits: limits})
			}
		}
	}
	switch {
	case len(found) == len(first):
		return found, nil
	case len(found) > 0 || unified == "":
		return nil, errors.New("not all of memory, pids and cpu have control groups")
	}
	at := g.visible(g.root, unified)
	p := place{
		parent: at, former: at, limits: [][2]string{
			{"memory.max", memory}, {"pids.max", processes}, {"cpu.max", fmt.Sprintf("%d %d", playQuota, playPeriod)},
		},
		spare: [][2]string{{"memory.swap.max", "0"}},
	}
	if filepath.Base(at) == workerGroup {
		p.parent = filepath.Dir(at)
	}
	return []place{p}, nil
}

// visible is the group at path. In a container, the path may be that of the host; then the container's own group is the
// top.
func (groups) visible(top, path string) string {
	if at := filepath.Join(top, path); isDirectory(at) {
		return at
	}
	return top
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// join puts this process into groups of its own, so that all that it starts is limited together. leave takes it out of
// them again, and removes them.
func (g groups) join(name string) (leave func(), err error) {
	places, err := g.places()
	if err != nil {
		return nil, err
	}
	var joined []place
	leave = func() {
		for _, p := range joined {
			_ = tell(filepath.Join(p.former, "cgroup.procs"), g.pid)
			removeGroup(filepath.Join(p.parent, groupPrefix+name))
		}
	}
	for _, p := range places {
		sweep(p.parent)
		joined = append(joined, p)
		if err := g.make(p, filepath.Join(p.parent, groupPrefix+name)); err != nil {
			leave()
			return nil, err
		}
	}
	return leave, nil
}

func (g groups) make(p place, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) { //nolint:gosec // G301: of the kernel
		return err
	}
	for _, limit := range p.limits {
		if err := tell(filepath.Join(dir, limit[0]), limit[1]); err != nil {
			return err
		}
	}
	for _, limit := range p.spare {
		_ = tell(filepath.Join(dir, limit[0]), limit[1])
	}
	return tell(filepath.Join(dir, "cgroup.procs"), g.pid)
}

// tell writes to a file that the kernel has made.
func tell(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// sweep removes the groups of runs that were killed. The kernel keeps a group that has processes.
func sweep(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, groupPrefix+"*"))
	for _, dir := range left {
		if processes, err := os.ReadFile(filepath.Join(dir, "cgroup.procs")); err == nil && len(processes) == 0 {
			if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Minute { // nobody is about to join it
				_ = os.Remove(dir)
			}
		}
	}
}

// removeGroup waits a moment for the end of the processes that the kernel has killed.
func removeGroup(dir string) {
	for range 40 {
		if err := os.Remove(dir); err == nil || errors.Is(err, os.ErrNotExist) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// PrepareGroups lets playbooks on this host be limited by control groups, and reports why it cannot. In version 2, a group
// that has others below it may have no processes, so the worker must be in a group workerGroup of its own. It does not
// move there by itself: systemd could not start the next worker in the unit's group while a playbook is below it.
func PrepareGroups() error { return hostGroups().prepare(strconv.Itoa(os.Getpid())) }

func (g groups) prepare(name string) error {
	places, err := g.places()
	if err != nil {
		return err
	}
	if top := places[0].parent; len(places) == 1 && !enabled(top) {
		if places[0].former == top {
			return errors.New("in version 2 of control groups, the worker must be in a group " + workerGroup + " below that " +
				"of its unit: with systemd 254 or later, set Delegate=yes and DelegateSubgroup=" + workerGroup)
		}
		if err := tell(filepath.Join(top, "cgroup.subtree_control"), "+memory +pids +cpu"); err != nil {
			return err
		}
	}
	for _, p := range places {
		dir := filepath.Join(p.parent, groupPrefix+"try-"+name)
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) { //nolint:gosec // G301: of the kernel
			return err
		}
		for _, limit := range p.limits {
			err = errors.Join(err, tell(filepath.Join(dir, limit[0]), limit[1]))
		}
		_ = os.Remove(dir)
	}
	return err
}

// enabled tells whether the groups below at have limits.
func enabled(at string) bool {
	text, _ := os.ReadFile(filepath.Join(at, "cgroup.subtree_control"))
	has := strings.Fields(string(text))
	return slices.Contains(has, "memory") && slices.Contains(has, "pids") && slices.Contains(has, "cpu")
}
