package nfs3

import (
	"context"
	"errors"
)

// ErrRestarted is a server that restarted before what was written was on its disk.
var ErrRestarted = errors.New("the server restarted, and what was written may be lost")

// Create makes a regular file; exclusive refuses one that exists.
func (c *Client) Create(
	ctx context.Context, cred Cred, dir Handle, name string, s SetAttr, exclusive bool,
) (Handle, Attr, error) {
	e := in(dir, name)
	e.flag(exclusive) // UNCHECKED or GUARDED
	s.encode(&e)
	return c.made(ctx, cred, 8, e, dir, name)
}

// Mkdir makes a directory.
func (c *Client) Mkdir(ctx context.Context, cred Cred, dir Handle, name string, s SetAttr) (Handle, Attr, error) {
	e := in(dir, name)
	s.encode(&e)
	return c.made(ctx, cred, 9, e, dir, name)
}

// Symlink makes a symbolic link to target.
func (c *Client) Symlink(ctx context.Context, cred Cred, dir Handle, name, target string) (Handle, Attr, error) {
	e := in(dir, name)
	SetAttr{}.encode(&e)
	e.text(target)
	return c.made(ctx, cred, 10, e, dir, name)
}

// Mknod makes a FIFO, a socket or a device.
func (c *Client) Mknod(
	ctx context.Context, cred Cred, dir Handle, name string, kind uint32, s SetAttr, major, minor uint32,
) (Handle, Attr, error) {
	e := in(dir, name)
	e.u32(kind)
	s.encode(&e)
	if kind == BlockDevice || kind == CharDevice {
		e.u32(major)
		e.u32(minor)
	}
	return c.made(ctx, cred, 11, e, dir, name)
}

// made carries out a call that makes a file, and looks up what the server does not say of it.
func (c *Client) made(
	ctx context.Context, cred Cred, procedure uint32, e encoder, dir Handle, name string,
) (Handle, Attr, error) {
	d, err := c.call(ctx, cred, procedure, e)
	if err != nil {
		return "", Attr{}, err
	}
	var h Handle
	if d.flag() {
		h = Handle(d.text())
	}
	a := d.optionalAttr()
	if d.err != nil {
		return "", Attr{}, d.err
	}
	if h == "" {
		return c.Lookup(ctx, cred, dir, name)
	}
	return c.complete(ctx, cred, h, a)
}

// Remove removes a name of anything but a directory.
func (c *Client) Remove(ctx context.Context, cred Cred, dir Handle, name string) error {
	_, err := c.call(ctx, cred, 12, in(dir, name))
	return err
}

// Rmdir removes an empty directory.
func (c *Client) Rmdir(ctx context.Context, cred Cred, dir Handle, name string) error {
	_, err := c.call(ctx, cred, 13, in(dir, name))
	return err
}

// Rename moves a name; what had the new one is gone.
func (c *Client) Rename(ctx context.Context, cred Cred, dir Handle, name string, newDir Handle, newName string) error {
	e := in(dir, name)
	e.text(string(newDir))
	e.text(newName)
	_, err := c.call(ctx, cred, 14, e)
	return err
}

// Link gives a file a further name.
func (c *Client) Link(ctx context.Context, cred Cred, h, dir Handle, name string) error {
	e := on(h)
	e.text(string(dir))
	e.text(name)
	_, err := c.call(ctx, cred, 15, e)
	return err
}

// Read fills p from that offset on; n is less only at the end of the file.
func (c *Client) Read(ctx context.Context, cred Cred, h Handle, p []byte, offset uint64) (n int, err error) {
	for n < len(p) {
		e := on(h)
		e.u64(offset + uint64(n))
		e.u32(min(c.ReadSize, uint32(len(p)-n)))
		d, err := c.call(ctx, cred, 6, e)
		if err != nil {
			return n, err
		}
		d.optionalAttr()
		d.u32()
		end := d.flag()
		got := copy(p[n:], d.opaque())
		n += got
		if d.err != nil || end || got == 0 {
			return n, d.err
		}
	}
	return n, nil
}

// Verifier changes when the server restarts: what it had not committed may then be lost.
type Verifier [8]byte

func (d *decoder) verifier() (v Verifier) {
	copy(v[:], d.take(len(v)))
	return v
}

// Write writes all of p; stable has it on the server's disk when it returns, otherwise Commit does that.
func (c *Client) Write(
	ctx context.Context, cred Cred, h Handle, p []byte, offset uint64, stable bool,
) (Verifier, error) {
	var v Verifier
	for first := true; first || len(p) > 0; first = false {
		part := p[:min(len(p), int(c.WriteSize))]
		e := on(h)
		e.u64(offset)
		e.u32(uint32(len(part)))
		if stable {
			e.u32(2) // FILE_SYNC
		} else {
			e.u32(0)
		}
		e.opaque(part)
		d, err := c.call(ctx, cred, 7, e)
		if err != nil {
			return v, err
		}
		d.skipWcc()
		written := int(d.u32())
		d.u32()
		got := d.verifier()
		if d.err != nil || written > len(part) || written == 0 && len(part) > 0 {
			return v, errShort
		}
		if !first && got != v {
			return v, ErrRestarted
		}
		v, p, offset = got, p[written:], offset+uint64(written)
	}
	return v, nil
}

// Commit brings what was written to the server's disk.
func (c *Client) Commit(ctx context.Context, cred Cred, h Handle) (Verifier, error) {
	e := on(h)
	e.u64(0)
	e.u32(0) // the whole file
	d, err := c.call(ctx, cred, 21, e)
	if err != nil {
		return Verifier{}, err
	}
	d.skipWcc()
	return d.verifier(), d.err
}
