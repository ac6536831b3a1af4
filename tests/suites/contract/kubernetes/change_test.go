package kubernetes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

const settings = `---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: b}
`

// otherwise returns a change of the VNF to those manifests.
func otherwise(t *testing.T, text string) vim.Change {
	t.Helper()
	return vim.Change{
		Name: "vnf-1", Owner: owner, Operation: "change", Timeout: time.Minute,
		Definition: kube.Definition{
			Objects: manifests(t, text), Workloads: map[string]kube.Workload{"WEB": {Kind: "Deployment", Name: "web"}},
		},
	}
}

func TestChange_toOtherManifestsAndBack(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	before := deployment("web", "httpd:1", 2) + settings
	_, err := deploy(t, c, "vnf-1", owner, otherwise(t, before).Definition.(kube.Definition))
	require.NoError(t, err)
	web := func() *appsv1.Deployment {
		d, err := p.Client.AppsV1().Deployments("default").Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
		return d
	}
	hasSettings := func() bool {
		_, err := p.Client.CoreV1().ConfigMaps("default").Get(t.Context(), "settings", metav1.GetOptions{})
		require.True(t, err == nil || errors.IsNotFound(err), "%v", err)
		return err == nil
	}

	err = c.Change(t.Context(), otherwise(t, deployment("web", "broken:2", 2)), func(string) {})
	require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
	require.ErrorContains(t, err, "ImagePullBackOff")
	require.True(t, hasSettings(), "nothing is taken away before the new is ready")
	require.NotZero(t, web().Status.AvailableReplicas, "the former Pods go on")
	for range 2 {
		require.NoError(t, c.Change(t.Context(), otherwise(t, before), func(string) {}))
	}
	require.Equal(t, "httpd:1", web().Spec.Template.Spec.Containers[0].Image)
	require.True(t, hasSettings())

	for range 2 {
		require.NoError(t, c.Change(t.Context(), otherwise(t, deployment("web", "httpd:2", 2)), func(string) {}))
		require.False(t, hasSettings(), "what the new manifests do not have goes")
		require.Equal(t, "httpd:2", web().Spec.Template.Spec.Containers[0].Image)
	}
	inv, err := c.Inventory(t.Context(), "vnf-1")
	require.NoError(t, err)
	require.Len(t, inv.OfKind(vim.Compute), 2)
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}

func TestHalt_endsEveryPodAndBringsTheSameNumberBack(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	d := kube.Definition{Objects: manifests(t, deployment("web", "httpd", 3)+`---
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec: {containers: [{name: main, image: httpd}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main, image: httpd}]}
`), Workloads: map[string]kube.Workload{
		"WEB": {Kind: "Deployment", Name: "web"}, "BARE": {Kind: "Pod", Name: "bare"},
		"AGENT": {Kind: "DaemonSet", Name: "agent"},
	}}
	_, err := deploy(t, c, "vnf-1", owner, d)
	require.NoError(t, err)
	levels := func() map[string]vim.Level {
		inv, err := c.Inventory(t.Context(), "vnf-1")
		require.NoError(t, err)
		out := map[string]vim.Level{}
		for _, r := range inv.OfKind(vim.Compute) {
			out[r.ID] = r.Level
		}
		return out
	}
	pods := func() []corev1.Pod {
		list, err := p.Client.CoreV1().Pods("default").List(t.Context(),
			metav1.ListOptions{LabelSelector: "windlass.nfv/owner=" + owner})
		require.NoError(t, err)
		return list.Items
	}
	were := levels()
	require.Len(t, were, 5)
	change := vim.Change{Name: "vnf-1", Owner: owner, Operation: "operate", Timeout: time.Minute}
	for range 2 {
		require.NoError(t, c.Halt(t.Context(), change, time.Minute, func(string) {}))
		require.Empty(t, pods())
		halted := levels()
		require.Len(t, halted, len(were))
		for id, level := range halted {
			require.Contains(t, were, id, "a VNFC that was there before keeps its id")
			require.Equal(t, vim.Stopped, level)
		}
	}
	stranger := change
	stranger.Owner = "somebody else"
	require.True(t, lcm.Is(c.Resume(t.Context(), stranger, func(string) {}), lcm.KindConflict))
	for range 2 {
		require.NoError(t, c.Resume(t.Context(), change, func(string) {}))
		require.Len(t, pods(), 5)
		for _, level := range levels() {
			require.Equal(t, vim.Running, level)
		}
	}
	require.NoError(t, c.Halt(t.Context(), change, 0, func(string) {}))
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}
