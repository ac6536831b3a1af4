package servertest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// SamplePackage builds the package of the sample cluster, once for all tests.
var SamplePackage = sync.OnceValues(func() ([]byte, error) {
	root, err := apitest.Root()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = vnfpkg.Build(filepath.Join(root, sampleCluster), &b)
	return b.Bytes(), err
})

// Folders of packages, below the root of the checkout.
const (
	sampleCluster = "vnfpkg/samples/k8s-ha"
	plainPackage  = "tests/programs/bench/server"
)

// inRepository returns a path below the root of the checkout, wherever the package of the test is.
func (b *Bench) inRepository(path string) string {
	b.Helper()
	root, err := apitest.Root()
	require.NoError(b, err)
	return filepath.Join(root, path)
}

// Onboard uploads the sample package and returns its id and its VNFD's id.
func (b *Bench) Onboard() (path, vnfdID string) {
	b.Helper()
	csar, err := SamplePackage()
	require.NoError(b, err)
	return b.upload(csar)
}

func (b *Bench) upload(csar []byte) (path, vnfdID string) {
	b.Helper()
	created := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	created.Want(http.StatusCreated)
	path = created.Path()
	b.Do("PUT", path+"/package_content", bytes.NewReader(csar), "Content-Type: application/zip").Want(http.StatusAccepted)
	return path, b.Do("GET", path, nil).Want(http.StatusOK)["vnfdId"].(string)
}

// OnboardDir onboards the package of this directory.
func (b *Bench) OnboardDir(dir string) (vnfdID string) {
	b.Helper()
	var csar bytes.Buffer
	require.NoError(b, vnfpkg.Build(dir, &csar))
	_, vnfdID = b.upload(csar.Bytes())
	return vnfdID
}

// OnboardWithCA uploads the sample package with the certificate of a CA, and with a file that is not a certificate.
func (b *Bench) OnboardWithCA() (vnfdID string) {
	b.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(b, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(b, err)
	dir := b.TempDir()
	require.NoError(b, os.CopyFS(dir, os.DirFS(b.inRepository(sampleCluster))))
	require.NoError(b, os.MkdirAll(filepath.Join(dir, "Files/registries"), 0o755))
	require.NoError(b, os.WriteFile(filepath.Join(dir, "Files/registries/ca.crt"),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(b, os.WriteFile(filepath.Join(dir, "Files/registries/none.txt"), []byte("none"), 0o600))
	return b.OnboardDir(dir)
}

// Sources accept every URI except one.
type Sources struct{}

// Check is a method of vnfpkgm.Sources.
func (Sources) Check(uri string) error {
	if uri == "http://169.254.169.254/latest" {
		return lcm.Errorf(lcm.KindInvalid, "must not lead there")
	}
	return nil
}
