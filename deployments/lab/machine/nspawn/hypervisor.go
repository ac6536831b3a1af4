// Package nspawn runs the lab's machines as systemd-nspawn containers. Each boots systemd in its own namespaces on an
// overlay of the node image. A lab keeps its networks in its own network namespace, its router. The host gets one
// interface and a route to each network; the host's forwarding, firewall and sysctls stay unchanged, but for one limit
// that the lab raises if it is too low (inotify.go).
package nspawn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// DefaultStateDir is the default state directory of a lab that runs as root.
const DefaultStateDir = "/var/lib/windlass-lab"

// Options of a hypervisor.
type Options struct {
	// StateDir holds machines, volumes and the lab's records; each lab needs its own directory. If it is on the file
	// system of the image, copies of the container images cost no time and no space.
	StateDir string
	Image    image.Image
	Log      *slog.Logger
}

// Hypervisor is a machine.Hypervisor of systemd-nspawn containers.
type Hypervisor struct {
	opts Options
	log  *slog.Logger
	// tag distinguishes this lab's interfaces, namespaces and groups from those of other labs on the host.
	tag     string
	groups  hierarchies
	inotify inotify
	lock    *os.File
	// freeSpace returns the MiB that are free in the file system of a directory; tests have their own.
	freeSpace func(dir string) (int, error)

	mu       sync.Mutex // guards the fields below and the router; never held while a machine boots or stops
	networks records[machine.Network]
	floating records[machine.FloatingIP]
	volumes  records[volume]
	machines map[string]*instance

	balancing balancing

	closing  chan struct{}
	watchers sync.WaitGroup
}

var _ machine.Hypervisor = (*Hypervisor)(nil)

// New opens the lab in opts.StateDir. Only one process at a time may do so.
func New(opts Options) (*Hypervisor, error) {
	if opts.StateDir == "" {
		opts.StateDir = DefaultStateDir
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if err := checkHost(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(opts.StateDir)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The state directory %s has no absolute path.", opts.StateDir)
	}
	opts.StateDir = dir
	d := &Hypervisor{
		opts: opts, log: opts.Log, tag: short(dir)[:6], closing: make(chan struct{}), machines: map[string]*instance{},
		inotify: hostInotify(), freeSpace: freeSpace,
	}
	if d.groups, err = findHierarchies("windlass-lab-" + d.tag); err != nil {
		return nil, lcm.Wrap(lcm.KindBroken, err, "The lab cannot use the control groups of this host.")
	}
	if err := d.open(); err != nil {
		return nil, err
	}
	d.raiseInotify(context.Background())
	return d, nil
}

// open locks the state directory and reads it.
func (h *Hypervisor) open() error {
	if err := os.MkdirAll(h.opts.StateDir, 0o711); err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "The lab cannot create the state directory %s.", h.opts.StateDir)
	}
	lock, err := os.OpenFile(filepath.Join(h.opts.StateDir, "machines.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "The lab cannot lock the state directory %s.", h.opts.StateDir)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = lock.Close()
		return lcm.Wrap(lcm.KindConflict, err, "Another process runs the lab in %s.", h.opts.StateDir)
	}
	h.lock = lock
	err = errors.Join(
		h.networks.load(filepath.Join(h.opts.StateDir, "networks")),
		h.floating.load(filepath.Join(h.opts.StateDir, "floating-ips")),
		h.volumes.load(filepath.Join(h.opts.StateDir, "volumes")),
		h.loadMachines(),
	)
	if err != nil {
		_ = lock.Close()
		return lcm.Wrap(lcm.KindBroken, err, "The lab cannot read its state in %s.", h.opts.StateDir)
	}
	return nil
}

// Close releases the machines: they continue to run, and the next hypervisor finds them with Recover.
func (h *Hypervisor) Close() error {
	h.mu.Lock()
	select {
	case <-h.closing:
		h.mu.Unlock()
		return nil
	default:
		close(h.closing)
	}
	h.mu.Unlock()
	h.watchers.Wait()
	h.closeBalancing()
	return h.lock.Close()
}

// checkHost returns an error that lists all missing requirements at once.
func checkHost() error {
	if os.Geteuid() != 0 {
		return lcm.Errorf(lcm.KindDenied, "Real machines need root; run the lab as root or with fake machines.")
	}
	var problems []lcm.Problem
	for _, tool := range []struct{ name, pkg string }{
		{"systemd-nspawn", "systemd-container"},
		{"ip", "iproute2"},
		{"nft", "nftables"},
		{"losetup", "mount"},
		{"setsid", "util-linux"},
		{"chroot", "coreutils"},
		{"cp", "coreutils"},
	} {
		if _, err := exec.LookPath(tool.name); err != nil {
			problems = append(problems, lcm.Problem{Path: tool.name, Detail: "not found; install the package " + tool.pkg})
		}
	}
	return lcm.InvalidAll("This host cannot run machines.", problems)
}

// hostLink and routerLink are the two ends of the link between host and router. They come from the link-local block,
// which no network uses. The tag selects them, so that several labs do not conflict.
func (h *Hypervisor) hostLink() netip.Addr   { return linkAddress(h.tag, 1) }
func (h *Hypervisor) routerLink() netip.Addr { return linkAddress(h.tag, 2) }

func linkAddress(tag string, host byte) netip.Addr {
	sum := sha256.Sum256([]byte(tag))
	// 16 to 143 avoids 169.254.169.254, the metadata service of a cloud that the lab may run in.
	return netip.AddrFrom4([4]byte{169, 254, 16 + sum[0]%128, sum[1]&^3 | host})
}

// HostAddress is the host's address for the machines, e.g. for the lab's own API.
func (h *Hypervisor) HostAddress() netip.Addr { return h.hostLink() }

// short makes a name of eight letters: the kernel limits interface names to fifteen.
func short(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:4])
}

var validID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// checkID makes sure that ids, which become file names, do not lead out of the state directory.
func checkID(what, id string) error {
	if !validID.MatchString(id) {
		return lcm.Errorf(lcm.KindInvalid, "%q is not an id of a %s.", id, what)
	}
	return nil
}

func broken(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*lcm.Error](err); ok {
		return err
	}
	return lcm.Wrap(lcm.KindBroken, err, "%s", fmt.Sprintf(format, args...))
}
