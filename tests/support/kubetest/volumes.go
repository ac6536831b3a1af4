package kubetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Volumes creates n volumes of 1 GiB for claims without a class. Nothing writes to them.
func (p *ControlPlane) Volumes(t testing.TB, n int) {
	t.Helper()
	for i := range n {
		_, err := p.Client.CoreV1().PersistentVolumes().Create(t.Context(), &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{GenerateName: fmt.Sprintf("volume-%d-", i)},
			Spec: corev1.PersistentVolumeSpec{
				Capacity:                      corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
				AccessModes:                   []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
				PersistentVolumeSource: corev1.PersistentVolumeSource{
					HostPath: &corev1.HostPathVolumeSource{Path: "/nothing"},
				},
			},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
}

// Cordon sets whether the node refuses new Pods.
func (p *ControlPlane) Cordon(t testing.TB, is bool) {
	t.Helper()
	// A patch is needed because the node's kubelet and controllers change the object, too.
	_, err := p.Client.CoreV1().Nodes().Patch(t.Context(), Node, types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, is), metav1.PatchOptions{})
	require.NoError(t, err)
}
