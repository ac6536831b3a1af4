package archive

import (
	"archive/zip"
	"errors"
	"io"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// File is one file of a package that Open accepted before. It is an io.ReadSeeker over the compressed data in the
// archive. A seek backwards unpacks the file again from its beginning; memory holds nothing of it.
type File struct {
	entry *zip.File
	rc    io.ReadCloser // nil until the first read, and after going back
	at    int64         // the offset of rc
	want  int64         // the offset of the next read
}

// OpenFile finds a file in the archive; NotFound when there is none of that name.
func OpenFile(r io.ReaderAt, size int64, name string) (*File, error) {
	zr, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, lcm.Wrap(kindOfRead(err), err, "the VNF package could not be read")
	}
	i := slices.IndexFunc(zr.File, func(f *zip.File) bool { return f.Name == name })
	if i < 0 {
		return nil, lcm.Errorf(lcm.KindNotFound, "the VNF package has no file %s", document.Quote(name))
	}
	return &File{entry: zr.File[i]}, nil
}

// Size is how many bytes the file has, unpacked.
func (f *File) Size() int64 { return int64(f.entry.UncompressedSize64) }

// Seek implements io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.want
	case io.SeekEnd:
		offset += int64(f.entry.UncompressedSize64)
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of the file")
	}
	f.want = offset
	return offset, nil
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if f.want >= int64(f.entry.UncompressedSize64) {
		return 0, io.EOF
	}
	if err := f.reach(); err != nil {
		return 0, err
	}
	n, err := f.rc.Read(p)
	f.at += int64(n)
	f.want = f.at
	return n, err
}

// reach moves rc to the offset of the next read.
func (f *File) reach() error {
	if f.rc != nil && f.at > f.want {
		_ = f.Close()
	}
	if f.rc == nil {
		rc, err := f.entry.Open()
		if err != nil {
			return lcm.Wrap(kindOfRead(err), err, "%s cannot be unpacked", f.entry.Name)
		}
		f.rc, f.at = rc, 0
	}
	n, err := io.CopyN(io.Discard, f.rc, f.want-f.at)
	f.at += n
	return err
}

// Close frees the open reader.
func (f *File) Close() error {
	if f.rc == nil {
		return nil
	}
	rc := f.rc
	f.rc = nil
	return rc.Close()
}
