package onboard_test

import (
	"archive/zip"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/smallstep/pkcs7"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/onboard"
	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
)

// enveloped returns the sample package in an envelope, and the certificate of its signer.
func enveloped(t *testing.T) (envelope, inner []byte, anchors *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "vendor"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	anchors = x509.NewCertPool()
	anchors.AddCert(cert)
	var sample bytes.Buffer
	require.NoError(t, vnfpkg.Build("../../vnfpkg/samples/k8s-ha", &sample))
	signed, err := pkcs7.NewSignedData(sample.Bytes())
	require.NoError(t, err)
	signed.SetDigestAlgorithm(pkcs7.OIDDigestAlgorithmSHA256)
	require.NoError(t, signed.AddSigner(cert, key, pkcs7.SignerInfoConfig{}))
	signed.Detach()
	cms, err := signed.Finish()
	require.NoError(t, err)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, data := range map[string][]byte{
		"k8s-ha.csar": sample.Bytes(),
		"k8s-ha.cms":  pem.EncodeToMemory(&pem.Block{Type: "CMS", Bytes: cms}),
	} {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes(), sample.Bytes(), anchors
}

// take onboards an uploaded archive.
func (b *bench) take(t *testing.T, trust archive.Trust, archive []byte) (lcm.VnfPkg, error) {
	t.Helper()
	id := lcm.VnfPkgID(uuid.NewString())
	require.NoError(t, b.Store.CreatePackage(lcm.InProject(t.Context(), lcm.DefaultProject),
		lcm.VnfPkg{ID: id, OnboardingState: lcm.PkgUploading, OperationalState: lcm.PkgDisabled}))
	pkg, err := b.Store.Package(t.Context(), id)
	require.NoError(t, err)
	o := &onboard.Onboarder{Store: b.Store, Trust: trust}
	taken := o.Take(t.Context(), &pkg, bytes.NewReader(archive))
	pkg, err = b.Store.Package(t.Context(), id)
	require.NoError(t, err)
	return pkg, taken
}

func TestTake_unwrapsAPackageFromItsEnvelope(t *testing.T) {
	b := newBench(t)
	envelope, inner, anchors := enveloped(t)
	pkg, err := b.take(t, archive.Trust{Anchors: anchors, Required: true}, envelope)
	require.NoError(t, err)
	require.Equal(t, lcm.PkgOnboarded, pkg.OnboardingState)
	require.Empty(t, pkg.Warnings)
	content, _, err := b.Store.PackageContent(t.Context(), pkg.ID)
	require.NoError(t, err)
	defer content.Close()
	got, err := io.ReadAll(content)
	require.NoError(t, err)
	require.Equal(t, inner, got, "the package is kept, not its envelope")
}

func TestTake_refusesAnEnvelopeOfAStranger(t *testing.T) {
	b := newBench(t)
	envelope, inner, _ := enveloped(t)
	_, _, others := enveloped(t)
	_, err := b.take(t, archive.Trust{Anchors: others}, envelope)
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	var e *lcm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "k8s-ha.cms", e.Problems[0].Path)
	_, err = b.take(t, archive.Trust{Anchors: others, Required: true}, inner)
	require.True(t, lcm.Is(err, lcm.KindInvalid), "a package without any signature: %v", err)

	pkg, err := b.take(t, archive.Trust{}, envelope)
	require.NoError(t, err)
	require.Equal(t, "k8s-ha.cms", pkg.Warnings[0].Path)
}
