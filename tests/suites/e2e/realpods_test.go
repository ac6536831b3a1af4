package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// realPods run on a real cluster.
type realPods struct {
	*dayTwo
	c *kubernetes.Clientset
}

const namespace = "default"

func (p *realPods) workers(t *testing.T) (names []string) {
	t.Helper()
	nodes, err := p.c.CoreV1().Nodes().List(t.Context(),
		metav1.ListOptions{LabelSelector: "!node-role.kubernetes.io/control-plane"})
	require.NoError(t, err)
	for _, n := range nodes.Items {
		names = append(names, n.Name)
	}
	return names
}

// pull makes the kubelet on that node pull an image.
func (p *realPods) pull(t *testing.T, name, node, image string) {
	t.Helper()
	grace := int64(1)
	p.run(t, name, corev1.PodSpec{
		NodeName: node, TerminationGracePeriodSeconds: &grace,
		Containers: []corev1.Container{{Name: "main", Image: image, ImagePullPolicy: corev1.PullAlways}},
	}, corev1.PodRunning)
}

func (p *realPods) run(t *testing.T, name string, pod corev1.PodSpec, want corev1.PodPhase) {
	t.Helper()
	pods := p.c.CoreV1().Pods(namespace)
	require.Eventually(t, func() bool { // a new cluster first needs a moment to make the service account
		_, err := pods.Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: pod},
			metav1.CreateOptions{})
		return err == nil || errors.IsAlreadyExists(err)
	}, time.Minute, time.Second, "the pod %s cannot be made", name)
	var last corev1.PodStatus
	for end := time.Now().Add(3 * time.Minute); last.Phase != want; testbed.Pause(t) {
		got, err := pods.Get(t.Context(), name, metav1.GetOptions{})
		if err == nil {
			last = got.Status
		}
		require.True(t, time.Now().Before(end), "the pod %s is not %s: %+v", name, want, last)
	}
	require.NoError(t, pods.Delete(t.Context(), name, metav1.DeleteOptions{}))
}
