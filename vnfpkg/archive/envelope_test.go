package archive_test

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"io"
	"strings"
	"testing"

	"github.com/smallstep/pkcs7"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func openEnvelope(t *testing.T, f vnfpkgtest.Files) (*archive.Envelope, error) {
	t.Helper()
	data := f.Zip()
	return archive.OpenEnvelope(bytes.NewReader(data), int64(len(data)), archive.Limits{})
}

func TestEnvelope_holdsAPackageWhoseSignatureHolds(t *testing.T) {
	s := newSigner(t)
	inner := string(vnfpkgtest.Minimal().Zip())
	for _, digest := range []asn1.ObjectIdentifier{
		pkcs7.OIDDigestAlgorithmSHA256, pkcs7.OIDDigestAlgorithmSHA384, pkcs7.OIDDigestAlgorithmSHA512,
	} {
		signature := s.sign(t, inner, digest, true)
		block, _ := pem.Decode([]byte(signature))
		for name, f := range map[string]vnfpkgtest.Files{
			"PEM":         {"vnf.csar": inner, "vnf.cms": signature, "README.md": "x"},
			"DER":         {"vnf.zip": inner, "vnf.p7s": string(block.Bytes)},
			"of the name": {"vnf.csar": inner, "vnf.csar.cms": signature, "a.cms": "another"},
			"with its cert": {
				"vnf.csar": inner, "vnf.cms": signature,
				"vnf.cert": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.cert.Raw})),
			},
		} {
			e, err := openEnvelope(t, f)
			require.NoError(t, err)
			warnings, err := e.Verify(archive.Trust{Anchors: s.anchors, Required: true})
			require.NoError(t, err, name)
			require.Empty(t, warnings)
			r, err := e.Open()
			require.NoError(t, err)
			got, err := io.ReadAll(r)
			require.NoError(t, err)
			require.NoError(t, r.Close())
			require.Equal(t, inner, string(got))
			require.EqualValues(t, len(inner), e.Size)
		}
	}
}

func TestEnvelope_whoseSignatureDoesNotHoldIsRefused(t *testing.T) {
	s, other := newSigner(t), newSigner(t)
	inner := string(vnfpkgtest.Minimal().Zip())
	good := s.sign(t, inner, pkcs7.OIDDigestAlgorithmSHA256, true)
	for name, c := range map[string]struct{ signature, want string }{
		"of another package": {
			s.sign(t, inner+"x", pkcs7.OIDDigestAlgorithmSHA256, true),
			"vnf.cms: its signature of vnf.csar is not valid",
		},
		"of a stranger": {other.sign(t, inner, pkcs7.OIDDigestAlgorithmSHA256, true), "is not valid"},
		"of a weak digest": {
			s.sign(t, inner, pkcs7.OIDDigestAlgorithmSHA1, true),
			"none of SHA-256, SHA-384 and SHA-512",
		},
		"with the package": {s.sign(t, inner, pkcs7.OIDDigestAlgorithmSHA256, false), "it must be detached"},
		"that is none":     {"x", "it is no CMS signature"},
		"that is a key": {
			"-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n",
			"not one PEM block of type CMS",
		},
		"with something after": {good + "x", "not one PEM block of type CMS"},
	} {
		e, err := openEnvelope(t, vnfpkgtest.Files{"vnf.csar": inner, "vnf.cms": c.signature})
		require.NoError(t, err, name)
		_, err = e.Verify(archive.Trust{Anchors: s.anchors})
		require.Error(t, err, name)
		require.Contains(t, strings.Join(vnfpkgtest.Problems(t, err), "\n"), c.want, name)
	}
	e, err := openEnvelope(t, vnfpkgtest.Files{"vnf.csar": inner, "vnf.cms": good, "vnf.cert": "none"})
	require.NoError(t, err)
	_, err = e.Verify(archive.Trust{Anchors: s.anchors})
	require.Equal(t, []string{"vnf.cert: is no certificate"}, vnfpkgtest.Problems(t, err))
}

func TestEnvelope_isNotVerifiedWithoutAnchorsAndSaysSo(t *testing.T) {
	e, err := openEnvelope(t, vnfpkgtest.Files{"vnf.csar": "x", "vnf.cms": "y"})
	require.NoError(t, err)
	warnings, err := e.Verify(archive.Trust{})
	require.NoError(t, err)
	require.Equal(t, []string{"vnf.cms: the signature of the package is not checked: no trust anchors are configured"},
		vnfpkgtest.Sentences(warnings))
}

func TestOpenEnvelope_knowsWhatIsNone(t *testing.T) {
	for name, f := range map[string]vnfpkgtest.Files{
		"a package":                   vnfpkgtest.Minimal(),
		"a package that carries some": vnfpkgtest.Minimal().With("inner.csar", "x").With("inner.cms", "y"),
		"a package by its root":       {"top.yaml": "x", "inner.zip": "y", "top.cms": "z"},
		"an archive of another":       {"vnf.csar": "x"},
		"a signature alone":           {"vnf.cms": "x"},
		"below a directory":           {"a/vnf.csar": "x", "a/vnf.cms": "y"},
		"unsafe names":                {"../vnf.csar": "x", "vnf.cms": "y"},
	} {
		e, err := openEnvelope(t, f)
		require.NoError(t, err, name)
		require.Nil(t, e, name)
	}
	e, err := archive.OpenEnvelope(strings.NewReader("no archive"), 10, archive.Limits{})
	require.NoError(t, err)
	require.Nil(t, e)
	_, err = openEnvelope(t, vnfpkgtest.Files{"a.csar": "x", "b.csar": "y", "a.cms": "z"})
	require.True(t, lcm.Is(err, lcm.KindInvalid))
	require.ErrorContains(t, err, "several packages")
}

// anchorsOfNobody contain no authority.
var anchorsOfNobody = x509.NewCertPool()

func FuzzEnvelope(f *testing.F) {
	inner := string(vnfpkgtest.Minimal().Zip())
	f.Add(vnfpkgtest.Files{
		"vnf.csar": inner,
		"vnf.cms":  "-----BEGIN CMS-----\nMIAGCSqGSIb3DQEHAqCAMIACAQExAA==\n-----END CMS-----\n",
	}.Zip())
	f.Add(vnfpkgtest.Files{"vnf.csar": inner, "vnf.cms": "0\x80", "vnf.cert": "x"}.Zip())
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := archive.OpenEnvelope(bytes.NewReader(data), int64(len(data)), vnfpkgtest.FuzzLimits)
		if err != nil || e == nil {
			if err != nil {
				vnfpkgtest.RequireInvalid(t, err)
			}
			return
		}
		if _, err := e.Verify(archive.Trust{Anchors: anchorsOfNobody}); err != nil {
			vnfpkgtest.RequireInvalid(t, err)
		}
	})
}
