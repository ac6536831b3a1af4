package archive_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/smallstep/pkcs7"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// signer is a signer with a certificate from an authority.
type signer struct {
	cert    *x509.Certificate
	key     *ecdsa.PrivateKey
	anchors *x509.CertPool
}

func newSigner(t *testing.T) *signer {
	t.Helper()
	ca, caKey := certificate(t, "authority", nil, nil)
	cert, key := certificate(t, "vendor", ca, caKey)
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	return &signer{cert, key, pool}
}

func certificate(
	t *testing.T, name string, parent *x509.Certificate, parentKey *ecdsa.PrivateKey,
) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature,
	}
	if name != "vendor" { // a signer of packages must not sign certificates
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	}
	if parent == nil {
		parent, parentKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return cert, key
}

// sign returns the lines of a signature, which follow a manifest.
func (s *signer) sign(t *testing.T, text string, digest asn1.ObjectIdentifier, detached bool) string {
	t.Helper()
	data, err := pkcs7.NewSignedData([]byte(text))
	require.NoError(t, err)
	data.SetDigestAlgorithm(digest)
	require.NoError(t, data.AddSigner(s.cert, s.key, pkcs7.SignerInfoConfig{}))
	if detached {
		data.Detach()
	}
	der, err := data.Finish()
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CMS", Bytes: der}))
}

// withManifest adds an unsigned manifest with the digest of every file.
func withManifest(f vnfpkgtest.Files) (vnfpkgtest.Files, string) {
	meta := strings.Replace(
		f[archive.MetaFile], "Entry-Definitions:", "ETSI-Entry-Manifest: package.mf\nEntry-Definitions:", 1,
	)
	f = f.With(archive.MetaFile, meta)
	var b strings.Builder
	b.WriteString("metadata:\nvnf_product_name: x\n")
	for _, name := range slices.Sorted(maps.Keys(f)) {
		sum := sha256.Sum256([]byte(f[name]))
		fmt.Fprintf(&b, "\nSource: %s\nAlgorithm: SHA-256\nHash: %s\n", name, hex.EncodeToString(sum[:]))
	}
	return f, b.String()
}

func trusted(f vnfpkgtest.Files, trust archive.Trust) (*vnfpkg.Package, error) {
	data := f.Zip()
	return vnfpkg.Open(bytes.NewReader(data), int64(len(data)), vnfpkg.Options{Trust: trust})
}

func TestSignature_holdsHoweverLinesEnd(t *testing.T) {
	s := newSigner(t)
	f, manifest := withManifest(vnfpkgtest.Minimal())
	for name, signed := range map[string]string{
		"as it is":                manifest,
		"with CR and LF":          strings.ReplaceAll(manifest, "\n", "\r\n"),
		"without the last line's": strings.TrimRight(manifest, "\n"),
	} {
		for _, detached := range []bool{true, false} {
			signature := s.sign(t, signed, pkcs7.OIDDigestAlgorithmSHA256, detached)
			p, err := trusted(f.With("package.mf", manifest+signature),
				archive.Trust{Anchors: s.anchors, Required: true})
			require.NoError(t, err, "%s, detached %v", name, detached)
			require.Empty(t, p.Warnings)
		}
	}
}

func TestSignature_thatDoesNotHoldIsRefused(t *testing.T) {
	s, other := newSigner(t), newSigner(t)
	f, manifest := withManifest(vnfpkgtest.Minimal())
	good := s.sign(t, manifest, pkcs7.OIDDigestAlgorithmSHA256, true)
	trust := archive.Trust{Anchors: s.anchors}
	for name, c := range map[string]struct {
		files vnfpkgtest.Files
		want  string
	}{
		"of another text": {
			f.With("package.mf", manifest+s.sign(t, "another", pkcs7.OIDDigestAlgorithmSHA256, true)),
			"its signature is not valid",
		},
		"of another embedded": {
			f.With("package.mf", manifest+s.sign(t, "another", pkcs7.OIDDigestAlgorithmSHA256, false)),
			"it signs another text",
		},
		"of a stranger": {f.With("package.mf",
			manifest+other.sign(t, manifest, pkcs7.OIDDigestAlgorithmSHA256, true)), "its signature is not valid"},
		"of a weak digest": {
			f.With("package.mf", manifest+s.sign(t, manifest, pkcs7.OIDDigestAlgorithmSHA1, true)),
			"none of SHA-256",
		},
		"that is none": {
			f.With("package.mf", manifest+"-----BEGIN CMS-----\nx\n-----END CMS-----\n"),
			"not one PEM block",
		},
		"with something behind": {f.With("package.mf", manifest+good+"Source: more\n"), "not one PEM block"},
		"of fewer files": {
			f.With("package.mf", manifest+good).With("Scripts/evil.sh", "x"),
			"Scripts/evil.sh: is not covered by the signature",
		},
		"of more files": {
			f.With("package.mf", manifest+good).Without(vnfpkgtest.NestedHOT),
			`names "BaseHOT/small/nested/node.yaml", which the archive lacks: the file was removed`,
		},
		"of other contents": {f.With("package.mf", manifest+good).With(vnfpkgtest.NestedHOT,
			vnfpkgtest.MinimalNested+"\n"), "its SHA-256 digest is"},
	} {
		_, err := trusted(c.files, trust)
		require.Error(t, err, name)
		require.Contains(t, strings.Join(vnfpkgtest.Problems(t, err), "\n"), c.want, name)
	}
}

func TestSignature_isMissedWhereItIsRequiredOnly(t *testing.T) {
	s := newSigner(t)
	f, manifest := withManifest(vnfpkgtest.Minimal())
	unsigned := f.With("package.mf", manifest)
	_, err := trusted(unsigned, archive.Trust{Anchors: s.anchors})
	require.NoError(t, err)
	_, err = trusted(unsigned, archive.Trust{Anchors: s.anchors, Required: true})
	require.Contains(t, vnfpkgtest.Problems(t, err)[0], "the operator allows signed packages only")
	_, err = trusted(vnfpkgtest.Minimal(), archive.Trust{Anchors: s.anchors, Required: true})
	require.Contains(t, vnfpkgtest.Problems(t, err)[0], "the operator allows signed packages only")

	another := s.sign(t, "another", pkcs7.OIDDigestAlgorithmSHA256, true)
	p, err := trusted(f.With("package.mf", manifest+another), archive.Trust{})
	require.NoError(t, err)
	require.Equal(t, []string{"package.mf: the signature is not checked: no trust anchors are configured"},
		vnfpkgtest.Sentences(p.Warnings))
}

func TestSignature_mayHaveCertificatesBeside(t *testing.T) {
	root, rootKey := certificate(t, "root", nil, nil)
	between, betweenKey := certificate(t, "between", root, rootKey)
	cert, key := certificate(t, "vendor", between, betweenKey)
	s := &signer{cert: cert, key: key, anchors: x509.NewCertPool()}
	s.anchors.AddCert(root)
	f, manifest := withManifest(vnfpkgtest.Minimal())
	f = f.With("package.mf", manifest+s.sign(t, manifest, pkcs7.OIDDigestAlgorithmSHA384, true))
	trust := archive.Trust{Anchors: s.anchors, Required: true}
	_, err := trusted(f, trust)
	require.Error(t, err, "who is between the two is not known")
	for _, beside := range []string{
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: between.Raw})),
		string(between.Raw),
	} {
		_, err = trusted(f.With("package.cert", beside), trust)
		require.NoError(t, err)
	}
	_, err = trusted(f.With("package.cert", "no certificate"), trust)
	require.Contains(t, strings.Join(vnfpkgtest.Problems(t, err), "\n"), "package.cert: is no certificate")
}

func TestSignature_ofAnEnvelopeIsRefusedWithAdvice(t *testing.T) {
	_, err := trusted(vnfpkgtest.Files{"vnf.csar": "x", "vnf.cms": "y", "vnf.cert": "z"}, archive.Trust{})
	require.Len(t, vnfpkgtest.Problems(t, err), 1)
	require.Contains(t, vnfpkgtest.Problems(t, err)[0], "upload vnf.csar")
}
