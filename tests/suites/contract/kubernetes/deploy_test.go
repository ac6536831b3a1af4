package kubernetes

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

const owner = "windlass-vnf-of-the-test"

// deploy calls the connector once, and returns the lines that the connector has shown.
func deploy(t *testing.T, c *kube.Connection, name, owner string, d kube.Definition) (shown []string, err error) {
	t.Helper()
	var mu sync.Mutex
	_, err = c.Deploy(t.Context(), vim.Deployment{
		Name: name, Owner: owner, Operation: "op", Definition: d, Timeout: time.Minute, Secrets: []string{"hunter2"},
	}, func(line string) {
		mu.Lock()
		defer mu.Unlock()
		shown = append(shown, line)
	})
	return shown, err
}

func TestDeploy_everyKindInItsOrder(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	d := kube.Definition{Objects: manifests(t, deployment("web", "httpd", 1)+`---
apiVersion: example.org/v1
kind: Widget
metadata: {name: small}
spec: {size: 1}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: b}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: authentication.k8s.io/v1
kind: TokenReview
metadata: {name: asked}
spec: {token: abc}
---
`+widgetKind+`---
apiVersion: v1
kind: Namespace
metadata: {name: curry}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store, namespace: curry}
spec:
  serviceName: store
  replicas: 2
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec: {containers: [{name: main, image: httpd}]}
---
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec: {containers: [{name: main, image: httpd}]}
`), Workloads: map[string]kube.Workload{
		"WEB": {Kind: "Deployment", Name: "web"}, "STORE": {Kind: "StatefulSet", Name: "store"}, "BARE": {Kind: "Pod", Name: "bare"},
	}}
	for range 2 {
		shown, err := deploy(t, c, "vnf-1", owner, d)
		require.NoError(t, err, strings.Join(shown, "\n"))
	}
	inv, err := c.Inventory(t.Context(), "vnf-1")
	require.NoError(t, err)
	vdus := map[string]int{}
	for _, r := range inv.OfKind(vim.Compute) {
		vdus[r.Name]++
		require.Equal(t, vim.Running, r.Level)
	}
	require.Equal(t, map[string]int{"WEB": 1, "STORE": 2, "BARE": 1}, vdus)

	// The heal makes objects again that somebody has deleted, and makes a bare Pod anew from its manifest.
	require.NoError(t, p.Client.CoreV1().ConfigMaps("default").Delete(t.Context(), "settings", metav1.DeleteOptions{}))
	var bare vim.Resource
	for _, r := range inv.OfKind(vim.Compute) {
		if r.Name == "BARE" {
			bare = r
		}
	}
	for range 2 {
		require.NoError(t, c.Change(t.Context(), vim.Change{
			Name: "vnf-1", Owner: owner, Operation: "heal", Replace: []vim.Resource{bare}, Timeout: time.Minute,
		}, func(string) {}))
	}
	_, err = p.Client.CoreV1().ConfigMaps("default").Get(t.Context(), "settings", metav1.GetOptions{})
	require.NoError(t, err)
	now, err := p.Client.CoreV1().Pods("default").Get(t.Context(), "bare", metav1.GetOptions{})
	require.NoError(t, err)
	require.NotEqual(t, bare.Part, string(now.UID))

	// The VNF has made the namespace, but the removal keeps it while it has an object of somebody else.
	_, err = p.Client.CoreV1().ConfigMaps("curry").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "theirs"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	_, err = p.Client.CoreV1().ConfigMaps("curry").Get(t.Context(), "theirs", metav1.GetOptions{})
	require.NoError(t, err)
	_, err = c.Inventory(t.Context(), "vnf-1")
	require.True(t, lcm.Is(err, lcm.KindNotFound), "%v", err)
	requireNothingOf(t, p, owner)
}

// requireNothingOf checks that no object has the owner's label.
func requireNothingOf(t *testing.T, p *kubetest.ControlPlane, owner string) {
	t.Helper()
	of := metav1.ListOptions{LabelSelector: "windlass.nfv/owner=" + owner}
	pods, err := p.Client.CoreV1().Pods("").List(t.Context(), of)
	require.NoError(t, err)
	require.Empty(t, pods.Items)
	secrets, err := p.Client.CoreV1().Secrets("").List(t.Context(), of)
	require.NoError(t, err)
	require.Empty(t, secrets.Items)
	deployments, err := p.Client.AppsV1().Deployments("").List(t.Context(), of)
	require.NoError(t, err)
	require.Empty(t, deployments.Items)
	claims, err := p.Client.CoreV1().PersistentVolumeClaims("").List(t.Context(), of)
	require.NoError(t, err)
	require.Empty(t, claims.Items)
}

func TestDeploy_refusesEverythingBeforeAnythingIsMade(t *testing.T) {
	p := start(t)
	_, err := p.Client.CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "theirs"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	c := p.Connect(t, "default")
	_, err = deploy(t, c, "vnf-2", owner, kube.Definition{Objects: manifests(t, deployment("fine", "httpd", 1)+`---
apiVersion: v1
kind: ConfigMap
metadata: {name: theirs}
---
apiVersion: v1
kind: Service
metadata: {name: bad}
spec: {ports: [{port: 99999}]}
`)})
	failed, ok := err.(*lcm.Error) //nolint:errorlint // the error itself
	require.True(t, ok, "%v", err)
	require.Len(t, failed.Problems, 2)
	require.Equal(t, "ConfigMap default/theirs", failed.Problems[0].Path)
	require.Equal(t, "Service default/bad", failed.Problems[1].Path)
	_, err = p.Client.AppsV1().Deployments("default").Get(t.Context(), "fine", metav1.GetOptions{})
	require.True(t, errors.IsNotFound(err), "nothing was made")

	_, err = deploy(t, c, "vnf-2", owner, kube.Definition{Objects: manifests(t, `
apiVersion: example.org/v1
kind: Gadget
metadata: {name: g}
`)})
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	requireNothingOf(t, p, owner)
}

func TestChange_leavesTheNumberOfPodsToAnAutoscaler(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	_, err := deploy(t, c, "vnf-4", owner, kube.Definition{
		Workloads: map[string]kube.Workload{"VDU": {Kind: "Deployment", Name: "web"}}, Replicas: map[string]int{"VDU": 4},
		Objects: manifests(t, deployment("web", "httpd", 3)+`---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 5
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]
`),
	})
	require.NoError(t, err)
	replicas := func() int32 {
		d, err := p.Client.AppsV1().Deployments("default").Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
		return *d.Spec.Replicas
	}
	require.Eventually(t, func() bool { return replicas() == 2 }, time.Minute, 200*time.Millisecond, "the autoscaler's least")
	require.NoError(t, c.Change(t.Context(), vim.Change{
		Name: "vnf-4", Owner: owner, Operation: "op-2", Definition: kube.Definition{Replicas: map[string]int{"VDU": 5}},
		Timeout: time.Minute,
	}, func(string) {}))
	require.EqualValues(t, 2, replicas())
	require.NoError(t, c.Remove(t.Context(), "vnf-4", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}

func TestDeploy_twoOfOnePackageInTwoNamespaces(t *testing.T) {
	p := start(t)
	var asked atomic.Int32
	worker := &kube.Connector{Wraps: []func(http.RoundTripper) http.RoundTripper{counting(&asked, "/apis")}}
	var c *kube.Connection
	for _, n := range []string{"one", "two"} {
		c = p.ConnectBy(t, worker, "default", kubetest.Token)
		d := kube.Definition{
			Objects:   manifests(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+n+"}\n"+deployment("web", "httpd", 1)),
			Namespace: n, Override: true, Workloads: map[string]kube.Workload{"VDU": {Kind: "Deployment", Name: "web"}},
		}
		shown, err := deploy(t, c, "vnf-"+n, "windlass-vnf-"+n, d)
		require.NoError(t, err, strings.Join(shown, "\n"))
	}
	require.NoError(t, c.Remove(t.Context(), "vnf-one", "windlass-vnf-one", func(string) {}))
	inv, err := c.Inventory(t.Context(), "vnf-two")
	require.NoError(t, err)
	require.Len(t, inv.OfKind(vim.Compute), 1)
	_, err = p.Client.CoreV1().Namespaces().Get(t.Context(), "one", metav1.GetOptions{})
	require.True(t, errors.IsNotFound(err), "it was the VNF's own")
	require.NoError(t, c.Remove(t.Context(), "vnf-two", "windlass-vnf-two", func(string) {}))
	require.EqualValues(t, 1, asked.Load(), "the cluster is asked for its kinds once")
	removesAfterAnotherWorker(t, p, c)
}

// counting counts the requests with that path.
func counting(calls *atomic.Int32, path string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == path {
				calls.Add(1)
			}
			return next.RoundTrip(r)
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// removesAfterAnotherWorker removes with c what another worker has deployed: a CustomResourceDefinition that c has not
// seen yet. Somebody else has an object of that kind, so the kind stays.
func removesAfterAnotherWorker(t *testing.T, p *kubetest.ControlPlane, c *kube.Connection) {
	t.Helper()
	_, err := deploy(t, p.Connect(t, "default"), "vnf-widget", owner, kube.Definition{Objects: manifests(t, widgetKind)})
	require.NoError(t, err)
	const widgets = "/apis/example.org/v1/namespaces/default/widgets"
	client := p.Client.Discovery().RESTClient()
	require.NoError(t, client.Post().AbsPath(widgets).SetHeader("Content-Type", "application/yaml").
		Body([]byte("apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: theirs}\n")).Do(t.Context()).Error())
	require.NoError(t, c.Remove(t.Context(), "vnf-widget", owner, func(string) {}))
	require.NoError(t, client.Get().AbsPath(widgets, "theirs").Do(t.Context()).Error(), "it is there, and so is its kind")
}

const widgetKind = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

func TestDeploy_goesOnWhenTheAPIServerIsKilled(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	done := make(chan error, 1)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	began := make(chan struct{})
	var once sync.Once
	go func() {
		_, err := c.Deploy(ctx, vim.Deployment{
			Name: "vnf-3", Owner: owner, Operation: "op", Timeout: 2 * time.Minute,
			Definition: kube.Definition{Objects: manifests(t, deployment("slow", "slow:1", 3))},
		}, func(string) { once.Do(func() { close(began) }) })
		done <- err
	}()
	<-began
	p.Kill(t)
	err := <-done
	if err != nil { // the activity repeats a call that the kill has interrupted
		require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
		p.Await(t)
		_, err = deploy(t, c, "vnf-3", owner, kube.Definition{Objects: manifests(t, deployment("slow", "slow:1", 3))})
	}
	require.NoError(t, err)
}
