package main

import (
	"context"
	"fmt"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/mountnfs/nfs3"
)

func withMode(mode uint32) nfs3.SetAttr {
	mode &= 0o7777
	return nfs3.SetAttr{Mode: &mode}
}

// Create implements fs.NodeCreater.
func (n *node) Create(
	ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut,
) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	own, done := outlive(ctx)
	defer done()
	cred, set := credOf(ctx), withMode(mode)
	if flags&syscall.O_TRUNC != 0 {
		set.Size = new(uint64)
	}
	h, a, err := n.volume.client.Create(own, cred, n.handle, name, set, flags&syscall.O_EXCL != 0)
	if err != nil {
		return nil, nil, 0, errno(err)
	}
	child := n.child(ctx, h, a, out)
	opened, cached := child.Operations().(*node).opened(cred, flags)
	return child, opened, cached, fs.OK
}

// Mkdir implements fs.NodeMkdirer.
func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.make(ctx, out, func(own context.Context, cred nfs3.Cred) (nfs3.Handle, nfs3.Attr, error) {
		return n.volume.client.Mkdir(own, cred, n.handle, name, withMode(mode))
	})
}

// Symlink implements fs.NodeSymlinker.
func (n *node) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.make(ctx, out, func(own context.Context, cred nfs3.Cred) (nfs3.Handle, nfs3.Attr, error) {
		return n.volume.client.Symlink(own, cred, n.handle, name, target)
	})
}

// Mknod implements fs.NodeMknoder.
func (n *node) Mknod(
	ctx context.Context, name string, mode, dev uint32, out *fuse.EntryOut,
) (*fs.Inode, syscall.Errno) {
	return n.make(ctx, out, func(own context.Context, cred nfs3.Cred) (nfs3.Handle, nfs3.Attr, error) {
		if mode&syscall.S_IFMT == syscall.S_IFREG {
			return n.volume.client.Create(own, cred, n.handle, name, withMode(mode), true)
		}
		for kind, bits := range kinds {
			if bits == mode&syscall.S_IFMT {
				return n.volume.client.Mknod(own, cred, n.handle, name, kind, withMode(mode), unix.Major(uint64(dev)),
					unix.Minor(uint64(dev)))
			}
		}
		return "", nfs3.Attr{}, syscall.EINVAL
	})
}

// Link implements fs.NodeLinker.
func (n *node) Link(
	ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut,
) (*fs.Inode, syscall.Errno) {
	return n.make(ctx, out, func(own context.Context, cred nfs3.Cred) (nfs3.Handle, nfs3.Attr, error) {
		h := target.(*node).handle
		if err := n.volume.client.Link(own, cred, h, n.handle, name); err != nil {
			return "", nfs3.Attr{}, err
		}
		a, err := n.volume.client.Getattr(own, cred, h)
		return h, a, err
	})
}

func (n *node) make(
	ctx context.Context, out *fuse.EntryOut, call func(context.Context, nfs3.Cred) (nfs3.Handle, nfs3.Attr, error),
) (*fs.Inode, syscall.Errno) {
	own, done := outlive(ctx)
	defer done()
	h, a, err := call(own, credOf(ctx))
	if err != nil {
		return nil, errno(err)
	}
	return n.child(ctx, h, a, out), fs.OK
}

// Unlink implements fs.NodeUnlinker.
func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	own, done := outlive(ctx)
	defer done()
	cred := credOf(ctx)
	if hid, err := n.hide(own, cred, name); hid || err != nil {
		return errno(err)
	}
	return errno(n.volume.client.Remove(own, cred, n.handle, name))
}

// hide gives a file that is open, and about to lose its name, another one that its last user removes.
func (n *node) hide(ctx context.Context, cred nfs3.Cred, name string) (bool, error) {
	inode := n.GetChild(name)
	if inode == nil {
		return false, nil
	}
	child, ok := inode.Operations().(*node)
	if !ok {
		return false, nil
	}
	n.volume.opens.Lock()
	defer n.volume.opens.Unlock()
	if child.open == 0 || child.left != nil {
		return false, nil
	}
	left := hidden{dir: n.handle, name: fmt.Sprintf(".nfs%016x%08x", inode.StableAttr().Ino, n.volume.hidden.Add(1))}
	if err := n.volume.client.Rename(ctx, cred, n.handle, name, n.handle, left.name); err != nil {
		return false, err
	}
	child.left = &left
	return true, nil
}

// Rmdir implements fs.NodeRmdirer.
func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	own, done := outlive(ctx)
	defer done()
	return errno(n.volume.client.Rmdir(own, credOf(ctx), n.handle, name))
}

// Rename implements fs.NodeRenamer.
func (n *node) Rename(
	ctx context.Context, name string, newParent fs.InodeEmbedder, newName string, flags uint32,
) syscall.Errno {
	if flags != 0 {
		return syscall.EINVAL // NFS knows neither exchange nor "not over another"
	}
	own, done := outlive(ctx)
	defer done()
	cred, to := credOf(ctx), newParent.(*node)
	if _, err := to.hide(own, cred, newName); err != nil {
		return errno(err)
	}
	return errno(n.volume.client.Rename(own, cred, n.handle, name, to.handle, newName))
}
