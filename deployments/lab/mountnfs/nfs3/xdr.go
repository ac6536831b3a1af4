package nfs3

import (
	"encoding/binary"
	"errors"
)

// errShort is an answer that ends too early, or an opaque that is longer than it may be.
var errShort = errors.New("the server's answer is malformed")

// encoder writes XDR (RFC 4506).
type encoder struct{ b []byte }

func (e *encoder) u32(v uint32) { e.b = binary.BigEndian.AppendUint32(e.b, v) }
func (e *encoder) u64(v uint64) { e.b = binary.BigEndian.AppendUint64(e.b, v) }

func (e *encoder) flag(v bool) {
	if v {
		e.u32(1)
	} else {
		e.u32(0)
	}
}

func (e *encoder) opaque(v []byte) {
	e.u32(uint32(len(v)))
	e.b = append(e.b, v...)
	e.b = append(e.b, make([]byte, padding(len(v)))...)
}

func (e *encoder) text(v string) { e.opaque([]byte(v)) }

func padding(n int) int { return -n & 3 }

// decoder reads XDR. After the first mistake it gives zeroes, and err says so.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) take(n int) []byte {
	if d.err != nil || n < 0 || n > len(d.b) {
		d.err = errShort
		return nil
	}
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

func (d *decoder) u32() uint32 {
	if b := d.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) u64() uint64 {
	if b := d.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) flag() bool { return d.u32() != 0 }

// opaque gives a part of the answer itself, not a copy.
func (d *decoder) opaque() []byte {
	n := int(d.u32())
	b := d.take(n)
	d.take(padding(n))
	return b
}

func (d *decoder) text() string { return string(d.opaque()) }
