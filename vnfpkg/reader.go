package vnfpkg

import (
	"errors"
	"io"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// packageReader reads the files of one package, and reports what is wrong with them.
type packageReader struct {
	*report
	zip    *archive
	limits Limits
	sums   map[string]string
	// yamlLeft is how many YAML values the rest of the package may have.
	yamlLeft int
	trust    Trust
	// signed is the manifest with a valid signature, "" for none. certificate is the path that TOSCA.meta names for the
	// signer's certificate.
	signed, certificate string
	// readErr is an error of the underlying reader, which is no problem of the package.
	readErr error
}

// openReader opens the archive of a package. Its report has what is wrong with the names and sizes of its files.
func openReader(r io.ReaderAt, size int64, limits Limits, trust Trust) (*packageReader, error) {
	limits = limits.withDefaults()
	rep := &report{}
	zip, err := openArchive(r, size, limits, rep)
	if err != nil {
		return nil, err
	}
	return &packageReader{
		zip: zip, limits: limits, trust: trust, report: rep, sums: map[string]string{},
		yamlLeft: maxPackageYAML * limits.YAML.MaxNodes,
	}, nil
}

// entry checks the metadata of the package, with its digests and its signature, and finds the entry definition; "" if
// there is none.
func (l *packageReader) entry() string {
	meta := l.readMetadata()
	l.checkDigests(meta)
	l.checkCoverage(meta)
	entry := meta.header.get("Entry-Definitions")
	switch {
	case meta.header.keys == nil:
		return ""
	case entry == "":
		l.problem(meta.header.place(), "does not name the entry definition (Entry-Definitions)")
	case !l.zip.has(entry):
		l.problem(meta.header.place(), "names the entry definition %s, which the archive lacks", quoteName(entry))
		return ""
	}
	return entry
}

// fail reports that a file cannot be unpacked, or records that the archive cannot be read.
func (l *packageReader) fail(name string, err error) {
	e, ok := errors.AsType[*lcm.Error](err)
	if ok && e.Kind != lcm.KindInvalid {
		l.readErr = err
		return
	}
	detail := err.Error()
	if ok {
		detail = e.Detail
	}
	l.problem(name, "%s", strings.TrimPrefix(detail, name+" "))
}

// yaml parses a file of the package. It reports a file that cannot be used, and returns nil.
func (l *packageReader) yaml(name string) *value {
	data, err := l.zip.read(name, l.limits.YAML.MaxSize)
	if err != nil {
		l.fail(name, err)
		return nil
	}
	limits := l.limits.YAML
	limits.MaxNodes = min(limits.MaxNodes, l.yamlLeft)
	root, err := parseYAML(name, data, limits)
	if err != nil {
		reportYAML(l.report, name, err)
		return nil
	}
	root.walk(func(*value) { l.yamlLeft-- })
	if !root.isMap() {
		l.problem(name, "is not a mapping")
		return nil
	}
	return root
}

// locate finds a file that the file `from` names. Tacker's packages name files relative to the package
// root (v1) or to the definition (v2), so both are tried.
func (l *packageReader) locate(from, ref string) (string, bool) {
	for _, base := range []string{from, ""} {
		if target, ok := resolvePath(base, ref); ok && l.zip.has(target) {
			return target, true
		}
	}
	return "", false
}
