package nspawn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ext4Dirs must not lie on the overlay. overlayfs refuses an upper layer that is itself an overlay, and etcd and the
// NFS server need a real file system.
var ext4Dirs = []string{"containerd", "kubelet", "etcd", "docker"}

// runnerScript outlives the lab. It writes its own pid before the container starts, and the exit status after it ends.
// From these a later process finds the machine, and distinguishes a machine that rebooted itself from a machine that
// died.
const runnerScript = `
for g in $RUNNER_GROUPS; do echo 0 >"$g/cgroup.procs" || exit 1; done
echo $$ >pid.new && mv pid.new pid
(
	for g in $MACHINE_GROUPS; do echo 0 >"$g/cgroup.procs" || exit 1; done
	exec systemd-nspawn "$@"
)
echo $? >exit.new && mv exit.new exit
`

// rebooted is systemd-nspawn's exit status when the machine restarted itself.
const rebooted = "133"

// boot starts the machine unless it runs; i.busy is held.
func (h *Hypervisor) boot(ctx context.Context, i *instance) error {
	if i.running() {
		return nil
	}
	if err := h.inotify.ensure(i.spec.Name); err != nil {
		return err
	}
	if err := h.ensureSpace(i); err != nil {
		return err
	}
	if err := h.clear(ctx, i); err != nil {
		return err
	}
	err := h.launch(ctx, i)
	if err != nil {
		// Not ctx: the boot is cleaned up even when the caller gave up.
		return errors.Join(err, h.clear(context.WithoutCancel(ctx), i))
	}
	i.runs++
	h.watch(i)
	return nil
}

func (h *Hypervisor) launch(ctx context.Context, i *instance) error {
	if err := i.cg.create(); err != nil {
		return broken(err, "The control groups of machine %s cannot be made.", i.spec.Name)
	}
	if err := h.mountDisk(i); err != nil {
		return err
	}
	if err := h.plug(ctx, i); err != nil {
		return err
	}
	if err := h.exec(i); err != nil {
		return broken(err, "Machine %s cannot be started.", i.spec.Name)
	}
	if err := h.awaitInit(ctx, i); err != nil {
		return err
	}
	return h.plugVolumes(ctx, i)
}

func (h *Hypervisor) mountDisk(i *instance) error {
	for _, dir := range []string{"upper", "work", "root"} {
		if err := os.MkdirAll(i.path(dir), 0o755); err != nil {
			return broken(err, "The disk of machine %s cannot be made.", i.spec.Name)
		}
	}
	layers := h.opts.Image.Layers(i.spec.Image, i.spec.Name)
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", strings.Join(layers, ":"), i.path("upper"),
		i.path("work"))
	err := unix.Mount("overlay", i.path("root"), "overlay", 0, options)
	return broken(err, "The disk of machine %s cannot be mounted.", i.spec.Name)
}

// exec starts the machine in a session of its own that is not our child. When the lab ends, neither a signal nor a
// closed pipe reaches it.
func (h *Hypervisor) exec(i *instance) error {
	console, err := os.OpenFile(i.path("console.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer console.Close()
	args := append([]string{"--fork", "sh", "-c", runnerScript, "windlass-machine"}, h.nspawnArgs(i)...)
	cmd := exec.Command("setsid", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = i.dir, console, console
	hierarchy := "0"
	if h.groups.unified {
		hierarchy = "1"
	}
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "RUNNER_GROUPS=" + strings.Join(i.cg.runner, " "), "MACHINE_GROUPS=" +
			strings.Join(i.cg.inside, " "),
		"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=" + hierarchy, "SYSTEMD_NSPAWN_USE_CGNS=1",
		"SYSTEMD_SECCOMP=0", // runc in the machine needs keyctl, which the default filter forbids
		"SYSTEMD_LOG_LEVEL=warning",
	}
	return cmd.Run()
}

func (h *Hypervisor) nspawnArgs(i *instance) []string {
	args := []string{
		"--quiet", "--directory=" + i.path("root"), "--boot", "--register=no", "--keep-unit",
		"--machine=" + i.name, "--hostname=" + i.spec.Name, "--network-namespace-path=" + netnsDir + i.name,
		"--capability=all", "--resolv-conf=off", "--timezone=off", "--link-journal=no", "--console=pipe",
	}
	for _, dir := range ext4Dirs {
		args = append(args, "--bind="+i.path("var", dir)+":/var/lib/"+dir)
	}
	for _, device := range []string{"/dev/kmsg", "/dev/fuse", "/dev/loop-control"} {
		if exists(device) {
			args = append(args, "--bind="+device)
		}
	}
	return args
}

// awaitInit waits until the machine's systemd runs; its services start after that.
func (h *Hypervisor) awaitInit(ctx context.Context, i *instance) error {
	deadline := time.Now().Add(20 * time.Second)
	for i.leader() == 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
		if exists(i.path("exit")) || time.Now().After(deadline) {
			said, _ := tail(i.path("console.log"), 512)
			return lcm.Errorf(lcm.KindBroken, "Machine %s did not boot; its console ends with: %s", i.spec.Name,
				strings.TrimSpace(said))
		}
	}
	return nil
}

// clear removes a machine's interfaces, mounts and processes from the host. The machine does not run, or must not run
// any more. Disk and volumes stay.
func (h *Hypervisor) clear(ctx context.Context, i *instance) error {
	if err := i.cg.kill(killTimeout); err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "Machine %s does not die.", i.spec.Name)
	}
	err := errors.Join(h.unplug(ctx, i), unmount(i.path("root")), i.cg.remove(), h.unplugVolumes(ctx, i.spec.ID))
	for _, file := range []string{
		i.path("pid"), i.path("pid.new"), i.path("exit"), i.path("exit.new"),
		filepath.Join("/run/systemd/nspawn/propagate", i.name), filepath.Join("/run/systemd/nspawn/unix-export", i.name),
	} {
		if e := os.Remove(file); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return broken(err, "Machine %s left something on the host.", i.spec.Name)
}

func unmount(path string) error {
	for {
		err := unix.Unmount(path, 0)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
			return nil // no mount is left
		}
		if errors.Is(err, unix.EBUSY) {
			err = unix.Unmount(path, unix.MNT_DETACH)
		}
		if err != nil {
			return fmt.Errorf("unmount %s: %w", path, err)
		}
	}
}

// watch waits for the end of one boot. It boots a machine again that rebooted itself, and cleans up the host after a
// machine that powered off.
func (h *Hypervisor) watch(i *instance) {
	run, pid := i.runs, i.pid()
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.closing:
		return
	default:
	}
	h.watchers.Go(func() {
		if !awaitExit(context.Background(), pid, 0, h.closing) {
			return
		}
		i.busy.Lock()
		defer i.busy.Unlock()
		if i.gone || i.runs != run || i.running() {
			return
		}
		h.settle(context.Background(), i)
	})
}

// settle cleans up after a machine whose runner has ended, and boots a machine again that rebooted itself.
func (h *Hypervisor) settle(ctx context.Context, i *instance) {
	status, _ := os.ReadFile(i.path("exit"))
	if err := h.clear(ctx, i); err != nil {
		h.log.ErrorContext(ctx, "Stopped machine not cleared", "machine", i.spec.Name, "error", err)
		return
	}
	if strings.TrimSpace(string(status)) != rebooted {
		return
	}
	if err := h.boot(ctx, i); err != nil {
		h.log.ErrorContext(ctx, "Machine that rebooted itself not booted", "machine", i.spec.Name, "error", err)
	}
}
