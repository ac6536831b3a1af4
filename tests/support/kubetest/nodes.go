package kubetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// SilentNode adds a ready node whose kubelet reports nothing about its Pods.
func (p *ControlPlane) SilentNode(t testing.TB, name string) {
	t.Helper()
	made, err := p.Client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	made.Status.Capacity = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("16Gi"),
		corev1.ResourcePods: resource.MustParse("100"),
	}
	made.Status.Allocatable = made.Status.Capacity
	made.ResourceVersion = "" // controllers change the node, too
	_, err = p.Client.CoreV1().Nodes().UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
	require.NoError(t, err)
	p.SetReady(t, name, true)
}

// SetReady sets whether a node is ready, and waits until the controllers have reacted.
func (p *ControlPlane) SetReady(t testing.TB, name string, ready bool) {
	t.Helper()
	is := map[bool]string{true: "True", false: "False"}[ready]
	_, err := p.Client.CoreV1().Nodes().Patch(t.Context(), name, types.StrategicMergePatchType,
		[]byte(`{"status":{"conditions":[{"type":"Ready","status":"`+is+`"}]}}`), metav1.PatchOptions{}, "status")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		n, err := p.Client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
		return err == nil && (len(n.Spec.Taints) == 0) == ready
	}, 20*time.Second, 50*time.Millisecond)
}
