// mount.nfs mounts NFS exports where the kernel has no NFS client: it is one itself, behind FUSE. mount(8) calls it for
// "mount -t nfs", as kubelet does for a PersistentVolume.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/windlass-nfv/windlass/deployments/lab/mountnfs/nfs3"
)

// mountFailed is mount(8)'s exit status for it.
const mountFailed = 32

// servingEnv makes this program the server of a mount instead of the command that starts one.
const servingEnv = "WINDLASS_MOUNT_NFS_SERVING"

func main() {
	o, err := parseArgs(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mount.nfs:", err)
		os.Exit(1)
	}
	switch {
	case os.Getenv(servingEnv) != "":
		err = serveAndTell(o, os.NewFile(3, "ready"))
	case !o.fake:
		err = startServer()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mount.nfs:", err)
		os.Exit(mountFailed)
	}
}

// startServer starts the server of the mount and returns when that has mounted it, or why it could not.
func startServer() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	told, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer told.Close()
	command := append(ownScope(), append([]string{self}, os.Args[1:]...)...)
	server := exec.CommandContext(context.Background(), command[0], command[1:]...)
	// No output: who runs mount waits until its pipes are closed, and the server stays as long as the mount.
	server.Dir, server.ExtraFiles = "/", []*os.File{tell}
	server.Env = append(os.Environ(), servingEnv+"=1")
	server.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = server.Start()
	_ = tell.Close()
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(told)
	switch {
	case err != nil:
		return err
	case string(answer) == mounted:
		return nil
	case len(answer) == 0:
		return errors.New("the server of the mount did not start")
	}
	return errors.New(string(answer))
}

// ownScope puts the server beside the service that mounts: a restart of kubelet must not end its Pods' volumes.
func ownScope() []string {
	// mount(8) takes PATH away.
	run, err := exec.LookPath("/usr/bin/systemd-run")
	if _, booted := os.Stat("/run/systemd/system"); err != nil || booted != nil {
		return nil
	}
	return []string{run, "--quiet", "--scope", "--collect", "--description=NFS mount", "--"}
}

// mounted is what the server of the mount tells the command that has started it.
const mounted = "mounted"

func serveAndTell(o options, tell *os.File) error {
	wait, err := mount(context.Background(), o)
	answer := mounted
	if err != nil {
		answer = err.Error()
	}
	if _, err := tell.WriteString(answer); err != nil {
		return err
	}
	_ = tell.Close()
	if err == nil {
		wait()
	}
	return err
}

// mount mounts the export; wait returns when it was unmounted.
func mount(ctx context.Context, o options) (wait func(), err error) {
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return nil, err
	}
	if err := o.resolve(ctx); err != nil {
		return nil, err
	}
	client, err := nfs3.Mount(ctx, o.target)
	if err != nil {
		return nil, err
	}
	client.ReadSize, client.WriteSize = limit(client.ReadSize, o.readSize), limit(client.WriteSize, o.writeSize)
	server, err := attach(ctx, client, dir, o)
	if err != nil {
		client.Close()
		return nil, err
	}
	return func() {
		server.Wait()
		client.Close()
	}, nil
}

// maxTransfer is the most that FUSE hands over at once.
const maxTransfer = 1 << 20

// limit is the size of one transfer: what the server takes, what the options ask for, and what FUSE can do.
func limit(server, wanted uint32) uint32 {
	size := uint32(maxTransfer)
	for _, other := range []uint32{server, wanted} {
		if other != 0 {
			size = min(size, other)
		}
	}
	return max(size, 4096)
}
