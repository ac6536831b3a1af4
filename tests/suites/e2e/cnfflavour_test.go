package e2e

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// otherFlavour changes the flavour of a containerised VNF: to one that does not start, which is rolled back, then to the
// larger one while the worker is killed, and back.
func (b *bed) otherFlavour(t *testing.T, cluster *kubetest.ControlPlane, vim string) {
	t.Helper()
	b.Onboard(t, b.TwoFlavours(t))
	files := func(also ...string) map[string]any {
		return map[string]any{"lcm-kubernetes-def-files": append([]string{"Files/kubernetes/page.yaml", "Files/kubernetes/web.yaml"}, also...)}
	}
	vnf := b.inSecondForm(t, testbed.TwoFlavoursVnfdID, "flavours", nil)
	first := files()
	first["namespace"] = "default"
	vnf.done(t, "instantiate", map[string]any{
		"flavourId": "simple", "additionalParams": first,
		"vimConnectionInfo": map[string]any{"kubernetes": map[string]any{"vimId": vim, "vimType": "ETSINFV.KUBERNETES.V_1"}},
	})
	former := livingPods(t, cluster)
	require.Len(t, former, 1)

	op := vnf.begin(t, "change_flavour", map[string]any{
		"newFlavourId": "wide", "additionalParams": files("Files/kubernetes/broken/cache.yaml"),
	})
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "ImagePullBackOff")
	require.Subset(t, livingPods(t, cluster), former)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	require.Equal(t, former, livingPods(t, cluster), "the Pod that was there has stayed")
	require.Equal(t, "simple", b.Get(t, vnf.path)["instantiatedVnfInfo"].(map[string]any)["flavourId"])
	require.Len(t, vnf.vnfcs(t), 1)

	op = vnf.begin(t, "change_flavour", map[string]any{
		"newFlavourId": "wide", "additionalParams": files("Files/kubernetes/cache.yaml"),
	})
	b.KillWorker(t)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 2, 0)
	wide := livingPods(t, cluster)
	require.Len(t, wide, 3)
	require.Subset(t, wide, former)
	require.Len(t, vnf.vnfcs(t), 3)
	require.Equal(t, "wide", b.Get(t, vnf.path)["instantiatedVnfInfo"].(map[string]any)["flavourId"])
	vnf.done(t, "scale", map[string]any{"type": "SCALE_OUT", "aspectId": "web_pods"})
	require.Len(t, vnf.vnfcs(t), 4)

	op = vnf.done(t, "change_flavour", map[string]any{"newFlavourId": "simple", "additionalParams": files()})
	b.RequireChanged(t, op, 0, 3)
	require.Len(t, livingPods(t, cluster), 1)
	list, err := cluster.Client.AppsV1().Deployments("default").List(t.Context(), metav1.ListOptions{LabelSelector: "windlass.nfv/owner"})
	require.NoError(t, err)
	require.Len(t, list.Items, 1, "what the flavour does not have is gone")
	vnf.done(t, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	requireNoPods(t, cluster.Client)
}

// livingPods are the names of the Pods of containerised VNFs that do not go.
func livingPods(t *testing.T, cluster *kubetest.ControlPlane) (names []string) {
	t.Helper()
	pods, err := cluster.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "windlass.nfv/owner"})
	require.NoError(t, err)
	for _, p := range slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool { return p.DeletionTimestamp != nil }) {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}
