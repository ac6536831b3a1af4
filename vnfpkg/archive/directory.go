package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Numbers of the zip format (APPNOTE.TXT 4.3.14 to 4.3.16).
const (
	endLen       = 22
	endLocator64 = 20
	maxComment   = 1<<16 - 1
)

// directoryBudget is how much of the archive may be read to list it: the tail that holds the end
// record, and room for names and extra fields of every entry.
func directoryBudget(limits Limits) int64 {
	return int64(limits.MaxEntries)*512 + 256<<10
}

// checkDirectory reads the number of entries before archive/zip does, which would reserve memory for as
// many as the archive claims.
func checkDirectory(r io.ReaderAt, size int64, limits Limits) error {
	tail := make([]byte, min(size, endLen+maxComment+endLocator64))
	if len(tail) < endLen {
		return notZip(io.ErrUnexpectedEOF)
	}
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return lcm.Wrap(kindOfRead(err), err, "the VNF package could not be read")
	}
	end := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if end < 0 || len(tail)-end < endLen {
		return notZip(errors.New("no end of central directory"))
	}
	entries := uint64(binary.LittleEndian.Uint16(tail[end+10:]))
	if loc := end - endLocator64; loc >= 0 && bytes.HasPrefix(tail[loc:], []byte("PK\x06\x07")) {
		var end64 [56]byte
		at := binary.LittleEndian.Uint64(tail[loc+8:])
		if at > uint64(size) {
			return notZip(errors.New("the zip64 directory is outside of the file"))
		}
		if _, err := r.ReadAt(end64[:], int64(at)); err != nil {
			return notZip(err)
		}
		entries = max(entries, binary.LittleEndian.Uint64(end64[32:]))
	} else if entries == 1<<16-1 {
		return tooManyEntries(limits)
	}
	if entries > uint64(limits.MaxEntries) {
		return tooManyEntries(limits)
	}
	return nil
}

// budgetReader stops a reader that wants more than it should need; left < 0 means no limit.
type budgetReader struct {
	r     io.ReaderAt
	left  int64
	spent bool
}

func (b *budgetReader) ReadAt(p []byte, off int64) (int, error) {
	if b.left >= 0 {
		if int64(len(p)) > b.left {
			b.spent = true
			return 0, io.ErrUnexpectedEOF
		}
		b.left -= int64(len(p))
	}
	return b.r.ReadAt(p, off)
}
