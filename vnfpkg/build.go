package vnfpkg

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// buildTime is the time of every file in an archive. It is the earliest time in the zip format; a fixed time makes the
// archive of the same sources identical.
var buildTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// contentTypes are the media types by extension. Build writes them into TOSCA.meta where the author named none.
var contentTypes = map[string]string{
	".yaml": "application/yaml", ".yml": "application/yaml", ".json": "application/json", ".sh": "application/x-sh",
	".py": "text/x-python", ".txt": "text/plain", ".md": "text/markdown", ".mf": "text/plain", ".tgz": "application/gzip",
	".qcow2": "application/octet-stream", ".img": "application/octet-stream",
}

// Build makes a CSAR of a directory: its files in order, and a TOSCA.meta with a block and SHA-256 digest for each. It
// leaves out names that begin with a dot. It writes the archive to w only after Open accepts it.
func Build(dir string, w io.Writer) error { return BuildFS(os.DirFS(dir), w) }

// BuildFS is Build for any file system.
func BuildFS(fsys fs.FS, w io.Writer) error {
	names, err := packageFiles(fsys)
	if err != nil {
		return err
	}
	// A file and not a buffer, because packages may carry images.
	tmp, err := os.CreateTemp("", "windlass-package-*.zip")
	if err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "no temporary file could be made for the package")
	}
	defer func() {
		_ = tmp.Close()
		_ = os.Remove(tmp.Name())
	}()
	if err := writeArchive(fsys, names, tmp); err != nil {
		return err
	}
	size, err := tmp.Seek(0, io.SeekEnd)
	if err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "the package could not be written")
	}
	if _, err := Open(tmp, size, Options{}); err != nil {
		return err
	}
	if _, err := io.Copy(w, io.NewSectionReader(tmp, 0, size)); err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "the package could not be written")
	}
	return nil
}

// packageFiles lists the files of a package's sources, sorted, without TOSCA.meta.
func packageFiles(fsys fs.FS) ([]string, error) {
	var names []string
	var problems []lcm.Problem
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular():
			problems = append(problems, lcm.Problem{Path: name, Detail: "is not a plain file"})
		case name != archive.MetaFile:
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "the sources of the package could not be read")
	}
	slices.Sort(names)
	return names, lcm.InvalidAll("the package cannot be built", problems)
}

func writeArchive(fsys fs.FS, names []string, w io.Writer) error {
	meta, err := buildMeta(fsys, names)
	if err != nil {
		return err
	}
	zw := zip.NewWriter(w)
	// TOSCA.meta comes first, so that a reader of the stream meets it at once.
	if err := addFile(zw, archive.MetaFile, bytes.NewReader(meta)); err != nil {
		return err
	}
	for _, name := range names {
		f, err := fsys.Open(name)
		if err != nil {
			return lcm.Wrap(lcm.KindInvalid, err, "%s could not be read", name)
		}
		err = addFile(zw, name, f)
		_ = f.Close()
		if err != nil {
			return err
		}
	}
	if err := zw.Close(); err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "the package could not be written")
	}
	return nil
}

func addFile(zw *zip.Writer, name string, r io.Reader) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: buildTime}
	header.SetMode(0o644)
	f, err := zw.CreateHeader(header)
	if err == nil {
		_, err = io.Copy(f, r)
	}
	if err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "%s could not be packed", name)
	}
	return nil
}

// buildMeta writes a new TOSCA.meta: the author's header, and a block for each file.
func buildMeta(fsys fs.FS, names []string) ([]byte, error) {
	source, err := fs.ReadFile(fsys, archive.MetaFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lcm.Errorf(lcm.KindInvalid, "the sources of the package have no %s", archive.MetaFile)
	} else if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "%s could not be read", archive.MetaFile)
	}
	rep := &document.Report{}
	types := map[string]string{}
	for _, b := range archive.ParseBlocks(archive.MetaFile, source, rep) {
		if name := b.Get("name"); name != "" {
			types[name] = b.Get("content-type")
			if !slices.Contains(names, name) {
				rep.Problem(b.Place(), "names %s, which does not exist", document.Quote(name))
			}
		}
	}
	if err := rep.Err("the package cannot be built"); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	head, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(string(source), "\r\n", "\n")), "\n\n")
	out.WriteString(head + "\n")
	for _, name := range names {
		if err := writeBlock(&out, fsys, name, types[name]); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

func writeBlock(out *bytes.Buffer, fsys fs.FS, name, contentType string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "%s could not be read", name)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "%s could not be read", name)
	}
	if contentType == "" {
		contentType = cmp.Or(contentTypes[strings.ToLower(path.Ext(name))], "application/octet-stream")
	}
	fmt.Fprintf(out, "\nName: %s\nContent-Type: %s\nAlgorithm: SHA-256\nHash: %s\n", name, contentType,
		hex.EncodeToString(h.Sum(nil)))
	return nil
}
