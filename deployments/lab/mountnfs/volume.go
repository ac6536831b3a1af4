package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/mountnfs/nfs3"
)

// volume is a mounted export.
type volume struct {
	client *nfs3.Client
	sync   bool // every write is on the server's disk when it returns
	hidden atomic.Uint32
	opens  sync.Mutex // guards what nodes know of who has them open
}

// attach mounts the export on dir, and serves it.
func attach(ctx context.Context, client *nfs3.Client, dir string, o options) (*fuse.Server, error) {
	v := &volume{client: client, sync: o.sync}
	attr, err := client.Getattr(ctx, nfs3.Cred{}, client.Root)
	if err != nil {
		return nil, err
	}
	if attr.Type != nfs3.Directory {
		return nil, fmt.Errorf("%s is no directory", o.source)
	}
	id := identity(client.Root, attr)
	flags := o.flags
	if flags == 0 {
		flags = syscall.MS_MGC_VAL // go-fuse takes no flags for its own default
	}
	return fs.Mount(dir, &node{volume: v, handle: client.Root}, &fs.Options{
		EntryTimeout: &o.attributes, AttrTimeout: &o.attributes, NullPermissions: true, RootStableAttr: &id,
		MountOptions: fuse.MountOptions{
			AllowOther: true, FsName: o.source, Name: "nfs", DirectMountStrict: true, DirectMountFlags: flags,
			DisableXAttrs: true, MaxWrite: int(max(client.ReadSize, client.WriteSize)),
		},
	})
}

// identity is what the kernel knows a file by. An inode number that the server gives again has another handle.
func identity(h nfs3.Handle, a nfs3.Attr) fs.StableAttr {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(h))
	id := fs.StableAttr{Mode: kinds[a.Type], Ino: a.FileID, Gen: hash.Sum64()}
	if id.Reserved() || id.Ino == 0 {
		id.Ino = hash.Sum64() | 1<<62
	}
	return id
}

var kinds = map[uint32]uint32{
	nfs3.Regular: syscall.S_IFREG, nfs3.Directory: syscall.S_IFDIR, nfs3.BlockDevice: syscall.S_IFBLK,
	nfs3.CharDevice: syscall.S_IFCHR,
	nfs3.Symlink:    syscall.S_IFLNK, nfs3.Socket: syscall.S_IFSOCK, nfs3.FIFO: syscall.S_IFIFO,
}

func fill(out *fuse.Attr, a nfs3.Attr) {
	out.Mode = kinds[a.Type] | a.Mode&0o7777
	out.Ino, out.Size, out.Nlink, out.Uid, out.Gid = a.FileID, a.Size, a.Nlink, a.UID, a.GID
	out.Blocks, out.Blksize = (a.Used+511)/512, maxTransfer
	out.Rdev = uint32(unix.Mkdev(a.Major, a.Minor))
	out.SetTimes(&a.Atime, &a.Mtime, &a.Ctime)
}

// errno tells the kernel what went wrong.
func errno(err error) syscall.Errno {
	var number syscall.Errno
	var status nfs3.Status
	switch {
	case err == nil:
		return fs.OK
	case errors.As(err, &status):
		return status.Errno()
	case errors.Is(err, context.Canceled):
		return syscall.EINTR
	case errors.Is(err, nfs3.ErrDenied):
		return syscall.EACCES
	case errors.As(err, &number):
		return number
	}
	return syscall.EIO
}

// credOf is in whose name the kernel asks. Groups beyond the first are not in its question.
func credOf(ctx context.Context) nfs3.Cred {
	caller, ok := fuse.FromContext(ctx)
	if !ok {
		return nfs3.Cred{}
	}
	cred := nfs3.Cred{UID: caller.Uid, GID: caller.Gid}
	if caller.Uid != 0 && caller.Pid != 0 {
		cred.Groups = groupsOf(caller.Pid)
	}
	return cred
}

func groupsOf(pid uint32) []uint32 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(int(pid)) + "/status")
	if err != nil {
		return nil // the process is gone, or of a namespace that cannot be seen
	}
	_, after, _ := strings.Cut(string(status), "\nGroups:")
	line, _, _ := strings.Cut(after, "\n")
	var groups []uint32
	for field := range strings.FieldsSeq(line) {
		if g, err := strconv.ParseUint(field, 10, 32); err == nil {
			groups = append(groups, uint32(g))
		}
	}
	return groups
}

// grace is how long a call goes on when its process was signalled: Go programs signal themselves all the time, and a
// server that answers should not let them see it. One that does not must not keep a killed process.
const grace = 5 * time.Second

// outlive makes a context that ends a while after the kernel has lost interest.
func outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, cancel)
		<-own.Done()
		timer.Stop()
	})
	return own, func() {
		stop()
		cancel()
	}
}
