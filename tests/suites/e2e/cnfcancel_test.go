package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// cancelledContainers cancels operations of a containerised VNF whose Pods start slowly. GRACEFUL waits for the running
// activity, FORCEFUL does not.
func (b *bed) cancelledContainers(t *testing.T, cluster *kubetest.ControlPlane, vim string) {
	t.Helper()
	pace := func(d time.Duration) { cluster.Kubelet.Pace.Store(int64(d)) }
	defer pace(0)

	pace(3 * time.Second)
	vnf := b.CreateOf(t, webVnfdID, "cancelled")
	op := b.Begin(t, vnf, "instantiate", b.webRequest(t, vim, "default"))
	awaitPods(t, cluster, 1)
	b.cancelsSoon(t, op, "GRACEFUL")
	pace(0)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	had := b.Vnfcs(t, vnf)
	require.Len(t, had, 1)

	pace(time.Hour)
	op = b.Scale(t, vnf, "SCALE_OUT", "web_pods", 2)
	awaitPods(t, cluster, 3)
	b.cancelsSoon(t, op, "FORCEFUL")
	pace(0)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	require.Equal(t, had, b.Vnfcs(t, vnf))
	require.Zero(t, b.ScaleLevel(t, vnf, "web_pods"))
	awaitPods(t, cluster, 1)

	b.Remove(t, vnf)
	requireNoPods(t, cluster.Client)
}

// awaitPods waits until the cluster has so many Pods of VNFs, in any state.
func awaitPods(t *testing.T, cluster *kubetest.ControlPlane, count int) {
	t.Helper()
	require.Eventually(t, func() bool {
		pods, err := cluster.Client.CoreV1().Pods("default").List(t.Context(),
			metav1.ListOptions{LabelSelector: "windlass.nfv/owner"})
		return err == nil && len(pods.Items) == count
	}, time.Minute, 50*time.Millisecond)
}
