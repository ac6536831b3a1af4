package kubernetes

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// soon is the time within which the connector must return an error after the cluster has reported the trouble.
const soon = 10 * time.Second

// claim returns the manifest of a PersistentVolumeClaim, with more in its metadata and its spec.
func claim(name, metadata, spec string) string {
	return "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " + name + metadata + `}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}` + spec + "}\n"
}

type troubled struct {
	text string
	kind lcm.ErrorKind
	says []string
	// before prepares the namespace.
	before func(t *testing.T, p *kubetest.ControlPlane, namespace string)
}

func troubles() map[string]troubled {
	return map[string]troubled{
		"image": {
			text: deployment("broken", "broken:1", 1), kind: lcm.KindBroken,
			says: []string{"Pod test-image/broken-", "container main", "ImagePullBackOff", "Back-off pulling image broken:1"},
		},
		"crash": {
			text: deployment("crash", "crash:1", 1), kind: lcm.KindBroken,
			says: []string{
				"CrashLoopBackOff", "container main", "Last lines of the container: reading /etc/web.conf | panic: there is no",
			},
		},
		"configuration": {
			text: deployment("unset", "unset:1", 1), kind: lcm.KindBroken,
			says: []string{"CreateContainerConfigError", `configmap "none" not found`},
		},
		"big": {
			text: strings.Replace(deployment("big", "httpd", 1), "image: httpd",
				"image: httpd, resources: {requests: {cpu: 100}}", 1),
			kind: lcm.KindExhausted, says: []string{"Unschedulable", "Insufficient cpu"},
		},
		"missing": {
			text: strings.Replace(deployment("claimed", "httpd", 1), "      containers:",
				"      volumes: [{name: data, persistentVolumeClaim: {claimName: none}}]\n      containers:", 1),
			kind: lcm.KindExhausted, says: []string{"Unschedulable", `"none" not found`},
		},
		"unbound": {
			text: claim("unbound", "", ""), kind: lcm.KindBroken,
			says: []string{"PersistentVolumeClaim test-unbound/unbound", "FailedBinding", "no persistent volumes available"},
		},
		"store": {
			text: stored("store", "replicas: 1"), kind: lcm.KindBroken, // its Pod is Unschedulable for no other reason
			says: []string{"PersistentVolumeClaim test-store/data-store-0", "FailedBinding", "no persistent volumes available"},
		},
		"unclassed": {
			text: claim("unclassed", "", ", storageClassName: none"), kind: lcm.KindBroken,
			says: []string{"PersistentVolumeClaim test-unclassed/unclassed", "ProvisioningFailed", `"none" not found`},
		},
		"lost": {
			text: claim("lost", `, annotations: {pv.kubernetes.io/bind-completed: "yes"}`, ", volumeName: gone"), kind: lcm.KindBroken,
			says: []string{"PersistentVolumeClaim test-lost/lost", "Lost", "gone"},
		},
		"quota": {
			text: deployment("many", "httpd", 5), kind: lcm.KindExhausted, says: []string{"FailedCreate", "exceeded quota"},
			before: func(t *testing.T, p *kubetest.ControlPlane, namespace string) {
				_, err := p.Client.CoreV1().ResourceQuotas(namespace).Create(t.Context(), &corev1.ResourceQuota{
					ObjectMeta: metav1.ObjectMeta{Name: "two"},
					Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("2")}},
				}, metav1.CreateOptions{})
				require.NoError(t, err)
			},
		},
		"denied": {
			text: deployment("denied", "httpd", 1), kind: lcm.KindBroken,
			says: []string{"FailedCreate", `webhook "deny.example.org" denied the request`, "no Pods today"},
			before: func(t *testing.T, p *kubetest.ControlPlane, namespace string) {
				p.Deny(t, namespace, "", "pods", "no Pods today")
			},
		},
	}
}

func TestDeploy_tellsWhatIsWrongSoon(t *testing.T) {
	t.Parallel()
	p := start(t)
	for name, c := range troubles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := "test-" + name
			newNamespace(t, p, namespace)
			if c.before != nil {
				c.before(t, p, namespace)
			}
			cluster := p.Connect(t, namespace)
			shown, err := deploy(t, cluster, "vnf-"+namespace, owner, kube.Definition{Objects: manifests(t, c.text)})
			told := time.Since(firstReport(t, p, namespace))
			require.Error(t, err, strings.Join(shown, "\n"))
			require.Equal(t, c.kind, lcm.KindOf(err), "%v", err)
			for _, says := range c.says {
				require.Contains(t, err.Error(), says)
			}
			require.Less(t, told, soon, "since the cluster's own report")
			require.NoError(t, cluster.Remove(t.Context(), "vnf-"+namespace, owner, func(string) {}))
		})
	}
}

func newNamespace(t *testing.T, p *kubetest.ControlPlane, name string) {
	t.Helper()
	_, err := p.Client.CoreV1().Namespaces().Create(t.Context(), kubetest.Namespace(name), metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := p.Client.CoreV1().ServiceAccounts(name).Get(t.Context(), "default", metav1.GetOptions{})
		return err == nil
	}, 20*time.Second, 50*time.Millisecond)
}

// firstReport returns when the kubelet, or else a controller, first reported trouble in a namespace.
func firstReport(t *testing.T, p *kubetest.ControlPlane, namespace string) time.Time {
	t.Helper()
	if at := p.Kubelet.ReportedIn(namespace); !at.IsZero() {
		return at
	}
	list, err := p.Client.CoreV1().Events(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	first := time.Now()
	for _, e := range list.Items {
		if at := e.CreationTimestamp.Time; at.Before(first) && (e.Type == corev1.EventTypeWarning || e.Reason == "FailedBinding") {
			first = at
		}
	}
	return first
}

// TestDeploy_takesAClaimThatWaitsForItsPod: the class makes volumes only when a Pod uses the claim. A claim without a
// Pod has no volume, and this is no error.
func TestDeploy_takesAClaimThatWaitsForItsPod(t *testing.T) {
	p := start(t)
	later := storagev1.VolumeBindingWaitForFirstConsumer
	_, err := p.Client.StorageV1().StorageClasses().Create(t.Context(), &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: "local"}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &later,
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	c := p.Connect(t, "default")
	began := time.Now()
	shown, err := deploy(t, c, "vnf-8", owner, kube.Definition{
		Objects: manifests(t, claim("later", "", ", storageClassName: local")+settings),
	})
	require.NoError(t, err, strings.Join(shown, "\n"))
	require.Less(t, time.Since(began), soon)
	require.NoError(t, c.Remove(t.Context(), "vnf-8", owner, func(string) {}))
}

// TestDeploy_hearsWebhooksInTheRehearsal checks that the connector reports the refusal of a webhook before it makes
// anything.
func TestDeploy_hearsWebhooksInTheRehearsal(t *testing.T) {
	p := start(t)
	p.Deny(t, "default", "apps", "deployments", "Deployments only on Mondays")
	c := p.Connect(t, "default")
	require.Eventually(t, func() bool { // an API server uses a new webhook only after a moment
		_, err := deploy(t, c, "vnf-9", owner, kube.Definition{Objects: manifests(t, settings+deployment("web", "httpd", 1))})
		if err == nil {
			require.NoError(t, c.Remove(t.Context(), "vnf-9", owner, func(string) {}))
			return false
		}
		failed, ok := err.(*lcm.Error) //nolint:errorlint // the error itself
		require.True(t, ok, "%v", err)
		require.Equal(t, lcm.KindDenied, failed.Kind)
		require.Len(t, failed.Problems, 1)
		require.Equal(t, "Deployment default/web", failed.Problems[0].Path)
		require.Contains(t, failed.Problems[0].Detail, "Deployments only on Mondays")
		return true
	}, time.Minute, 100*time.Millisecond)
	_, err := p.Client.CoreV1().ConfigMaps("default").Get(t.Context(), "settings", metav1.GetOptions{})
	require.True(t, errors.IsNotFound(err), "nothing was made")
	requireNothingOf(t, p, owner)
}

// TestDeploy_tellsWhichCheckAPodFails: no controller ends the wait for a StatefulSet whose Pod is never ready. The
// request does, and until then the kubelet's own words are the last line.
func TestDeploy_tellsWhichCheckAPodFails(t *testing.T) {
	p := start(t)
	var lines []string
	_, err := p.Connect(t, "default").Deploy(t.Context(), vim.Deployment{
		Name: "vnf-1", Owner: owner, Operation: "op-1", Timeout: time.Hour, Definition: kube.Definition{
			Objects: manifests(t, strings.NewReplacer("kind: Deployment", "kind: StatefulSet", "spec:\n  replicas",
				"spec:\n  serviceName: none\n  replicas").Replace(deployment("web", "unready", 1))),
			ReadyTimeout: 4 * time.Second,
		},
	}, func(line string) { lines = append(lines, line) })
	require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
	const check = "Pod default/web-0, container main: Readiness probe failed: HTTP probe failed with statuscode: 503"
	require.Equal(t, check, lines[len(lines)-1])
	require.ErrorContains(t, err, check)
	require.ErrorContains(t, err, "additionalParams.ready_timeout")
}
