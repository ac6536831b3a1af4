// Package nfs3 is a client of NFS version 3 (RFC 1813): every procedure that a file system needs. It knows files by the
// server's handles, so that a rename elsewhere does not confuse it.
package nfs3

import (
	"context"
	"time"
)

// Client talks to one export of a server.
type Client struct {
	Root Handle
	// ReadSize and WriteSize are what the server takes at once, in bytes.
	ReadSize, WriteSize uint32

	rpc *caller
}

// Close ends the connection.
func (c *Client) Close() { c.rpc.close() }

// call makes an NFS call. A server that says "later" is asked again.
func (c *Client) call(ctx context.Context, cred Cred, procedure uint32, args encoder) (*decoder, error) {
	for {
		d, err := c.rpc.call(ctx, cred, procedure, args.b)
		if err != nil {
			return nil, err
		}
		status := Status(d.u32())
		if d.err != nil {
			return nil, d.err
		}
		if status == 0 {
			return d, nil
		}
		if status != jukebox {
			return nil, status
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// learnSizes asks how much the server reads and writes at once (FSINFO).
func (c *Client) learnSizes(ctx context.Context) error {
	d, err := c.call(ctx, Cred{}, 19, on(c.Root))
	if err != nil {
		return err
	}
	d.optionalAttr()
	c.ReadSize = d.u32()
	d.u32()
	d.u32()
	c.WriteSize = d.u32()
	return d.err
}

func on(h Handle) encoder {
	var e encoder
	e.text(string(h))
	return e
}

func in(dir Handle, name string) encoder {
	e := on(dir)
	e.text(name)
	return e
}

// Getattr looks at a file.
func (c *Client) Getattr(ctx context.Context, cred Cred, h Handle) (Attr, error) {
	d, err := c.call(ctx, cred, 1, on(h))
	if err != nil {
		return Attr{}, err
	}
	return d.attr(), d.err
}

// Setattr changes what is set in s.
func (c *Client) Setattr(ctx context.Context, cred Cred, h Handle, s SetAttr) error {
	e := on(h)
	s.encode(&e)
	e.flag(false) // without a guard
	_, err := c.call(ctx, cred, 2, e)
	return err
}

// Lookup finds a name in a directory.
func (c *Client) Lookup(ctx context.Context, cred Cred, dir Handle, name string) (Handle, Attr, error) {
	d, err := c.call(ctx, cred, 3, in(dir, name))
	if err != nil {
		return "", Attr{}, err
	}
	h, a := Handle(d.text()), d.optionalAttr()
	if d.err != nil {
		return "", Attr{}, d.err
	}
	return c.complete(ctx, cred, h, a)
}

func (c *Client) complete(ctx context.Context, cred Cred, h Handle, a *Attr) (Handle, Attr, error) {
	if a != nil {
		return h, *a, nil
	}
	attr, err := c.Getattr(ctx, cred, h)
	return h, attr, err
}

// What Access asks for (RFC 1813, section 3.3.4).
const (
	AccessRead   uint32 = 1
	AccessLookup uint32 = 2
	AccessModify uint32 = 4
	AccessExtend uint32 = 8
	AccessRun    uint32 = 32
)

// Access tells which of the wanted ways the server lets the caller use a file in. It knows who the caller is to it,
// which the bits of the file's mode do not tell.
func (c *Client) Access(ctx context.Context, cred Cred, h Handle, wanted uint32) (granted uint32, err error) {
	e := on(h)
	e.u32(wanted)
	d, err := c.call(ctx, cred, 4, e)
	if err != nil {
		return 0, err
	}
	d.optionalAttr()
	return d.u32(), d.err
}

// Readlink reads a symbolic link.
func (c *Client) Readlink(ctx context.Context, cred Cred, h Handle) (string, error) {
	d, err := c.call(ctx, cred, 5, on(h))
	if err != nil {
		return "", err
	}
	d.optionalAttr()
	return d.text(), d.err
}

// Stat is the room on an export, in bytes and files.
type Stat struct {
	Total, Free, Available           uint64
	Files, FilesFree, FilesAvailable uint64
}

// Fsstat tells how full the export is.
func (c *Client) Fsstat(ctx context.Context, cred Cred) (Stat, error) {
	d, err := c.call(ctx, cred, 18, on(c.Root))
	if err != nil {
		return Stat{}, err
	}
	d.optionalAttr()
	s := Stat{Total: d.u64(), Free: d.u64(), Available: d.u64()}
	s.Files, s.FilesFree, s.FilesAvailable = d.u64(), d.u64(), d.u64()
	return s, d.err
}

// Entry is one of a directory.
type Entry struct {
	Name   string
	FileID uint64
	Type   uint32 // 0 when the server does not say
}

const (
	dirCount   = 32 << 10 // of names
	totalCount = 256 << 10
)

// Readdir lists a directory (READDIRPLUS), without "." and "..".
func (c *Client) Readdir(ctx context.Context, cred Cred, dir Handle) ([]Entry, error) {
	var entries []Entry
	var cookie uint64
	verifier := make([]byte, 8)
	for {
		e := on(dir)
		e.u64(cookie)
		e.b = append(e.b, verifier...)
		e.u32(dirCount)
		e.u32(totalCount)
		d, err := c.call(ctx, cred, 17, e)
		if err != nil {
			return nil, err
		}
		d.optionalAttr()
		copy(verifier, d.take(8))
		for d.flag() {
			entry := Entry{FileID: d.u64(), Name: d.text()}
			cookie = d.u64()
			if a := d.optionalAttr(); a != nil {
				entry.Type = a.Type
			}
			if d.flag() {
				d.opaque() // the handle
			}
			if d.err == nil && entry.Name != "." && entry.Name != ".." {
				entries = append(entries, entry)
			}
		}
		if end := d.flag(); end || d.err != nil {
			return entries, d.err
		}
	}
}
