package kubernetes

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

func TestDispose_endsPodsThatDoNotEndByThemselves(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	for _, grace := range []time.Duration{0, 3 * time.Second} {
		_, err := deploy(t, c, "vnf-5", owner, kube.Definition{
			Objects:   manifests(t, deployment("web", "stubborn", 3)),
			Workloads: map[string]kube.Workload{"VDU": {Kind: "Deployment", Name: "web"}},
		})
		require.NoError(t, err)
		began := time.Now()
		require.NoError(t, c.Dispose(t.Context(), "vnf-5", owner, vim.Removal{Grace: &grace}, func(string) {}))
		took := time.Since(began)
		require.Greater(t, took, grace)
		require.Less(t, took, grace+15*time.Second, "Pods have 30 s of their own")
		requireNothingOf(t, p, owner)
	}
}

// withClaims are a claim of the package itself, and a claim with Helm's policy to keep it. The tests add StatefulSets
// with a claim each, some with a retention policy.
const withClaims = `---
apiVersion: v1
kind: Namespace
metadata: {name: data}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: plain, namespace: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: dear, annotations: {helm.sh/resource-policy: keep}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

func stored(name, policy string) string {
	return strings.NewReplacer("NAME", name, "POLICY", policy).Replace(`---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: NAME}
spec:
  serviceName: NAME
  POLICY
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec: {containers: [{name: main, image: httpd, volumeMounts: [{name: data, mountPath: /data}]}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`)
}

func TestDispose_leavesClaimsThatAreToStay(t *testing.T) {
	p := start(t)
	p.Volumes(t, 8)
	c := p.Connect(t, "default")
	d := kube.Definition{Objects: manifests(t, withClaims+
		stored("store", "replicas: 1")+stored("retained", "persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain}"))}
	claims := func() (names []string) {
		list, err := p.Client.CoreV1().PersistentVolumeClaims("").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, claim := range list.Items {
			require.Nil(t, claim.DeletionTimestamp, "a claim that goes is waited for")
			names = append(names, claim.Name)
		}
		return names
	}
	deployed := func() {
		shown, err := deploy(t, c, "vnf-6", owner, d)
		require.NoError(t, err, strings.Join(shown, "\n"))
	}
	all := []string{"plain", "dear", "data-store-0", "data-retained-0"}
	hasNamespace := func() bool {
		_, err := p.Client.CoreV1().Namespaces().Get(t.Context(), "data", metav1.GetOptions{})
		require.True(t, err == nil || errors.IsNotFound(err), "%v", err)
		return err == nil
	}

	deployed()
	require.ElementsMatch(t, all, claims())
	require.NoError(t, c.Dispose(t.Context(), "vnf-6", owner, vim.Removal{Volumes: vim.VolumesStay}, func(string) {}))
	require.ElementsMatch(t, all, claims())
	require.True(t, hasNamespace(), "a claim would go with it")

	// A rollback removes what the operation has made. These claims are older than the operation.
	deployed()
	require.NoError(t, c.Dispose(t.Context(), "vnf-6", owner, vim.Removal{Volumes: vim.FormerVolumesStay}, func(string) {}))
	require.ElementsMatch(t, all, claims())

	deployed()
	require.NoError(t, c.Remove(t.Context(), "vnf-6", owner, func(string) {}))
	require.ElementsMatch(t, []string{"dear", "data-retained-0"}, claims(), "the package's policy decides")
	require.False(t, hasNamespace())

	deployed()
	require.NoError(t, c.Dispose(t.Context(), "vnf-6", owner, vim.Removal{Volumes: vim.FormerVolumesStay}, func(string) {}))
	require.ElementsMatch(t, []string{"dear", "data-retained-0"}, claims(), "those that the deployment has made are gone")
}

// TestDispose_namesWhatDoesNotGo: a controller outside of the VNF does not remove its finalizers.
func TestDispose_namesWhatDoesNotGo(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	const stay = `{"metadata":{"finalizers":["example.org/stay"]}}`
	const leave = `{"metadata":{"finalizers":null}}`
	maps, namespaced := p.Client.CoreV1().ConfigMaps("default"), p.Client.CoreV1().ConfigMaps("held")
	_, err := deploy(t, c, "vnf-7", owner, kube.Definition{Objects: manifests(t, settings+
		"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: held}\n"+deployment("web", "httpd", 1))})
	require.NoError(t, err)
	_, err = maps.Patch(t.Context(), "settings", types.MergePatchType, []byte(stay), metav1.PatchOptions{})
	require.NoError(t, err)
	pods, err := p.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	pod := pods.Items[0].Name
	_, err = p.Client.CoreV1().Pods("default").Patch(t.Context(), pod, types.MergePatchType, []byte(stay), metav1.PatchOptions{})
	require.NoError(t, err)

	var mu sync.Mutex
	var shown []string
	patience := 4 * time.Second
	dispose := func() error {
		shown = nil
		return c.Dispose(t.Context(), "vnf-7", owner, vim.Removal{Timeout: patience}, func(line string) {
			mu.Lock()
			defer mu.Unlock()
			shown = append(shown, line)
		})
	}
	err = dispose()
	require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
	require.ErrorContains(t, err, "Pod default/"+pod+": it waits for its finalizers: example.org/stay")
	require.ErrorContains(t, err, "Deployment default/web")
	require.NotContains(t, err.Error(), "foregroundDeletion")
	require.Contains(t, strings.Join(shown, "\n"), "Pod default/"+pod+": it waits for its finalizers: example.org/stay")
	_, err = p.Client.CoreV1().Pods("default").Patch(t.Context(), pod, types.MergePatchType, []byte(leave), metav1.PatchOptions{})
	require.NoError(t, err)

	err = dispose() // a retry continues, until the next object that hangs
	require.ErrorContains(t, err, "ConfigMap default/settings: it waits for its finalizers: example.org/stay")
	require.NotContains(t, err.Error(), "Deployment")
	_, err = maps.Patch(t.Context(), "settings", types.MergePatchType, []byte(leave), metav1.PatchOptions{})
	require.NoError(t, err)

	_, err = namespaced.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "late", Finalizers: []string{"example.org/stay"}, Labels: map[string]string{"windlass.nfv/owner": owner},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	patience = 10 * time.Second // a namespace begins to end after 5 s
	err = dispose()
	require.ErrorContains(t, err, "Namespace held: ")
	require.ErrorContains(t, err, "example.org/stay in 1 resource instances")
	require.Contains(t, strings.Join(shown, "\n"), "configmaps. has 1 resource instances")
	_, err = namespaced.Patch(t.Context(), "late", types.MergePatchType, []byte(leave), metav1.PatchOptions{})
	require.NoError(t, err)
	require.NoError(t, c.Remove(t.Context(), "vnf-7", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}
