package kubernetes

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

// TestChange_makesAnewWhatEnds: Kubernetes accepts changes to an object that is being deleted, and loses them with the
// object. The connector waits for its end and makes it anew.
func TestChange_makesAnewWhatEnds(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	_, err := deploy(t, c, "vnf-1", owner, kube.Definition{Objects: manifests(t, settings)})
	require.NoError(t, err)
	maps := p.Client.CoreV1().ConfigMaps("default")
	hold := func(finalizers string) {
		_, err := maps.Patch(t.Context(), "settings", types.MergePatchType, []byte(`{"metadata":{"finalizers":`+finalizers+`}}`),
			metav1.PatchOptions{})
		require.NoError(t, err)
	}
	hold(`["example.org/stay"]`)
	had, err := maps.Get(t.Context(), "settings", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, maps.Delete(t.Context(), "settings", metav1.DeleteOptions{}))
	change := vim.Change{Name: "vnf-1", Owner: owner, Operation: "heal", Timeout: 3 * time.Second}
	err = c.Change(t.Context(), change, func(string) {})
	require.ErrorContains(t, err, "the deleted ConfigMap default/settings is not gone: it waits for its finalizers: "+
		"example.org/stay")
	change.Timeout = time.Minute
	require.NoError(t, c.Change(t.Context(), change, func(line string) {
		if strings.Contains(line, "ConfigMap default/settings ends") {
			hold("null")
		}
	}))
	has, err := maps.Get(t.Context(), "settings", metav1.GetOptions{})
	require.NoError(t, err)
	require.Nil(t, has.DeletionTimestamp)
	require.NotEqual(t, had.UID, has.UID)
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
}

// TestDeploy_waitsForAVolumeThatIsMade: the provisioner needs longer than the connector's patience. Meanwhile the
// scheduler reports that the Pod is unschedulable.
func TestDeploy_waitsForAVolumeThatIsMade(t *testing.T) {
	p := start(t)
	_, err := p.Client.StorageV1().StorageClasses().Create(t.Context(), &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: "slow"}, Provisioner: "example.org/slow",
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	c := p.Connect(t, "default")
	const patience = time.Second
	done := make(chan error, 1)
	go func() {
		_, err := deploy(t, c, "vnf-1", owner, kube.Definition{
			Objects: manifests(t, claim("data", "", ", storageClassName: slow")+strings.Replace(deployment("web", "httpd", 1),
				"      containers:", "      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n      containers:", 1)),
			Patience: patience,
		})
		done <- err
	}()
	var since time.Time // when the test first saw that the Pod is unschedulable
	require.Eventually(t, func() bool {
		list, err := p.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.Items) == 0 {
			return false
		}
		for _, cond := range list.Items[0].Status.Conditions {
			if cond.Reason == corev1.PodReasonUnschedulable && since.IsZero() {
				since = time.Now()
			}
		}
		return !since.IsZero() && time.Since(since) > 3*patience
	}, 20*time.Second, 50*time.Millisecond)
	select {
	case err := <-done:
		require.NoError(t, err, "it is waited for the volume")
	default:
	}
	_, err = p.Client.CoreV1().PersistentVolumes().Create(t.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "made"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}, StorageClassName: "slow",
			AccessModes:            []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			ClaimRef:               &corev1.ObjectReference{Namespace: "default", Name: "data"},
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/nothing"}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, <-done)
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
}
