// Package kubetest runs a real control plane of Kubernetes for tests: etcd, API server, controllers and scheduler, but
// no node; or, without root, an API server in memory. A kubelet without containers reports states of Pods that tests
// choose.
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
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/internal/freeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

// Token and OtherToken are bearer tokens that a cluster accepts until the test ends.
const (
	Token      = "the-token-of-the-test"
	OtherToken = "another-token-of-the-test"
)

// ControlPlane is a running Kubernetes.
type ControlPlane struct {
	// URL and CA belong to its API server.
	URL, CA string
	Client  kubernetes.Interface
	Kubelet *Kubelet
	// Programs is the directory with the programs of Kubernetes, among them kubectl; Kubeconfig is a file for kubectl.
	Programs, Kubeconfig string

	dir       string
	etcd      string
	port      int
	apiserver *program
	programs  []*program
	endLife   context.CancelFunc
}

// Start runs a control plane until the test ends. Its programs come from the lab's node image, which Start builds if it
// is missing; that needs root.
func Start(t testing.TB) *ControlPlane {
	t.Helper()
	images := image.Options{Dir: image.DefaultDir}
	if dir := os.Getenv("WINDLASS_LAB_IMAGE_DIR"); dir != "" {
		images.Dir = dir
	}
	if _, ok := image.Find(images); !ok && os.Geteuid() != 0 {
		t.Skipf("not run: there is no node image of this source in %s, in which the programs of Kubernetes are, and "+
			"building it needs root", images.Dir)
	}
	dir := t.TempDir()
	p, err := New(t.Context(), dir, images)
	t.Cleanup(func() {
		p.Close()
		if t.Failed() {
			p.showLogs(t)
		}
	})
	require.NoError(t, err)
	return p
}

// New runs a control plane with its files in the directory. The caller must close it, also when New returns an error.
func New(ctx context.Context, dir string, images image.Options) (*ControlPlane, error) {
	p := &ControlPlane{dir: dir, Kubeconfig: filepath.Join(dir, "kubeconfig"), endLife: func() {}}
	img, err := image.Ensure(ctx, images)
	if err != nil {
		return p, err
	}
	p.Programs = img.Programs
	var ports []int
	for range 3 {
		port, err := freeport.Find(ctx, "127.0.0.1")
		if err != nil {
			return p, err
		}
		ports = append(ports, port)
	}
	p.etcd, p.port = fmt.Sprintf("http://127.0.0.1:%d", ports[0]), ports[1]
	p.URL = fmt.Sprintf("https://127.0.0.1:%d", p.port)
	if err := p.files(); err != nil {
		return p, err
	}
	if _, err := p.run(filepath.Join(img.Etcd, "etcd"), "--data-dir", filepath.Join(p.dir, "etcd"),
		"--listen-client-urls", p.etcd, "--advertise-client-urls", p.etcd, "--unsafe-no-fsync",
		"--listen-peer-urls", fmt.Sprintf("http://127.0.0.1:%d", ports[2]), "--log-level", "error"); err != nil {
		return p, err
	}
	if err := p.startAPIServer(); err != nil {
		return p, err
	}
	if err := p.await(ctx); err != nil {
		return p, err
	}
	return p, p.complete(ctx)
}

// complete starts the controllers and the scheduler, which work on the API server's objects.
func (p *ControlPlane) complete(ctx context.Context) error {
	for name, more := range map[string][]string{
		// The node reports only once that it is ready. Usually, after 50 s without a report of a node, controllers
		// would keep Pods from it.
		"kube-controller-manager": {"--node-monitor-grace-period=24h"},
		// Its queue may miss that a claim was bound; by default it looks at such a Pod again after five minutes.
		"kube-scheduler": {"--pod-max-in-unschedulable-pods-duration=5s"},
	} {
		// With the usual limits of 20 and 50 calls a second, the limits would determine the times that tests measure.
		args := append([]string{
			"--kubeconfig", p.Kubeconfig, "--leader-elect=false", "--secure-port=0",
			"--kube-api-qps=1000", "--kube-api-burst=1000",
		}, more...)
		if _, err := p.run(filepath.Join(p.Programs, name), args...); err != nil {
			return err
		}
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	p.Kubelet, p.endLife = &Kubelet{client: p.Client}, end
	if err := p.Kubelet.join(ctx, life); err != nil {
		return err
	}
	return until(ctx, "controllers make the account that Pods run as", func() bool {
		_, err := p.Client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
}

// Close ends all programs.
func (p *ControlPlane) Close() {
	p.endLife()
	for _, running := range p.programs {
		running.end()
	}
}

// until waits up to a minute until is returns true.
func until(ctx context.Context, what string, is func() bool) error {
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true,
		func(context.Context) (bool, error) { return is(), nil })
	if err != nil {
		return fmt.Errorf("waited until %s: %w", what, err)
	}
	return nil
}

// files writes the API server's files: its keys, and the accounts with their rights.
func (p *ControlPlane) files() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"sa.key":     string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})),
		"tokens.csv": Token + ",admin,1,system:masters\n" + OtherToken + ",other,2,system:masters\n",
		"kubeconfig": fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: %s}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`, p.URL, Token),
	} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (p *ControlPlane) startAPIServer() (err error) {
	key := filepath.Join(p.dir, "sa.key")
	p.apiserver, err = p.run(filepath.Join(p.Programs, "kube-apiserver"), "--etcd-servers", p.etcd,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", p.port),
		"--cert-dir", filepath.Join(p.dir, "certs"), "--token-auth-file", filepath.Join(p.dir, "tokens.csv"),
		"--service-account-key-file", key, "--service-account-signing-key-file", key,
		"--service-account-issuer=https://kubernetes.default", "--authorization-mode=RBAC",
		"--service-cluster-ip-range=10.96.0.0/16", "--allow-privileged=true") // as kubeadm sets it
	return err
}

// Kill kills the API server and starts it again.
func (p *ControlPlane) Kill(t testing.TB) {
	t.Helper()
	p.apiserver.end()
	require.NoError(t, p.startAPIServer())
}

// Restart does the same as Kill, and waits until the API server answers. It may be called outside of the test's
// goroutine.
func (p *ControlPlane) Restart(ctx context.Context) error {
	p.apiserver.end()
	if err := p.startAPIServer(); err != nil {
		return err
	}
	client := p.Client.Discovery().RESTClient()
	return until(ctx, "the API server answers", func() bool {
		status := 0
		client.Get().AbsPath("/readyz").Do(ctx).StatusCode(&status)
		return status == http.StatusOK
	})
}

// Await waits for the API server, and reads its certificate.
func (p *ControlPlane) Await(t testing.TB) {
	t.Helper()
	require.NoError(t, p.await(t.Context()))
}

func (p *ControlPlane) await(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: p.URL, BearerToken: Token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{Insecure: true},
	})
	if err != nil {
		return err
	}
	p.Client = client
	if err := until(ctx, "the API server answers", func() bool {
		status := 0
		client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).StatusCode(&status)
		return status == http.StatusOK
	}); err != nil {
		return err
	}
	ca, err := os.ReadFile(filepath.Join(p.dir, "certs", "apiserver.crt"))
	p.CA = string(ca)
	return err
}

// Connect connects to a namespace with Windlass's connector.
func (p *ControlPlane) Connect(t testing.TB, namespace string) *kube.Connection {
	t.Helper()
	return p.ConnectAs(t, namespace, Token)
}

// ConnectAs is Connect with another token.
func (p *ControlPlane) ConnectAs(t testing.TB, namespace, token string) *kube.Connection {
	t.Helper()
	return p.ConnectBy(t, &kube.Connector{}, namespace, token)
}

// ConnectBy is ConnectAs with a Connector that several connections share, as in a worker.
func (p *ControlPlane) ConnectBy(t testing.TB, by *kube.Connector, namespace, token string) *kube.Connection {
	t.Helper()
	c, err := by.Connect(lcm.Vim{
		Name: "cluster", Type: lcm.VimKubernetes, AuthURL: p.URL, Project: map[string]any{"name": namespace},
	}, map[string]any{"bearer_token": token, "ssl_ca_cert": p.CA})
	require.NoError(t, err)
	return c
}

// Namespace returns a namespace with this name.
func Namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
