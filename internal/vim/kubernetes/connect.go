package kubernetes

import (
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	appsv1 "k8s.io/client-go/kubernetes/typed/apps/v1"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// A Kubernetes is a VIM without servers to switch, ports to plug or volumes that go with servers.
var (
	_ vim.VIM      = (*Connection)(nil)
	_ vim.Disposer = (*Connection)(nil)
	_ vim.Halter   = (*Connection)(nil)
)

// longestAnswer is how long an API server may take to begin its answer: its webhooks may take half of that. A watch
// begins at once.
const longestAnswer = time.Minute

// Connection is a connection to a Kubernetes for VNFs.
type Connection struct {
	name      string // the VIM's, for sentences
	namespace string // of the VIM
	objects   dynamic.Interface
	// Not the full set of clients, which informers also link: it makes every process of Windlass 10 MiB larger.
	core  corev1.CoreV1Interface
	apps  appsv1.AppsV1Interface
	kinds *kinds
	clock *clock
}

// Connector makes connections to clusters. Connections to the same cluster with the same credentials share the API
// discovery. Its data is about ten times larger than everything else that is read for a small VNF.
type Connector struct {
	// Guard says where clusters may be.
	Guard outbound.Guard
	// Wraps are put around the transport of the calls.
	Wraps []func(http.RoundTripper) http.RoundTripper

	mu    sync.Mutex
	kinds map[[sha256.Size]byte]*kinds
}

// Connect makes a connection with the VIM's credentials, as Check does, but makes no call yet.
//
// Errors: Invalid for credentials that cannot be used.
func (c *Connector) Connect(to lcm.Vim, cred map[string]any) (*Connection, error) {
	config, err := configOf(to, cred, c.Wraps)
	if err != nil {
		return nil, err
	}
	conf, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, unusable(to, err)
	}
	config.QPS, config.Burst = -1, -1 // the API server limits requests itself
	transport := outbound.Transport(conf, c.Guard)
	transport.ResponseHeaderTimeout = longestAnswer
	wrapped, err := rest.HTTPWrappersForConfig(config, outbound.Limit(transport, theVim, c.Guard))
	if err != nil {
		return nil, unusable(to, err)
	}
	cluster := &Connection{name: to.Name, namespace: to.Namespace(), clock: &clock{next: wrapped}}
	client := &http.Client{Transport: cluster.clock, CheckRedirect: outbound.StayThere(theVim)}
	if cluster.objects, err = dynamic.NewForConfigAndClient(config, client); err != nil {
		return nil, unusable(to, err)
	}
	if cluster.core, err = corev1.NewForConfigAndClient(config, client); err != nil {
		return nil, unusable(to, err)
	}
	if cluster.apps, err = appsv1.NewForConfigAndClient(config, client); err != nil {
		return nil, unusable(to, err)
	}
	asks, err := discovery.NewDiscoveryClientForConfigAndClient(config, client)
	if err != nil {
		return nil, unusable(to, err)
	}
	if cluster.kinds, err = c.kindsOf(to, cred, asks); err != nil {
		return nil, unusable(to, err)
	}
	return cluster, nil
}
