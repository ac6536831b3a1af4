package archive

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/smallstep/pkcs7"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// Envelope is an archive that holds a VNF package and a signature of the whole package (SOL004 clause 5.1, option 2).
type Envelope struct {
	// Package is the name of the package in it, and Size its size in bytes.
	Package string
	Size    int64

	zip       *Zip
	signature string
	limits    Limits
}

// signatureTypes are the extensions of CMS signatures.
var signatureTypes = []string{".cms", ".p7s", ".p7m", ".sm"}

// OpenEnvelope reads the content of an archive. It returns nil if the archive is no envelope: an envelope has a
// signature and exactly one archive in its root. Open reports other problems of an archive.
func OpenEnvelope(r io.ReaderAt, size int64, limits Limits) (*Envelope, error) {
	limits = limits.withDefaults()
	rep := &document.Report{}
	zip, err := openArchive(r, size, limits, rep)
	if lcm.Is(err, lcm.KindInvalid) || err == nil && (len(rep.Problems) > 0 || zip.Has(MetaFile)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e := &Envelope{zip: zip, limits: limits}
	packages, signatures := zip.inRoot(".csar", ".zip"), zip.inRoot(signatureTypes...)
	if len(packages) == 0 || len(signatures) == 0 || len(zip.inRoot(".yaml", ".yml")) > 0 {
		return nil, nil
	}
	if len(packages) > 1 {
		return nil, lcm.Errorf(lcm.KindInvalid,
			"the archive holds several packages beside a signature: %s; an envelope has one", strings.Join(packages, ", "))
	}
	e.Package, e.Size = packages[0], int64(zip.files[packages[0]].UncompressedSize64)
	e.signature = signatures[0]
	for _, name := range signatures { // the signature that is named like the package
		if stem(name) == stem(e.Package) || stem(name) == e.Package {
			e.signature = name
		}
	}
	return e, nil
}

func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// inRoot are the files of the archive's root with one of these extensions.
func (a *Zip) inRoot(types ...string) (out []string) {
	for _, name := range a.Names {
		if path.Dir(name) == "." && slices.Contains(types, strings.ToLower(path.Ext(name))) {
			out = append(out, name)
		}
	}
	return out
}

// Verify checks that the signer of the package has a certificate from one of the trust anchors. It reads the package
// once, in pieces. Without anchors it only warns.
func (e *Envelope) Verify(trust Trust) ([]lcm.Problem, error) {
	if trust.Anchors == nil {
		return []lcm.Problem{{
			Path:   e.signature,
			Detail: "the signature of the package is not checked: no trust anchors are configured",
		}}, nil
	}
	data, err := e.zip.Read(e.signature, e.limits.YAML.MaxSize)
	if err != nil {
		return nil, err
	}
	beside, err := e.certificates()
	if err != nil {
		return nil, err
	}
	err = verifyDigest(data, beside, trust.Anchors, func(h io.Writer) error { return e.zip.copy(h, e.Package) })
	if _, unread := errors.AsType[*lcm.Error](err); unread { // the archive could not be read, or is damaged
		return nil, err
	}
	if err != nil {
		return nil, lcm.InvalidAll("the VNF package cannot be used", []lcm.Problem{{
			Path: e.signature, Detail: "its signature of " + e.Package + " is not valid: " +
				strings.TrimPrefix(err.Error(), "pkcs7: "),
		}})
	}
	return nil, nil
}

// certificates are the certificates in the root of the envelope: the signature need not contain its own.
func (e *Envelope) certificates() (out []*x509.Certificate, err error) {
	for _, name := range e.zip.inRoot(".cert", ".crt", ".pem", ".cer") {
		data, err := e.zip.Read(name, e.limits.YAML.MaxSize)
		if err != nil {
			return nil, err
		}
		found, err := parseCertificates(data)
		if err != nil {
			return nil, lcm.InvalidAll("the VNF package cannot be used",
				[]lcm.Problem{{Path: name, Detail: "is no certificate"}})
		}
		out = append(out, found...)
	}
	return out, nil
}

// Open reads the package in the envelope, from its beginning.
func (e *Envelope) Open() (io.ReadCloser, error) {
	rc, err := e.zip.files[e.Package].Open()
	if err != nil {
		return nil, lcm.Wrap(kindOfRead(err), err, "%s cannot be unpacked", e.Package)
	}
	return rc, nil
}

// verifyDigest does what verify does, for content that is too large for memory. content writes the content once, to the
// hash functions.
func verifyDigest(
	signature []byte, beside []*x509.Certificate, anchors *x509.CertPool, content func(io.Writer) error,
) error {
	der := signature
	if block, rest := pem.Decode(signature); block != nil {
		if block.Type != "CMS" && block.Type != "PKCS7" || len(bytes.TrimSpace(rest)) > 0 {
			return errors.New("it is not one PEM block of type CMS")
		}
		der = block.Bytes
	}
	p7, err := parseCMS(der)
	if err != nil {
		return err
	}
	sums := &digester{}
	for _, signer := range p7.Signers {
		at := slices.IndexFunc(strong, signer.DigestAlgorithm.Algorithm.Equal)
		if at < 0 {
			return errors.New("its digest is none of SHA-256, SHA-384 and SHA-512")
		}
		if len(signer.AuthenticatedAttributes) == 0 {
			// The signature is then of the content itself, which would have to be in memory.
			return errors.New("it has no signed attributes (openssl cms -noattr)")
		}
		sums.algorithms = append(sums.algorithms, strongHashes[at])
	}
	if err := sums.read(content); err != nil {
		return err
	}
	p7.Certificates, p7.Hasher = append(p7.Certificates, beside...), sums
	return p7.VerifyWithChain(anchors)
}

// parseCMS reads a signature without content. The recover is a second safeguard, because the input comes from
// strangers.
func parseCMS(der []byte) (p7 *pkcs7.PKCS7, err error) {
	defer func() {
		if recover() != nil {
			p7, err = nil, errors.New("it is no CMS signature")
		}
	}()
	if p7, err = pkcs7.Parse(der); err != nil || len(p7.Signers) == 0 {
		return nil, errors.New("it is no CMS signature")
	}
	if len(p7.Content) > 0 {
		return nil, errors.New("it contains its own content: it must be detached")
	}
	return p7, nil
}

// strongHashes are the hash functions that strong accepts.
var strongHashes = []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512}

// digester stands for a content whose digests are known.
type digester struct {
	algorithms []crypto.Hash
	sums       map[crypto.Hash][]byte
}

func (d *digester) read(content func(io.Writer) error) error {
	slices.Sort(d.algorithms)
	d.algorithms = slices.Compact(d.algorithms)
	var all []io.Writer
	hashes := map[crypto.Hash]interface{ Sum([]byte) []byte }{}
	for _, algorithm := range d.algorithms {
		h := algorithm.New()
		hashes[algorithm], all = h, append(all, h)
	}
	if err := content(io.MultiWriter(all...)); err != nil {
		return err
	}
	d.sums = map[crypto.Hash][]byte{}
	for algorithm, h := range hashes {
		d.sums[algorithm] = h.Sum(nil)
	}
	return nil
}

// Hash implements pkcs7.Hasher.
func (d *digester) Hash(algorithm crypto.Hash, _ io.Reader) ([]byte, error) {
	sum, ok := d.sums[algorithm]
	if !ok {
		return nil, errors.New("its digest is none of SHA-256, SHA-384 and SHA-512")
	}
	return sum, nil
}
