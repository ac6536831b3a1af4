package nspawn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// hierarchies are the control groups of this host: either the single one of version 2, or one for each controller of
// version 1 (with name=systemd and often an empty "unified").
//
// Version 1 was tested with Kubernetes. Version 2 was tested with the conformance suite in a mount namespace whose only
// hierarchy was a cgroup2. That cgroup2 had no cpu, memory and pids, because version 1 held these controllers. Booting,
// freezing and clearing work there. Not tested: the delegation of these controllers, and a host whose own systemd
// manages the hierarchy.
type hierarchies struct {
	unified bool
	roots   []string // mount points
	lab     string   // name of the lab's own group in each
}

// cgroup is the control group of one machine. The runner is the shell that outlives the lab and writes the exit status.
// In version 2 the runner needs a group beside the machine's: a group with subgroups must not hold processes.
type cgroup struct {
	h      hierarchies
	name   string
	runner []string
	inside []string
}

func findHierarchies(lab string) (hierarchies, error) {
	const base = "/sys/fs/cgroup"
	h := hierarchies{lab: lab}
	var st unix.Statfs_t
	if err := unix.Statfs(base, &st); err != nil {
		return h, fmt.Errorf("look at %s: %w", base, err)
	}
	if st.Type == unix.CGROUP2_SUPER_MAGIC {
		h.unified, h.roots = true, []string{base}
		return h, nil
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return h, err
	}
	h.roots = cgroupMounts(string(mounts), base)
	if len(h.roots) == 0 {
		return h, errors.New("there are no control groups at " + base)
	}
	return h, nil
}

// cgroupMounts reads from a mountinfo file the mount points of control groups below base.
func cgroupMounts(mountinfo, base string) []string {
	var roots []string
	for line := range strings.Lines(mountinfo) {
		before, after, ok := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(kind) < 1 || !strings.HasPrefix(kind[0], "cgroup") {
			continue
		}
		if strings.HasPrefix(fields[4], base+"/") && !slices.Contains(roots, fields[4]) {
			roots = append(roots, fields[4])
		}
	}
	return roots
}

func (h hierarchies) machine(name string) cgroup {
	g := cgroup{h: h, name: name}
	for _, root := range h.roots {
		dir := filepath.Join(root, h.lab, name)
		if h.unified {
			g.runner = append(g.runner, filepath.Join(dir, "runner"))
			g.inside = append(g.inside, filepath.Join(dir, "machine"))
			continue
		}
		g.runner, g.inside = append(g.runner, dir), append(g.inside, dir)
	}
	return g
}

func (g cgroup) create() error {
	for i, root := range g.h.roots {
		lab := filepath.Join(root, g.h.lab)
		if err := os.MkdirAll(lab, 0o755); err != nil {
			return err
		}
		if g.h.unified {
			delegate(root, lab, filepath.Join(lab, g.name))
		} else if err := fillCpuset(root, lab); err != nil {
			return err
		}
		for _, dir := range []string{g.runner[i], g.inside[i]} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
	}
	return nil
}

// delegate enables the controllers for the machine (version 2). It skips a controller that the host does not delegate:
// the machine boots without it, and kubelet's preflight reports what is missing. The lab's group is in the root beside
// systemd's slices, because systemd does not touch groups of others there.
func delegate(dirs ...string) {
	for _, dir := range dirs {
		_ = os.MkdirAll(dir, 0o755)
		for _, controller := range []string{"+cpuset", "+cpu", "+io", "+memory", "+hugetlb", "+pids"} {
			_ = os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte(controller), 0)
		}
	}
}

// fillCpuset fills a new cpuset group of version 1: an empty one accepts no process.
func fillCpuset(root, lab string) error {
	for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(lab, name), value, 0)
		}
		if err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(lab, "cgroup.clone_children"), []byte("1"), 0)
}

// freezer is the directory of the files that freeze the whole machine.
func (g cgroup) freezer() string {
	for _, dir := range g.inside {
		if g.h.unified || strings.Contains(filepath.Base(filepath.Dir(filepath.Dir(dir))), "freezer") {
			return dir
		}
	}
	return ""
}

func (g cgroup) setFrozen(frozen bool) error {
	if g.h.unified {
		return os.WriteFile(filepath.Join(g.freezer(), "cgroup.freeze"), []byte(strconv.Itoa(map[bool]int{true: 1}[frozen])),
			0)
	}
	state := "THAWED"
	if frozen {
		state = "FROZEN"
	}
	return os.WriteFile(filepath.Join(g.freezer(), "freezer.state"), []byte(state), 0)
}

func (g cgroup) frozen() bool {
	if g.h.unified {
		b, _ := os.ReadFile(filepath.Join(g.freezer(), "cgroup.freeze"))
		return strings.TrimSpace(string(b)) == "1"
	}
	b, _ := os.ReadFile(filepath.Join(g.freezer(), "freezer.state"))
	return strings.HasPrefix(string(b), "FR") // FREEZING or FROZEN
}

// holds reports whether a process is the runner of this machine: a pid may belong to another process by now.
func (g cgroup) holds(pid int) bool {
	b, err := os.ReadFile(filepath.Join(g.runnerDir(), "cgroup.procs"))
	return err == nil && slices.Contains(strings.Fields(string(b)), strconv.Itoa(pid))
}

func (g cgroup) runnerDir() string {
	if i := slices.Index(g.inside, g.freezer()); i >= 0 {
		return g.runner[i]
	}
	return ""
}

// kill ends every process of the machine, whatever its state, and returns when none is left.
func (g cgroup) kill(deadline time.Duration) error {
	end := time.Now().Add(deadline)
	for {
		pids := g.pids()
		if len(pids) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d processes of %s do not die", len(pids), g.name)
		}
		for _, pid := range pids {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		_ = g.setFrozen(false) // in version 1 the signal waits for the thaw
		<-time.After(20 * time.Millisecond)
	}
}

func (g cgroup) pids() []int {
	var pids []int
	for _, root := range g.h.roots {
		_ = filepath.WalkDir(filepath.Join(root, g.h.lab, g.name), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != "cgroup.procs" {
				return nil //nolint:nilerr // groups may disappear meanwhile
			}
			b, _ := os.ReadFile(path)
			for field := range strings.FieldsSeq(string(b)) {
				if pid, err := strconv.Atoi(field); err == nil && pid > 0 && !slices.Contains(pids, pid) {
					pids = append(pids, pid)
				}
			}
			return nil
		})
	}
	return pids
}

func (g cgroup) remove() error { return g.h.removeTree(g.name) }

// removeTree removes the groups of a machine; with an empty name it removes the groups of the whole lab.
func (h hierarchies) removeTree(name string) error {
	var all error
	for _, root := range h.roots {
		var dirs []string
		top := filepath.Join(root, h.lab, name)
		_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				dirs = append(dirs, path)
			}
			return nil
		})
		for _, dir := range slices.Backward(dirs) {
			if err := removeGroup(dir); err != nil {
				all = errors.Join(all, err)
			}
		}
	}
	return all
}

// removeGroup retries for a short time: a group stays busy for moments after its last process died.
func removeGroup(dir string) error {
	var err error
	for range 50 {
		if err = os.Remove(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		<-time.After(20 * time.Millisecond)
	}
	return err
}
