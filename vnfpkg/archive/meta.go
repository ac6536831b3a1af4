package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto"
	_ "crypto/sha256" // registers the digests that packages name
	_ "crypto/sha512"
	"encoding/hex"
	"path"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// MetaFile is where a package has its metadata.
const MetaFile = "TOSCA-Metadata/TOSCA.meta"

// metadata is what TOSCA.meta and the manifest say about the package (SOL004 clause 4).
type metadata struct {
	header block
	// named are the files with a block of their own: Name in TOSCA.meta, Source in the manifest.
	named []block
}

// block is a run of "Key: value" lines up to a blank line, or to the next key that names a file.
type block struct {
	file string
	line int
	keys map[string]string
}

func (b block) Get(key string) string { return b.keys[strings.ToLower(key)] }

func (b block) Place() string { return b.file + ":" + strconv.Itoa(b.line) }

// ParseBlocks reads TOSCA.meta or a manifest. A line that begins with a space continues the line before; a line that
// begins with "#" is a comment. Some tools write no blank line between the entries of files.
func ParseBlocks(file string, data []byte, rep *document.Report) []block {
	var out []block
	var current *block
	last := ""
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimRight(lines.Text(), " \t\r")
		switch {
		case strings.HasPrefix(line, "-----BEGIN "):
			rep.Warn(file, "Windlass does not read the lines after %s", document.Quote(line))
			return out
		case line == "":
			current = nil
			continue
		case line[0] == '#':
			continue
		case current != nil && last != "" && (line[0] == ' ' || line[0] == '\t') && !strings.Contains(line, ": "):
			current.keys[last] += strings.TrimSpace(line)
			continue
		}
		key, text, ok := strings.Cut(line, ":")
		if !ok {
			rep.Problem(file+":"+strconv.Itoa(n), "is not of the form \"Key: value\"")
			continue
		}
		last = strings.ToLower(strings.TrimSpace(key))
		if current == nil || beginsEntry(last, current) {
			out = append(out, block{file: file, line: n, keys: map[string]string{}})
			current = &out[len(out)-1]
		}
		if _, twice := current.keys[last]; twice && ofDigest(last) {
			rep.Problem(file+":"+strconv.Itoa(n), "is a second %s for the same file", strings.TrimSpace(key))
			continue
		}
		current.keys[last] = strings.TrimSpace(text)
	}
	if lines.Err() != nil {
		rep.Problem(file, "has a line that is too long")
	}
	return out
}

// beginsEntry tells whether a key begins the entry of the next file. In a manifest, each Source does.
func beginsEntry(key string, current *block) bool {
	return key == "source" && len(current.keys) > 0 || key == "name" && current.Get("name") != ""
}

// ofDigest tells whether a key is of a file's digest: with two of them, one would be lost without a word.
func ofDigest(key string) bool { return key == "algorithm" || key == "hash" }

// readMetadata finds the entry definition and the digests: from TOSCA.meta (SOL004 option 1) or from the
// only YAML file in the root and its manifest (option 2).
func (l *Reader) readMetadata() metadata {
	if !l.Zip.Has(MetaFile) {
		return l.rootMetadata()
	}
	blocks, ok := l.blocks(MetaFile)
	if !ok {
		return metadata{}
	}
	if len(blocks) == 0 {
		l.Problem(MetaFile, "is empty")
		return metadata{}
	}
	m := metadata{header: blocks[0]}
	for _, b := range blocks[1:] {
		if b.Get("name") == "" {
			l.Problem(b.Place(), "the block does not name its file (Name)")
			continue
		}
		m.named = append(m.named, b)
	}
	// The names without ETSI are those of SOL004 up to version 2.5.1.
	l.certificate = cmp.Or(m.header.Get("ETSI-Entry-Certificate"), m.header.Get("Entry-Certificate"))
	if manifest := cmp.Or(m.header.Get("ETSI-Entry-Manifest"), m.header.Get("Entry-Manifest")); manifest != "" {
		m.named = append(m.named, l.manifest(m.header.Place(), manifest)...)
	}
	return m
}

func (l *Reader) rootMetadata() metadata {
	var entries []string
	for _, name := range l.Zip.Names {
		if path.Dir(name) == "." && document.IsYAML(name) {
			entries = append(entries, name)
		}
	}
	if inner := l.envelope(); inner != "" {
		l.Problem("(archive)", "is an envelope in an envelope: it holds the package %s and a signature of the "+
			"whole package; upload %s", inner, inner)
		return metadata{}
	}
	if len(entries) != 1 {
		l.Problem(MetaFile, "is missing: without it, the root of the archive must hold exactly one YAML file (it "+
			"holds %d)", len(entries))
		return metadata{}
	}
	m := metadata{header: block{file: entries[0], line: 1, keys: map[string]string{"entry-definitions": entries[0]}}}
	manifest := strings.TrimSuffix(entries[0], path.Ext(entries[0])) + ".mf"
	if l.Zip.Has(manifest) {
		m.named = l.manifest(manifest, manifest)
	} else {
		l.Warn(manifest, "the manifest is missing")
	}
	return m
}

// envelope is the name of the package in an archive that also holds its signature (SOL004 clause 5.1, option 2), "" for
// other archives. Callers that onboard packages unwrap envelopes first.
func (l *Reader) envelope() string {
	if inner := l.Zip.inRoot(".csar", ".zip"); len(inner) > 0 && len(l.Zip.inRoot(signatureTypes...)) > 0 {
		return inner[0]
	}
	return ""
}

func (l *Reader) manifest(place, name string) []block {
	if !l.Zip.Has(name) {
		l.Problem(place, "names the manifest %s, which the archive lacks", document.Quote(name))
		return nil
	}
	data, err := l.Zip.Read(name, l.Limits.YAML.MaxSize)
	if err != nil {
		l.Fail(name, err)
		return nil
	}
	text, signature := splitSignature(data)
	l.checkSignature(name, text, signature)
	var out []block
	for _, b := range ParseBlocks(name, text, l.Report) {
		if source := b.Get("source"); source != "" {
			b.keys["name"] = source
			out = append(out, b)
		}
	}
	return out
}

func (l *Reader) blocks(name string) ([]block, bool) {
	data, err := l.Zip.Read(name, l.Limits.YAML.MaxSize)
	if err != nil {
		l.Fail(name, err)
		return nil, false
	}
	return ParseBlocks(name, data, l.Report), true
}

// digests maps the names that packages use for digest algorithms, upper case and without "-".
var digests = map[string]crypto.Hash{
	"SHA224": crypto.SHA224, "SHA256": crypto.SHA256, "SHA384": crypto.SHA384, "SHA512": crypto.SHA512,
}

func digestAlgorithm(name string) (crypto.Hash, bool) {
	h, ok := digests[strings.ToUpper(strings.ReplaceAll(name, "-", ""))]
	return h, ok
}

// checkDigests compares the digests of files that are present. A named file that is absent is only a warning: built-in
// drivers replace scripts, and images may be in the VIM already. A file that a signed manifest names was there at the
// signing, so its absence is a problem.
func (l *Reader) checkDigests(m metadata) {
	for _, b := range m.named {
		name := b.Get("name")
		switch {
		case strings.Contains(name, "://"):
			l.Warn(b.Place(), "names %s, which is outside of the package and is not fetched", document.Quote(name))
		case !l.Zip.Has(name) && b.file == l.signed:
			l.Problem(b.Place(), "names %s, which the archive lacks: the file was removed from the package after "+
				"the manifest was signed", document.Quote(name))
		case !l.Zip.Has(name):
			l.Warn(b.Place(), "names %s, which the archive lacks", document.Quote(name))
		case b.Get("hash") == "" && b.Get("algorithm") == "":
		default:
			l.checkDigest(b, name)
		}
	}
}

func (l *Reader) checkDigest(b block, name string) {
	algorithm, ok := digestAlgorithm(b.Get("algorithm"))
	if !ok {
		l.Problem(b.Place(), "names the digest algorithm %s; Windlass knows SHA-224, SHA-256, SHA-384 and SHA-512",
			document.Quote(b.Get("algorithm")))
		return
	}
	sum, err := l.Digest(name, algorithm)
	if err != nil {
		l.Fail(name, err)
		return
	}
	if !strings.EqualFold(sum, b.Get("hash")) {
		l.Problem(name, "its %s digest is %s, but %s says %s", b.Get("algorithm"), sum, b.Place(),
			document.Quote(b.Get("hash")))
	}
}

// Digest reads each file once for each algorithm, however many blocks name it.
func (l *Reader) Digest(name string, algorithm crypto.Hash) (string, error) {
	key := algorithm.String() + " " + name
	if sum, ok := l.sums[key]; ok {
		return sum, nil
	}
	h := algorithm.New()
	if err := l.Zip.copy(h, name); err != nil {
		return "", err
	}
	l.sums[key] = hex.EncodeToString(h.Sum(nil))
	return l.sums[key], nil
}
