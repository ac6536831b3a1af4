package main

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/mountnfs/nfs3"
)

// node is a file or directory of the export.
type node struct {
	fs.Inode
	volume *volume
	handle nfs3.Handle

	// Guarded by volume.opens.
	open int     // how many have it open
	left *hidden // its name on the server after the last one that it had was removed
}

// hidden is a name of a file that was removed while it was open. NFS knows no files without names, so it has one until
// its last user closes it.
type hidden struct {
	dir  nfs3.Handle
	name string
}

var _ interface {
	fs.NodeLookuper
	fs.NodeAccesser
	fs.NodeGetattrer
	fs.NodeSetattrer
	fs.NodeReaddirer
	fs.NodeReadlinker
	fs.NodeStatfser
	fs.NodeOpener
	fs.NodeCreater
	fs.NodeMkdirer
	fs.NodeMknoder
	fs.NodeSymlinker
	fs.NodeLinker
	fs.NodeUnlinker
	fs.NodeRmdirer
	fs.NodeRenamer
} = (*node)(nil)

// child is the node of a file of this directory.
func (n *node) child(ctx context.Context, h nfs3.Handle, a nfs3.Attr, out *fuse.EntryOut) *fs.Inode {
	fill(&out.Attr, a)
	return n.NewInode(ctx, &node{volume: n.volume, handle: h}, identity(h, a))
}

// Lookup implements fs.NodeLookuper.
func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	own, done := outlive(ctx)
	defer done()
	h, a, err := n.volume.client.Lookup(own, credOf(ctx), n.handle, name)
	if err != nil {
		return nil, errno(err)
	}
	return n.child(ctx, h, a, out), fs.OK
}

// Access implements fs.NodeAccesser. Only the server knows: it may take one user for another.
func (n *node) Access(ctx context.Context, mask uint32) syscall.Errno {
	own, done := outlive(ctx)
	defer done()
	return errno(n.allowed(own, credOf(ctx), mask))
}

// allowed asks the server for the rights of access(2).
func (n *node) allowed(ctx context.Context, cred nfs3.Cred, mask uint32) error {
	var wanted uint32
	if mask&unix.R_OK != 0 {
		wanted |= nfs3.AccessRead
	}
	if mask&unix.W_OK != 0 {
		wanted |= nfs3.AccessModify | nfs3.AccessExtend
	}
	if mask&unix.X_OK != 0 && n.IsDir() {
		wanted |= nfs3.AccessLookup
	} else if mask&unix.X_OK != 0 {
		wanted |= nfs3.AccessRun
	}
	if wanted == 0 {
		return nil
	}
	granted, err := n.volume.client.Access(ctx, cred, n.handle, wanted)
	if err == nil && granted&wanted != wanted {
		return syscall.EACCES
	}
	return err
}

// Getattr implements fs.NodeGetattrer.
func (n *node) Getattr(ctx context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	own, done := outlive(ctx)
	defer done()
	a, err := n.volume.client.Getattr(own, credOf(ctx), n.handle)
	if err == nil {
		fill(&out.Attr, a)
	}
	return errno(err)
}

// Setattr implements fs.NodeSetattrer: chmod, chown, truncate, utimes.
func (n *node) Setattr(ctx context.Context, f fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	own, done := outlive(ctx)
	defer done()
	cred := credOf(ctx)
	if opened, ok := f.(*file); ok {
		cred = opened.cred // who may write to an open file may truncate it
	}
	if err := n.volume.client.Setattr(own, cred, n.handle, changes(in)); err != nil {
		return errno(err)
	}
	return n.Getattr(ctx, f, out)
}

func changes(in *fuse.SetAttrIn) (s nfs3.SetAttr) {
	if mode, ok := in.GetMode(); ok {
		mode &= 0o7777
		s.Mode = &mode
	}
	if uid, ok := in.GetUID(); ok {
		s.UID = &uid
	}
	if gid, ok := in.GetGID(); ok {
		s.GID = &gid
	}
	if size, ok := in.GetSize(); ok {
		s.Size = &size
	}
	// The server's own time may be set by everyone who may write; another one by the owner only.
	if t, ok := in.GetATime(); ok {
		s.Atime = &nfs3.Timestamp{Time: t, Server: in.Valid&fuse.FATTR_ATIME_NOW != 0}
	}
	if t, ok := in.GetMTime(); ok {
		s.Mtime = &nfs3.Timestamp{Time: t, Server: in.Valid&fuse.FATTR_MTIME_NOW != 0}
	}
	return s
}

// Readdir implements fs.NodeReaddirer.
func (n *node) Readdir(ctx context.Context) (fs.DirStream, syscall.Errno) {
	own, done := outlive(ctx)
	defer done()
	entries, err := n.volume.client.Readdir(own, credOf(ctx), n.handle)
	if err != nil {
		return nil, errno(err)
	}
	list := make([]fuse.DirEntry, len(entries))
	for i, e := range entries {
		list[i] = fuse.DirEntry{Name: e.Name, Ino: e.FileID, Mode: kinds[e.Type]}
	}
	return fs.NewListDirStream(list), fs.OK
}

// Readlink implements fs.NodeReadlinker.
func (n *node) Readlink(ctx context.Context) ([]byte, syscall.Errno) {
	own, done := outlive(ctx)
	defer done()
	target, err := n.volume.client.Readlink(own, credOf(ctx), n.handle)
	return []byte(target), errno(err)
}

// blockSize is the unit that the room on an export is counted in.
const blockSize = 4096

// Statfs implements fs.NodeStatfser.
func (n *node) Statfs(ctx context.Context, out *fuse.StatfsOut) syscall.Errno {
	own, done := outlive(ctx)
	defer done()
	s, err := n.volume.client.Fsstat(own, credOf(ctx))
	if err != nil {
		return errno(err)
	}
	out.Bsize, out.Frsize, out.NameLen = blockSize, blockSize, 255
	out.Blocks, out.Bfree, out.Bavail = s.Total/blockSize, s.Free/blockSize, s.Available/blockSize
	out.Files, out.Ffree = s.Files, s.FilesFree
	return fs.OK
}
