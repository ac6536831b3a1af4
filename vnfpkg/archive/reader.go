package archive

import (
	"errors"
	"io"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// Reader reads the files of one package, and reports what is wrong with them.
type Reader struct {
	*document.Report
	Zip    *Zip
	Limits Limits
	sums   map[string]string
	// yamlLeft is how many YAML values the rest of the package may have.
	yamlLeft int
	trust    Trust
	// signed is the manifest with a valid signature, "" for none. certificate is the path that TOSCA.meta names for the
	// signer's certificate.
	signed, certificate string
	// readErr is an error of the underlying reader, which is no problem of the package.
	ReadErr error
}

// Open opens the archive of a package. Its report has what is wrong with the names and sizes of its files.
func Open(r io.ReaderAt, size int64, limits Limits, trust Trust) (*Reader, error) {
	limits = limits.withDefaults()
	rep := &document.Report{}
	zip, err := openArchive(r, size, limits, rep)
	if err != nil {
		return nil, err
	}
	return &Reader{
		Zip: zip, Limits: limits, trust: trust, Report: rep, sums: map[string]string{},
		yamlLeft: maxPackageYAML * limits.YAML.MaxNodes,
	}, nil
}

// Entry checks the metadata of the package, with its digests and its signature, and finds the entry definition; "" if
// there is none.
func (l *Reader) Entry() string {
	meta := l.readMetadata()
	l.checkDigests(meta)
	l.checkCoverage(meta)
	entry := meta.header.Get("Entry-Definitions")
	switch {
	case meta.header.keys == nil:
		return ""
	case entry == "":
		l.Problem(meta.header.Place(), "does not name the entry definition (Entry-Definitions)")
	case !l.Zip.Has(entry):
		l.Problem(meta.header.Place(), "names the entry definition %s, which the archive lacks", document.Quote(entry))
		return ""
	}
	return entry
}

// Fail reports that a file cannot be unpacked, or records that the archive cannot be read.
func (l *Reader) Fail(name string, err error) {
	e, ok := errors.AsType[*lcm.Error](err)
	if ok && e.Kind != lcm.KindInvalid {
		l.ReadErr = err
		return
	}
	detail := err.Error()
	if ok {
		detail = e.Detail
	}
	l.Problem(name, "%s", strings.TrimPrefix(detail, name+" "))
}

// YAML parses a file of the package. It reports a file that cannot be used, and returns nil.
func (l *Reader) YAML(name string) *document.Value {
	data, err := l.Zip.Read(name, l.Limits.YAML.MaxSize)
	if err != nil {
		l.Fail(name, err)
		return nil
	}
	limits := l.Limits.YAML
	limits.MaxNodes = min(limits.MaxNodes, l.yamlLeft)
	root, err := document.Parse(name, data, limits)
	if err != nil {
		l.Unreadable(name, err)
		return nil
	}
	root.Walk(func(*document.Value) { l.yamlLeft-- })
	if !root.IsMap() {
		l.Problem(name, "is not a mapping")
		return nil
	}
	return root
}

// Locate finds a file that the file `from` names. Tacker's packages name files relative to the package
// root (v1) or to the definition (v2), so both are tried.
func (l *Reader) Locate(from, ref string) (string, bool) {
	for _, base := range []string{from, ""} {
		if target, ok := document.ResolvePath(base, ref); ok && l.Zip.Has(target) {
			return target, true
		}
	}
	return "", false
}
