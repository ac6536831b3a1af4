package kubernetes

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

func claimNames(t *testing.T, p *kubetest.ControlPlane) (names []string) {
	t.Helper()
	list, err := p.Client.CoreV1().PersistentVolumeClaims("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, claim := range list.Items {
		names = append(names, claim.Namespace+"/"+claim.Name)
	}
	return names
}

// TestDeploy_refusesClaimsOfOthers: a StatefulSet mounts every claim that has the name of one of its claims, even if
// the claim has the data of another VNF.
func TestDeploy_refusesClaimsOfOthers(t *testing.T) {
	p := start(t)
	p.Volumes(t, 8)
	c := p.Connect(t, "default")
	store := func(replicas string) kube.Definition {
		return kube.Definition{
			Objects:   manifests(t, stored("store", "replicas: "+replicas)),
			Workloads: map[string]kube.Workload{"STORE": {Kind: "StatefulSet", Name: "store"}},
		}
	}
	_, err := deploy(t, c, "vnf-1", owner, store("1"))
	require.NoError(t, err)
	require.NoError(t, c.Dispose(t.Context(), "vnf-1", owner, vim.Removal{Volumes: vim.VolumesStay}, func(string) {}))

	_, err = deploy(t, c, "vnf-2", "windlass-another", store("1"))
	require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
	failed := err.(*lcm.Error) //nolint:errorlint,forcetypeassert // the error itself
	require.Equal(t, "StatefulSet default/store", failed.Problems[0].Path)
	require.Contains(t, failed.Problems[0].Detail, "data-store-0")
	problems, err := c.Survey(t.Context(), vim.Deployment{Owner: "windlass-another", Definition: store("1")}, vim.Room{})
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "claims that exist already and do not belong to this VNF: data-store-0")

	_, err = deploy(t, c, "vnf-1", owner, store("1")) // the claims are its own, kept by the Dispose above
	require.NoError(t, err)

	// A claim of somebody else that appears later matters only when the VNF grows to that replica.
	_, err = p.Client.CoreV1().PersistentVolumeClaims("default").Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data-store-1"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	resize := func(n int) error {
		return c.Change(t.Context(), vim.Change{
			Name: "vnf-1", Owner: owner, Operation: "scale", Timeout: time.Minute,
			Definition: kube.Definition{Replicas: map[string]int{"STORE": n}},
		}, func(string) {})
	}
	require.NoError(t, resize(1))
	err = resize(2)
	require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
	require.NoError(t, p.Client.CoreV1().PersistentVolumeClaims("default").
		Delete(t.Context(), "data-store-1", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool { return len(claimNames(t, p)) == 1 }, 20*time.Second, 50*time.Millisecond)
	require.NoError(t, resize(2))
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	require.Empty(t, claimNames(t, p))
}

// TestChange_remembersClaimsOfWhatItDrops: a later package may drop a StatefulSet. Its claims still belong to the VNF,
// and the removal of the VNF decides what happens to them.
func TestChange_remembersClaimsOfWhatItDrops(t *testing.T) {
	p := start(t)
	p.Volumes(t, 8)
	newNamespace(t, p, "data")
	c := p.Connect(t, "default")
	in := func(text string) string {
		return strings.Replace(text, "metadata: {name: ", "metadata: {namespace: data, name: ", 1)
	}
	sets := in(stored("store", "replicas: 1")) +
		in(stored("retained", "persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain}"))
	_, err := deploy(t, c, "vnf-1", owner, kube.Definition{Objects: manifests(t, settings+sets)})
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, c.Change(t.Context(), otherwise(t, settings), func(string) {}))
		require.ElementsMatch(t, []string{"data/data-store-0", "data/data-retained-0"}, claimNames(t, p))
	}
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	require.Equal(t, []string{"data/data-retained-0"}, claimNames(t, p), "the package's policy decides")
}
