package kubernetes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// onASilentNode deploys a Deployment whose Pod runs on a node. Then the node dies.
func onASilentNode(t *testing.T, p *kubetest.ControlPlane, c *kube.Connection) {
	t.Helper()
	p.SilentNode(t, "node-2")
	p.Cordon(t, true)
	done := make(chan error, 1)
	go func() {
		_, err := deploy(t, c, "vnf-1", owner, otherwise(t, deployment("web", "httpd", 1)).Definition.(kube.Definition))
		done <- err
	}()
	require.Eventually(t, func() bool {
		list, err := p.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.Items) != 1 || list.Items[0].Spec.NodeName != "node-2" {
			return false
		}
		pod := list.Items[0]
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = append(pod.Status.Conditions,
			corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
		_, err = p.Client.CoreV1().Pods("default").UpdateStatus(t.Context(), &pod, metav1.UpdateOptions{})
		return err == nil
	}, 20*time.Second, 50*time.Millisecond)
	require.NoError(t, <-done)
	p.SetReady(t, "node-2", false)
	p.Cordon(t, false)
}

// TestChange_leavesAPodOnADeadNodeBehind: the kubelet of a dead node never reports the end of a Pod. The connector
// therefore only waits for the new Pod.
func TestChange_leavesAPodOnADeadNodeBehind(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	onASilentNode(t, p, c)
	inv, err := c.Inventory(t.Context(), "vnf-1")
	require.NoError(t, err)
	began := time.Now()
	for range 2 {
		require.NoError(t, c.Change(t.Context(), vim.Change{
			Name: "vnf-1", Owner: owner, Operation: "heal", Timeout: time.Minute, Replace: inv.OfKind(vim.Compute),
		}, func(string) {}))
	}
	require.Less(t, time.Since(began), 20*time.Second, "Pods have 30 s to end")
	nodes := map[string]bool{} // by node: whether its Pod is being deleted
	list, err := p.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, pod := range list.Items {
		nodes[pod.Spec.NodeName] = pod.DeletionTimestamp != nil
	}
	require.Equal(t, map[string]bool{"node-2": true, kubetest.Node: false}, nodes)

	err = c.Dispose(t.Context(), "vnf-1", owner, vim.Removal{Timeout: 4 * time.Second}, func(string) {})
	require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
	require.ErrorContains(t, err, "it ends on the node node-2, which is not Ready")
	began = time.Now()
	require.NoError(t, c.Dispose(t.Context(), "vnf-1", owner, vim.Removal{Grace: new(time.Duration)}, func(string) {}))
	require.Less(t, time.Since(began), 20*time.Second)
	requireNothingOf(t, p, owner)
}

func TestHalt_endsAPodOnADeadNode(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	onASilentNode(t, p, c)
	change := vim.Change{Name: "vnf-1", Owner: owner, Operation: "operate", Timeout: time.Minute}
	for range 2 {
		require.NoError(t, c.Halt(t.Context(), change, 0, func(string) {}))
	}
	list, err := p.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Empty(t, list.Items)
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
}
