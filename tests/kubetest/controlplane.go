// Package kubetest runs a real control plane of Kubernetes for tests: etcd, API server, controllers and scheduler,
// without a node. A kubelet that has no containers says what it would say of them.
package kubetest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/internal/freeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	driver "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

// Token and OtherToken are bearer tokens of a cluster that lives as long as the test.
const (
	Token      = "the-token-of-the-test"
	OtherToken = "another-token-of-the-test"
)

// ControlPlane is a running Kubernetes.
type ControlPlane struct {
	// URL and CA are those of its API server.
	URL, CA string
	Client  kubernetes.Interface
	Kubelet *Kubelet

	dir       string
	programs  image.Image
	etcd      string
	apiserver *exec.Cmd
	port      int
}

// Start runs a control plane until the test ends. Its programs are those of
// the lab's node image, which is built when it is not there yet; that needs root.
func Start(t testing.TB) *ControlPlane {
	t.Helper()
	images := image.Options{Dir: image.DefaultDir}
	if dir := os.Getenv("WINDLASS_LAB_IMAGE_DIR"); dir != "" {
		images.Dir = dir
	}
	img, ok := image.Find(images)
	switch {
	case ok:
	case os.Geteuid() == 0:
		var err error
		img, err = image.Ensure(t.Context(), images)
		require.NoError(t, err)
	default:
		t.Skipf("not run: there is no node image of this source in %s, in which the programs of Kubernetes are, and "+
			"building it needs root", images.Dir)
	}
	p := &ControlPlane{dir: t.TempDir(), programs: img}
	var ports []int
	for range 3 {
		port, err := freeport.Find(t.Context(), "127.0.0.1")
		require.NoError(t, err)
		ports = append(ports, port)
	}
	p.etcd = fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	p.port = ports[1]
	p.run(t, filepath.Join(img.Etcd, "etcd"), "--data-dir", filepath.Join(p.dir, "etcd"),
		"--listen-client-urls", p.etcd, "--advertise-client-urls", p.etcd, "--unsafe-no-fsync",
		"--listen-peer-urls", fmt.Sprintf("http://127.0.0.1:%d", ports[2]), "--log-level", "error")
	p.files(t)
	p.startAPIServer(t)
	p.URL = fmt.Sprintf("https://127.0.0.1:%d", p.port)
	p.Await(t)
	for _, name := range []string{"kube-controller-manager", "kube-scheduler"} {
		p.run(t, filepath.Join(img.Programs, name), "--kubeconfig", filepath.Join(p.dir, "kubeconfig"), "--leader-elect=false",
			"--secure-port=0")
	}
	p.Kubelet = &Kubelet{client: p.Client}
	p.Kubelet.join(t)
	require.Eventually(t, func() bool {
		_, err := p.Client.CoreV1().ServiceAccounts("default").Get(t.Context(), "default", metav1.GetOptions{})
		return err == nil
	}, time.Minute, 100*time.Millisecond, "controllers make the account that Pods run as")
	return p
}

// files are the API server's: who may do what, and its keys.
func (p *ControlPlane) files(t testing.TB) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"sa.key":     string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})),
		"tokens.csv": Token + ",admin,1,system:masters\n" + OtherToken + ",other,2,system:masters\n",
		"kubeconfig": fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: %s}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`, p.port, Token),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600))
	}
}

func (p *ControlPlane) startAPIServer(t testing.TB) {
	t.Helper()
	key := filepath.Join(p.dir, "sa.key")
	p.apiserver = p.run(t, filepath.Join(p.programs.Programs, "kube-apiserver"), "--etcd-servers", p.etcd,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", p.port),
		"--cert-dir", filepath.Join(p.dir, "certs"), "--token-auth-file", filepath.Join(p.dir, "tokens.csv"),
		"--service-account-key-file", key, "--service-account-signing-key-file", key,
		"--service-account-issuer=https://kubernetes.default", "--authorization-mode=RBAC",
		"--service-cluster-ip-range=10.96.0.0/16")
}

// run starts a program, and ends it with the test.
func (p *ControlPlane) run(t testing.TB, program string, args ...string) *exec.Cmd {
	t.Helper()
	name := filepath.Base(program)
	log, err := os.OpenFile(filepath.Join(p.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
		if text, _ := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("%s: %s", name, text[max(0, len(text)-2000):])
		}
	})
	return cmd
}

// Kill ends the API server without warning, and starts it again.
func (p *ControlPlane) Kill(t testing.TB) {
	t.Helper()
	require.NoError(t, p.apiserver.Process.Signal(syscall.SIGKILL))
	_ = p.apiserver.Wait()
	p.startAPIServer(t)
}

// Await waits for the API server, and reads its certificate.
func (p *ControlPlane) Await(t testing.TB) {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: p.URL, BearerToken: Token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{Insecure: true},
	})
	require.NoError(t, err)
	p.Client = client
	require.Eventually(t, func() bool {
		status := 0
		client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(t.Context()).StatusCode(&status)
		return status == http.StatusOK
	}, time.Minute, 100*time.Millisecond, "the API server answers")
	ca, err := os.ReadFile(filepath.Join(p.dir, "certs", "apiserver.crt"))
	require.NoError(t, err)
	p.CA = string(ca)
}

// Connect makes the driver's connection to a namespace.
func (p *ControlPlane) Connect(t testing.TB, namespace string) *driver.Cluster {
	t.Helper()
	c, err := driver.Connect(context.WithoutCancel(t.Context()), lcm.Vim{
		Name: "cluster", Type: lcm.VimKubernetes, AuthURL: p.URL, Project: map[string]any{"name": namespace},
	}, map[string]any{"bearer_token": Token, "ssl_ca_cert": p.CA}, outbound.Guard{})
	require.NoError(t, err)
	return c
}

// Namespace is one of that name.
func Namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
