package main

import (
	"context"
	"sync"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/mountnfs/nfs3"
)

// file is an open file. It is read and written in the name of who has opened it, whoever has it by now.
type file struct {
	node   *node
	cred   nfs3.Cred
	stable bool // opened with O_SYNC

	mu    sync.Mutex
	dirty bool // something is written and not committed
	since nfs3.Verifier
	lost  bool // the server restarted in between
}

var _ interface {
	fs.FileReader
	fs.FileWriter
	fs.FileFlusher
	fs.FileFsyncer
	fs.FileReleaser
} = (*file)(nil)

// Open implements fs.NodeOpener. The kernel forgets what it has of the file: others may have written it since.
func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	own, done := outlive(ctx)
	defer done()
	cred, mask := credOf(ctx), uint32(unix.R_OK)
	switch flags & syscall.O_ACCMODE {
	case syscall.O_WRONLY:
		mask = unix.W_OK
	case syscall.O_RDWR:
		mask = unix.R_OK | unix.W_OK
	}
	// An executable is opened for reading by the kernel, and need not be readable.
	if err := n.allowed(own, cred, mask); err != nil && (mask != unix.R_OK || n.allowed(own, cred, unix.X_OK) != nil) {
		return nil, 0, errno(err)
	}
	opened, cached := n.opened(cred, flags)
	return opened, cached, fs.OK
}

func (n *node) opened(cred nfs3.Cred, flags uint32) (*file, uint32) {
	n.volume.opens.Lock()
	defer n.volume.opens.Unlock()
	n.open++
	f := &file{node: n, cred: cred, stable: n.volume.sync || flags&(syscall.O_SYNC|syscall.O_DSYNC) != 0}
	if flags&syscall.O_DIRECT != 0 {
		return f, fuse.FOPEN_DIRECT_IO
	}
	return f, 0
}

// Read implements fs.FileReader.
func (f *file) Read(ctx context.Context, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	own, done := outlive(ctx)
	defer done()
	n, err := f.node.volume.client.Read(own, f.cred, f.node.handle, dest, uint64(off))
	return fuse.ReadResultData(dest[:n]), errno(err)
}

// Write implements fs.FileWriter.
func (f *file) Write(ctx context.Context, data []byte, off int64) (uint32, syscall.Errno) {
	own, done := outlive(ctx)
	defer done()
	verifier, err := f.node.volume.client.Write(own, f.cred, f.node.handle, data, uint64(off), f.stable)
	if err != nil {
		return 0, errno(err)
	}
	if !f.stable {
		f.mu.Lock()
		f.lost = f.lost || f.dirty && f.since != verifier
		f.dirty, f.since = true, verifier
		f.mu.Unlock()
	}
	return uint32(len(data)), fs.OK
}

// Flush implements fs.FileFlusher: who closes a file is told whether it is on the server's disk.
func (f *file) Flush(ctx context.Context) syscall.Errno { return f.commit(ctx) }

// Fsync implements fs.FileFsyncer.
func (f *file) Fsync(ctx context.Context, _ uint32) syscall.Errno { return f.commit(ctx) }

func (f *file) commit(ctx context.Context) syscall.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.dirty {
		return fs.OK
	}
	own, done := outlive(ctx)
	defer done()
	verifier, err := f.node.volume.client.Commit(own, f.cred, f.node.handle)
	if err != nil {
		return errno(err)
	}
	lost := f.lost || verifier != f.since
	f.dirty, f.lost = false, false
	if lost {
		return syscall.EIO
	}
	return fs.OK
}

// Release implements fs.FileReleaser.
func (f *file) Release(ctx context.Context) syscall.Errno {
	v := f.node.volume
	v.opens.Lock()
	f.node.open--
	var left *hidden
	if f.node.open == 0 {
		left, f.node.left = f.node.left, nil
	}
	v.opens.Unlock()
	if left == nil {
		return fs.OK
	}
	own, done := outlive(ctx)
	defer done()
	return errno(v.client.Remove(own, f.cred, left.dir, left.name))
}
