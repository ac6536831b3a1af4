package archive

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/smallstep/pkcs7"
)

// Trust says which signers Windlass accepts.
type Trust struct {
	// Anchors are the certificate authorities of accepted signers; nil checks no signature.
	Anchors *x509.CertPool
	// Required refuses a package without a signature.
	Required bool
}

// beginSignature is the first line of a manifest's signature (SOL004 clause 5.3).
const beginSignature = "-----BEGIN CMS-----"

// splitSignature splits a manifest into its text and the signature at its end; the signature is nil if there is none.
func splitSignature(data []byte) (text, signature []byte) {
	at := bytes.Index(data, []byte(beginSignature))
	if at < 0 || at > 0 && data[at-1] != '\n' {
		return data, nil
	}
	return data[:at], data[at:]
}

// checkSignature verifies the signature of a manifest. The signature covers the package, because the manifest has the
// digests of its files. checkCoverage verifies later that the manifest names all files.
func (l *Reader) checkSignature(manifest string, text, signature []byte) {
	switch {
	case signature == nil:
	case l.trust.Anchors == nil:
		l.Warn(manifest, "the signature is not checked: no trust anchors are configured")
	default:
		if err := verify(text, signature, l.certificates(manifest), l.trust.Anchors); err != nil {
			l.Problem(manifest, "its signature is not valid: %s", strings.TrimPrefix(err.Error(), "pkcs7: "))
			return
		}
		l.signed = manifest
	}
}

// certificates are the certificates beside the manifest: the signature need not contain its own.
func (l *Reader) certificates(manifest string) (out []*x509.Certificate) {
	for _, name := range l.certificateFiles(manifest) {
		if !l.Zip.Has(name) {
			continue
		}
		data, err := l.Zip.Read(name, l.Limits.YAML.MaxSize)
		if err != nil {
			l.Fail(name, err)
			continue
		}
		found, err := parseCertificates(data)
		if err != nil {
			l.Problem(name, "is no certificate")
		}
		out = append(out, found...)
	}
	return out
}

// certificateFiles are the possible files of the signer's certificate: named by TOSCA.meta, or beside the manifest.
func (l *Reader) certificateFiles(manifest string) []string {
	names := []string{strings.TrimSuffix(manifest, path.Ext(manifest)) + ".cert"}
	if l.certificate != "" {
		names = append(names, l.certificate)
	}
	return names
}

func parseCertificates(data []byte) (out []*x509.Certificate, err error) {
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return out, err
		}
		out = append(out, cert)
	}
	if len(out) > 0 {
		return out, nil
	}
	return x509.ParseCertificates(data)
}

// strong are the digest algorithms that Windlass accepts in signatures.
var strong = []asn1.ObjectIdentifier{
	pkcs7.OIDDigestAlgorithmSHA256, pkcs7.OIDDigestAlgorithmSHA384,
	pkcs7.OIDDigestAlgorithmSHA512,
}

// verify checks that a signer with a certificate from one of the anchors has signed the text.
func verify(text, signature []byte, beside []*x509.Certificate, anchors *x509.CertPool) error {
	block, rest := pem.Decode(signature)
	if block == nil || block.Type != "CMS" || len(bytes.TrimSpace(rest)) > 0 {
		return errors.New("it is not one PEM block of type CMS at the manifest's end")
	}
	p7, err := pkcs7.Parse(block.Bytes)
	if err != nil {
		return errors.New("it is no CMS signature")
	}
	for _, signer := range p7.Signers {
		if !slices.ContainsFunc(strong, signer.DigestAlgorithm.Algorithm.Equal) {
			return errors.New("its digest is none of SHA-256, SHA-384 and SHA-512")
		}
	}
	p7.Certificates = append(p7.Certificates, beside...)
	carried := p7.Content
	for _, content := range spellings(text) {
		if len(carried) > 0 && !bytes.Equal(carried, content) {
			err = errors.New("it signs another text")
			continue
		}
		p7.Content = content
		if err = p7.VerifyWithChain(anchors); err == nil {
			return nil
		}
	}
	return err
}

// spellings are the variants of a text's line ends that signing tools use. OpenSSL, for example, signs text with CR and
// LF by default.
func spellings(text []byte) (out [][]byte) {
	unix := bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	bare := bytes.TrimRight(unix, "\n")
	for _, t := range [][]byte{text, unix, bare, append(slices.Clone(bare), '\n')} {
		out = append(out, t, bytes.ReplaceAll(bytes.ReplaceAll(t, []byte("\r\n"), []byte("\n")), []byte("\n"),
			[]byte("\r\n")))
	}
	return out
}

// checkCoverage checks that the signature covers every file, if the package is signed or must be.
func (l *Reader) checkCoverage(m metadata) {
	if l.signed == "" {
		if l.trust.Required {
			l.Problem("(archive)", "the manifest has no signature that Windlass can verify, and the operator "+
				"allows signed packages only")
		}
		return
	}
	covered := map[string]bool{l.signed: true}
	for _, name := range l.certificateFiles(l.signed) {
		covered[name] = true
	}
	for _, b := range m.named {
		if b.file == l.signed && b.Get("hash") != "" {
			covered[b.Get("name")] = true
		}
	}
	for _, name := range l.Zip.Names {
		if !covered[name] {
			l.Problem(name, "is not covered by the signature: the manifest %s has no digest of it", l.signed)
		}
	}
}
