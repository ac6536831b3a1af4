package nfs3

import "time"

// Handle is how the server knows a file.
type Handle string

// Attr is what the server says of a file (RFC 1813, section 2.5).
type Attr struct {
	Type, Mode, Nlink, UID, GID uint32
	Size, Used                  uint64
	Major, Minor                uint32
	FileID                      uint64
	Atime, Mtime, Ctime         time.Time
}

// Types of files.
const (
	Regular uint32 = 1 + iota
	Directory
	BlockDevice
	CharDevice
	Symlink
	Socket
	FIFO
)

func (d *decoder) attr() Attr {
	a := Attr{Type: d.u32(), Mode: d.u32(), Nlink: d.u32(), UID: d.u32(), GID: d.u32()}
	a.Size, a.Used = d.u64(), d.u64()
	a.Major, a.Minor = d.u32(), d.u32()
	d.u64() // the file system's id
	a.FileID = d.u64()
	a.Atime, a.Mtime, a.Ctime = d.time(), d.time(), d.time()
	return a
}

func (d *decoder) time() time.Time {
	seconds := d.u32()
	return time.Unix(int64(seconds), int64(d.u32()))
}

// optionalAttr reads attributes that the server may leave out.
func (d *decoder) optionalAttr() *Attr {
	if !d.flag() {
		return nil
	}
	a := d.attr()
	return &a
}

// skipWcc passes over what the server says of a directory before and after a change.
func (d *decoder) skipWcc() {
	if d.flag() {
		d.take(24)
	}
	d.optionalAttr()
}

// SetAttr is what to change of a file; nil leaves it.
type SetAttr struct {
	Mode, UID, GID *uint32
	Size           *uint64
	Atime, Mtime   *Timestamp
}

// Timestamp is a time to set: this one, or the server's own.
type Timestamp struct {
	Time   time.Time
	Server bool
}

func (s SetAttr) encode(e *encoder) {
	for _, v := range []*uint32{s.Mode, s.UID, s.GID} {
		e.flag(v != nil)
		if v != nil {
			e.u32(*v)
		}
	}
	e.flag(s.Size != nil)
	if s.Size != nil {
		e.u64(*s.Size)
	}
	for _, t := range []*Timestamp{s.Atime, s.Mtime} {
		switch {
		case t == nil:
			e.u32(0)
		case t.Server:
			e.u32(1)
		default:
			e.u32(2)
			e.u32(uint32(t.Time.Unix()))
			e.u32(uint32(t.Time.Nanosecond()))
		}
	}
}
