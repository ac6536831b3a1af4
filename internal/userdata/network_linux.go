//go:build linux && (amd64 || arm64)

package userdata

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/internal/ownnet"
)

// handOverVariable tells a child that it makes the device of its network, and sends it over handOverFile. Its value says
// whether loopback belongs to it.
const (
	handOverVariable = "WINDLASS_NETWORK"
	handOverFile     = 3
)

// network is the network of a run that is about to start.
type network struct {
	policy ownnet.Policy
	// device is there if this process could make it; else the child sends it over mine.
	device       *os.File
	mine, theirs *os.File
	stop         func()
}

// ownNetwork prepares the network of a child, before it starts. If unshare, it moves the calling thread to a network of
// its own, as root can: the child then has no rights over it. Otherwise the child makes it in its own user namespace.
func ownNetwork(child *exec.Cmd, p ownnet.Policy, unshare bool) (*network, error) {
	n := &network{policy: p}
	if unshare && unix.Unshare(unix.CLONE_NEWNET) == nil {
		var err error
		n.device, err = ownnet.Open(p.Loopback())
		return n, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	n.mine, n.theirs = os.NewFile(uintptr(pair[0]), "network"), os.NewFile(uintptr(pair[1]), "network")
	child.SysProcAttr.Cloneflags |= unix.CLONE_NEWNET
	child.ExtraFiles = []*os.File{n.theirs}
	child.Env = append(child.Env, fmt.Sprintf("%s=%t", handOverVariable, p.Loopback()))
	return n, nil
}

// serve begins to relay after the child has started. denied hears of addresses that the child may not reach.
func (n *network) serve(ctx context.Context, denied func(to netip.AddrPort)) error {
	served := make(chan error, 1)
	go func() { // on a thread of the host's network
		served <- func() (err error) {
			if n.device == nil {
				if n.device, err = n.receive(); err != nil {
					return err
				}
			}
			n.stop, err = ownnet.Serve(ctx, n.device, n.policy, denied)
			return err
		}()
	}()
	return <-served
}

// receive waits for the child's device. A child that cannot make one ends, and says why.
func (n *network) receive() (*os.File, error) {
	_ = n.theirs.Close()
	rights := make([]byte, unix.CmsgSpace(4))
	_, size, _, _, err := unix.Recvmsg(int(n.mine.Fd()), make([]byte, 1), rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:size])
	if err != nil || len(messages) == 0 {
		return nil, errors.Join(errNoDevice, err)
	}
	files, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(files) == 0 {
		return nil, errors.Join(errNoDevice, err)
	}
	// Go's poller then ends a read when the file is closed.
	if err := unix.SetNonblock(files[0], true); err != nil {
		return nil, errors.Join(err, unix.Close(files[0]))
	}
	return os.NewFile(uintptr(files[0]), "/dev/net/tun"), nil
}

// unservedError ends a run whose network cannot be served.
type unservedError struct{ error }

func (e *unservedError) Error() string { return "its network cannot be served: " + e.error.Error() }

func (e *unservedError) Unwrap() error { return e.error }

var errNoDevice = errors.New("the process has made no network")

// end stops the relay, and closes what is left.
func (n *network) end() {
	if n.stop != nil {
		n.stop()
	} else if n.device != nil {
		_ = n.device.Close()
	}
	for _, f := range []*os.File{n.mine, n.theirs} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// handOver is for the child: it makes the device, if it was told to, and sends it.
func handOver() error {
	told, is := os.LookupEnv(handOverVariable)
	if !is {
		return nil
	}
	_ = os.Unsetenv(handOverVariable)
	device, err := ownnet.Open(told == "true")
	if err != nil {
		return fmt.Errorf("it has no network of its own: %w", err)
	}
	err = unix.Sendmsg(handOverFile, []byte{0}, unix.UnixRights(int(device.Fd())), nil, 0)
	return errors.Join(err, device.Close(), unix.Close(handOverFile))
}

// isolated gives a child of a script its own user, mount and network namespaces. Outside it stays the same user. Inside
// it is root until it has made its network: another user would lose its rights over the namespaces when it is executed.
func isolated() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
}

// ownScriptNetwork is for the child of a script: it has its own mounts and network.
func ownScriptNetwork(dir string) error {
	if err := handOver(); err != nil {
		return err
	}
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = bindResolver(dir)
	}
	if err != nil {
		return fmt.Errorf("it has no network of its own (mount): %w", err)
	}
	return nil
}

// bindResolver puts the file resolv.conf of dir over that of the host.
func bindResolver(dir string) error {
	err := unix.Mount(filepath.Join(dir, "resolv.conf"), "/etc/resolv.conf", "", unix.MS_BIND, "")
	if errors.Is(err, unix.ENOENT) { // the host has none
		return nil
	}
	return err
}

// isolate gives a process with a network one of its own; see connect.
func (c *child) isolate() error {
	if !c.job.network {
		return nil
	}
	c.SysProcAttr = isolated()
	n, err := ownNetwork(c.Cmd, c.job.reach, false)
	if err != nil {
		return err
	}
	c.network, c.disconnect = n, n.end
	return nil
}

// connect begins to relay the process's connections.
func (c *child) connect(ctx context.Context) error {
	if c.network == nil {
		return nil
	}
	return c.network.serve(ctx, func(to netip.AddrPort) {
		if c.job.lines != nil {
			c.job.lines(fmt.Sprintf("The script may not connect to %s from the worker's host (vims.deniedNetworks, or a "+
				"server of Windlass).", to))
		}
	})
}
