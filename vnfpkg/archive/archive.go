// Package archive reads CSAR archives (SOL004): the zip file, its metadata, manifest, digests and signatures. It trusts
// no byte of a package: it checks sizes and names before it reads a file.
package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// Zip is a zip file whose entries have been found harmless: plain files inside the package, each
// name once, none larger than allowed.
type Zip struct {
	limits Limits
	files  map[string]*zip.File
	Names  []string // sorted
}

func openArchive(r io.ReaderAt, size int64, limits Limits, rep *document.Report) (*Zip, error) {
	if err := checkDirectory(r, size, limits); err != nil {
		return nil, err
	}
	// The directory is read into memory as a whole, however many entries it claims to have.
	budget := &budgetReader{r: r, left: directoryBudget(limits)}
	zr, err := zip.NewReader(budget, size)
	switch {
	case budget.spent:
		return nil, tooManyEntries(limits)
	case errors.Is(err, zip.ErrInsecurePath): // the names are checked below, with a sentence for each
	case errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrAlgorithm), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, io.EOF):
		return nil, notZip(err)
	case err != nil:
		return nil, lcm.Wrap(kindOfRead(err), err, "the VNF package could not be read")
	}
	budget.left = -1
	if len(zr.File) > limits.MaxEntries {
		return nil, tooManyEntries(limits)
	}
	a := &Zip{limits: limits, files: make(map[string]*zip.File, len(zr.File))}
	a.admit(zr.File, size, rep)
	return a, nil
}

func notZip(err error) error {
	return lcm.Wrap(lcm.KindInvalid, err, "the VNF package is not a complete zip file (CSAR)")
}

func tooManyEntries(limits Limits) error {
	return lcm.Errorf(lcm.KindInvalid, "the VNF package has more than the %d files allowed", limits.MaxEntries)
}

// kindOfRead keeps the kind of an error of the reader below, e.g. of the database that holds the archive.
func kindOfRead(err error) lcm.ErrorKind {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return e.Kind
	}
	return lcm.KindInvalid
}

// admit takes the entries that are safe and reports the others.
func (a *Zip) admit(entries []*zip.File, size int64, rep *document.Report) {
	var total, packed, kept uint64
	for _, f := range entries {
		place := document.Quote(f.Name)
		if reason := badName(f.Name); reason != "" {
			rep.Problem(place, "the file's name %s", reason)
			continue
		}
		if f.Mode().IsDir() {
			continue
		}
		if reason := a.badEntry(f); reason != "" {
			rep.Problem(f.Name, "%s", reason)
			continue
		}
		if _, twice := a.files[f.Name]; twice {
			rep.Problem(f.Name, "the archive holds two files of this name")
			continue
		}
		total = addSaturating(total, f.UncompressedSize64)
		packed = addSaturating(packed, f.CompressedSize64)
		if f.UncompressedSize64 <= uint64(a.limits.MaxFileSize) {
			kept += f.UncompressedSize64
		}
		a.files[f.Name] = f
		a.Names = append(a.Names, f.Name)
	}
	slices.Sort(a.Names)
	if total > uint64(a.limits.MaxTotalSize) {
		rep.Problem("(archive)", "the files together are larger than the %d bytes allowed", a.limits.MaxTotalSize)
	}
	if kept > uint64(a.limits.MaxKeptSize) {
		rep.Problem("(archive)", "the files of up to %d MiB each are together larger than the %d MiB that Windlass keeps",
			a.limits.MaxFileSize>>20, a.limits.MaxKeptSize>>20)
	}
	if packed > uint64(size) {
		rep.Problem("(archive)", "the files overlap each other in the archive")
	}
	a.checkParents(rep)
}

func addSaturating(a, b uint64) uint64 {
	if a+b < a {
		return ^uint64(0)
	}
	return a + b
}

// badName tells why a name must not be used as a path, "" when it may.
func badName(name string) string {
	const longest = 1024
	trimmed := strings.TrimSuffix(name, "/")
	switch {
	case trimmed == "":
		return "is empty"
	case len(name) > longest:
		return fmt.Sprintf("is longer than %d bytes", longest)
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case strings.Contains(name, "\\"):
		return "has a backslash"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "has a control character"
	case strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':':
		return "is an absolute path"
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "leaves the package"
	case path.Clean(trimmed) != trimmed:
		return "is not a clean path (no \".\", no \"//\")"
	}
	return ""
}

// badEntry tells why an entry is refused, "" when it is taken.
func (a *Zip) badEntry(f *zip.File) string {
	switch {
	case f.Mode()&fs.ModeSymlink != 0:
		return "is a symbolic link"
	case !f.Mode().IsRegular():
		return "is neither a file nor a directory"
	case f.Flags&1 != 0:
		return "is encrypted"
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return fmt.Sprintf("is compressed by method %d; use deflate", f.Method)
	case f.UncompressedSize64 > uint64(a.limits.MaxTotalSize):
		return fmt.Sprintf("is larger than the %d bytes allowed", a.limits.MaxTotalSize)
	case f.UncompressedSize64 > 1<<20 && f.UncompressedSize64/uint64(a.limits.MaxRatio) > f.CompressedSize64:
		return fmt.Sprintf("unpacks to more than %d times its size", a.limits.MaxRatio)
	}
	return ""
}

// checkParents refuses a file that is also the directory of another.
func (a *Zip) checkParents(rep *document.Report) {
	for _, name := range a.Names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, file := a.files[dir]; file {
				rep.Problem(dir, "is both a file and the directory of %s", name)
			}
		}
	}
}

// Has tells whether the archive has a file of that name.
func (a *Zip) Has(name string) bool {
	_, ok := a.files[name]
	return ok
}

// Size is the size of a file of the archive, unpacked.
func (a *Zip) Size(name string) int64 { return int64(a.files[name].UncompressedSize64) }

// FilesIn lists the files whose path begins with dir + "/".
func (a *Zip) FilesIn(dir string) []string {
	from, _ := slices.BinarySearch(a.Names, dir+"/")
	to := from
	for to < len(a.Names) && strings.HasPrefix(a.Names[to], dir+"/") {
		to++
	}
	return a.Names[from:to]
}

// Read unpacks a file of at most limit bytes.
func (a *Zip) Read(name string, limit int64) ([]byte, error) {
	f, ok := a.files[name]
	if !ok {
		return nil, lcm.Errorf(lcm.KindInvalid, "the package has no file %s", name)
	}
	if f.UncompressedSize64 > uint64(limit) {
		return nil, lcm.Errorf(lcm.KindInvalid, "%s is larger than the %d bytes allowed", name, limit)
	}
	var out bytes.Buffer
	if err := a.copy(&out, name); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// copy unpacks a file to w; the zip reader checks its size and CRC.
func (a *Zip) copy(w io.Writer, name string) error {
	f := a.files[name]
	rc, err := f.Open()
	if err != nil {
		return lcm.Wrap(kindOfRead(err), err, "%s cannot be unpacked", name)
	}
	defer func() { _ = rc.Close() }()
	// One byte more than promised is enough to tell a file that lies about its size.
	n, err := io.Copy(w, io.LimitReader(rc, int64(f.UncompressedSize64)+1))
	if err != nil {
		return lcm.Wrap(kindOfRead(err), err, "%s cannot be unpacked: it is damaged", name)
	}
	if uint64(n) != f.UncompressedSize64 {
		return lcm.Errorf(lcm.KindInvalid, "%s cannot be unpacked: its size is not the size that the archive states",
			name)
	}
	return nil
}
