package e2e

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/require"
)

// imageStore is a registry on this host from which real machines pull.
type imageStore struct {
	host, server string // its address, and the beginning of its images' names
}

// newImageStore serves one image on an address of this host: over HTTP, or with a certificate over HTTPS. HTTPS
// requires the user of the tests.
func newImageStore(t *testing.T, host, hostname string, certificate *tls.Certificate) *imageStore {
	t.Helper()
	s := &imageStore{host: host}
	listener, err := net.Listen("tcp", net.JoinHostPort(s.host, "0"))
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	s.server = listener.Addr().String()
	images := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	handler, credentials := images, authn.Anonymous
	if certificate != nil {
		s.server, credentials = net.JoinHostPort(hostname, port), &authn.Basic{Username: "user01", Password: registryPassword}
		listener = tls.NewListener(listener, &tls.Config{
			Certificates: []tls.Certificate{*certificate},
			MinVersion:   tls.VersionTLS12,
		})
		handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if user, password, _ := req.BasicAuth(); user != "user01" || password != registryPassword {
				w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			images.ServeHTTP(w, req)
		})
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })

	to := pushing{address: net.JoinHostPort(s.host, port), plain: certificate == nil, as: credentials}
	require.NoError(t, to.push(t, s.image(), tinyImage(t)))
	return s
}

// pushing is how images are pushed to a registry.
type pushing struct {
	address string // of the registry, independent of its name
	plain   bool   // HTTP
	as      authn.Authenticator
}

func (p pushing) push(t *testing.T, image string, content v1.Image) error {
	t.Helper()
	options := []name.Option{}
	if p.plain {
		options = append(options, name.Insecure)
	}
	ref, err := name.ParseReference(image, options...)
	require.NoError(t, err)
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // it is our own; the nodes verify it
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, p.address)
		},
	}
	defer transport.CloseIdleConnections()
	return remote.Write(ref, content, remote.WithAuth(p.as), remote.WithTransport(transport),
		remote.WithContext(t.Context()))
}

func (s *imageStore) image() string { return s.server + "/lab/tiny:v1" }

// tinyImage returns an image with one program, which waits.
func tinyImage(t *testing.T) v1.Image {
	t.Helper()
	program := filepath.Join(t.TempDir(), "pause")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program,
		"github.com/windlass-nfv/windlass/deployments/lab/pause")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	content, err := os.ReadFile(program)
	require.NoError(t, err)
	return imageOf(t, map[string][]byte{"pause": content}, "/pause")
}

// imageOf returns an image with these programs and libraries, by their paths. It starts the entrypoint.
func imageOf(t *testing.T, files map[string][]byte, entrypoint ...string) v1.Image {
	t.Helper()
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: path, Mode: 0o755, Size: int64(len(files[path]))}))
		_, err := w.Write(files[path])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(layer.Bytes())),
			nil
	})
	require.NoError(t, err)
	img, err := mutate.AppendLayers(empty.Image, l)
	require.NoError(t, err)
	file, err := img.ConfigFile()
	require.NoError(t, err)
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Config.Entrypoint = "linux", runtime.GOARCH, entrypoint
	img, err = mutate.ConfigFile(img, file)
	require.NoError(t, err)
	return img
}
