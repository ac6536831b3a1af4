package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
)

// The versions of the Kubernetes packages.
const (
	pinnedVersion = "1.34.4-1.1"
	newerVersion  = "1.35.9-1.1"
)

// aptRepository is a flat APT repository that the test makes.
type aptRepository struct {
	dir, url string
	key      []byte // nil if the repository is not signed because there is no gpg
	otherKey []byte // it does not sign the repository
	requests atomic.Int32
}

func newAptRepository(t *testing.T, dir, host string, packages ...debianPackage) *aptRepository {
	t.Helper()
	r := &aptRepository{dir: filepath.Join(dir, "apt")}
	require.NoError(t, os.MkdirAll(r.dir, 0o755))
	var index bytes.Buffer
	for _, p := range packages {
		r.add(t, &index, p)
	}
	r.write(t, "Packages", index.Bytes())
	release := fmt.Sprintf("Date: %s\nSHA256:\n %x %d Packages\n", time.Now().UTC().Format(time.RFC1123),
		sha256.Sum256(index.Bytes()), index.Len())
	if _, err := exec.LookPath("gpg"); err == nil {
		r.sign(t, dir, []byte(release))
	} else {
		t.Log("gpg is not installed: the repository is trusted, and the case of a wrong key is not run.")
	}
	files := http.FileServer(http.Dir(r.dir))
	r.url = serve(t, host, func(w http.ResponseWriter, req *http.Request) {
		r.requests.Add(1)
		files.ServeHTTP(w, req)
	})
	return r
}

func (r *aptRepository) write(t *testing.T, name string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, name), content, 0o644))
}

// debianPackage is a package with one program.
type debianPackage struct {
	name, version, depends string
	program, service       string // files; service may be empty
	postinst               string // a script, or ""
}

// kubernetesPackages returns the packages of the image, and newer ones that a pinned installation must not use.
func kubernetesPackages(img image.Image) (list []debianPackage) {
	for _, name := range []string{"kubeadm", "kubelet", "kubectl"} {
		p := debianPackage{name: name, version: pinnedVersion, program: filepath.Join(img.Node, "usr/bin", name)}
		switch name {
		case "kubeadm":
			p.depends = "kubelet (>= 1.34.0)"
		case "kubelet":
			p.service = filepath.Join(img.Node, "etc/systemd/system/kubelet.service")
		}
		newer := p
		newer.version, newer.program, newer.service = newerVersion, "/bin/true", ""
		list = append(list, p, newer)
	}
	return list
}

// add builds a package with the layout of the upstream packages, and adds it to the index.
func (r *aptRepository) add(t *testing.T, index io.Writer, p debianPackage) {
	t.Helper()
	tree, file := filepath.Join(r.dir, "..", p.name+"-tree"), p.name+"_"+p.version+"_"+runtime.GOARCH+".deb"
	defer func() { require.NoError(t, os.RemoveAll(tree)) }()
	for _, d := range []string{"DEBIAN", "usr/bin", "usr/lib/systemd/system"} {
		require.NoError(t, os.MkdirAll(filepath.Join(tree, d), 0o755))
	}
	link(t, p.program, filepath.Join(tree, "usr/bin", p.name))
	if p.service != "" {
		link(t, p.service, filepath.Join(tree, "usr/lib/systemd/system", p.name+".service"))
	}
	if p.postinst != "" {
		require.NoError(t, os.WriteFile(filepath.Join(tree, "DEBIAN/postinst"), []byte(p.postinst), 0o755))
	}
	control := fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: Windlass's tests "+
		"<tests@windlass.example>\n", p.name, p.version, runtime.GOARCH)
	if p.depends != "" {
		control += "Depends: " + p.depends + "\n"
	}
	control += "Description: " + p.name + " of the lab's image\n"
	require.NoError(t, os.WriteFile(filepath.Join(tree, "DEBIAN/control"), []byte(control), 0o644))
	deb := filepath.Join(r.dir, file)
	// The package is not compressed: it only crosses a bridge of this host.
	tool(t, nil, nil, "dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, deb)
	in, err := os.Open(deb)
	require.NoError(t, err)
	defer in.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, in)
	require.NoError(t, err)
	fmt.Fprintf(index, "%sFilename: ./%s\nSize: %d\nSHA256: %x\n\n", control, file, size, sum.Sum(nil))
}

// link makes a hard link, or a copy if a link is impossible.
func link(t *testing.T, from, to string) {
	t.Helper()
	if os.Link(from, to) == nil {
		return
	}
	in, err := os.ReadFile(from)
	require.NoError(t, err)
	info, err := os.Stat(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, in, info.Mode().Perm()))
}

// sign makes two keys, and signs with the first one.
func (r *aptRepository) sign(t *testing.T, dir string, release []byte) {
	t.Helper()
	home := filepath.Join(dir, "gpg")
	require.NoError(t, os.Mkdir(home, 0o700))
	env := append(os.Environ(), "GNUPGHOME="+home)
	t.Cleanup(func() { _ = exec.Command("gpgconf", "--homedir", home, "--kill", "all").Run() })
	for _, who := range []string{"repository", "somebody"} {
		tool(t, env, nil, "gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", who, "ed25519", "sign", "1d")
	}
	r.key = tool(t, env, nil, "gpg", "--armor", "--export", "repository")
	r.otherKey = tool(t, env, nil, "gpg", "--armor", "--export", "somebody")
	r.write(t, "InRelease", tool(t, env, release, "gpg", "--batch", "--quiet", "--passphrase", "", "--local-user",
		"repository", "--clearsign"))
}

func tool(t *testing.T, env []string, in []byte, name string, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, bytes.NewReader(in), &out, &errs
	require.NoError(t, cmd.Run(), "%s: %s", name, errs.String())
	return out.Bytes()
}

// serve serves on a free port of the host until the test ends, and returns the URL.
func serve(t *testing.T, host string, handle http.HandlerFunc) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort(host, "0"))
	require.NoError(t, err)
	server := &http.Server{Handler: handle, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String()
}

// httpProxy is a proxy for one user. It counts the requests that it forwards.
type httpProxy struct {
	url      string // without the user
	requests atomic.Int32
}

func newHTTPProxy(t *testing.T, host, user, password string) *httpProxy {
	t.Helper()
	p := &httpProxy{}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.Header.Del("Proxy-Authorization") }}
	p.url = serve(t, host, func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Proxy-Authorization") != want {
			w.Header().Set("Proxy-Authenticate", `Basic realm="lab"`)
			http.Error(w, "who are you?", http.StatusProxyAuthRequired)
			return
		}
		p.requests.Add(1)
		forward.ServeHTTP(w, req)
	})
	return p
}

// as returns the proxy's URL with a user.
func (p *httpProxy) as(user, password string) string {
	return strings.Replace(p.url, "http://", "http://"+user+":"+password+"@", 1)
}
