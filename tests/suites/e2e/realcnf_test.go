package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
)

// containersOn runs the operations of a containerised VNF on a cluster that Windlass has made and registered. The VNF
// has real Pods, which serve a page.
func (b *bed) containersOn(t *testing.T, cluster, clusterVnf string) {
	t.Helper()
	b.Onboard(t, "vnfpkg/samples/cnf-manifests")
	vim := b.Get(t, "/v1.0/vims?name="+cluster)["vims"].([]any)[0].(map[string]any)["id"].(string)
	c := b.Kubernetes(t, cluster)

	vnf := b.CreateOf(t, webVnfdID, "web")
	op := b.Begin(t, vnf, "instantiate", b.webRequest(t, vim, "default"))
	b.Await(t, op, quick, "COMPLETED")
	t.Log(b.Timings(t, op))
	requirePage(t, c)

	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+clusterVnf+"/terminate",
		map[string]any{"terminationType": "FORCEFUL"})
	require.Equal(t, http.StatusConflict, a.Status, "%s", a.Body)
	require.Contains(t, string(a.Body), vnf, "the cluster is in use, and by whom")

	op = b.Scale(t, vnf, "SCALE_OUT", "web_pods", 2)
	b.Await(t, op, quick, "COMPLETED")
	require.Len(t, b.Vnfcs(t, vnf), 3)
	leaving := b.VnfcOf(t, vnf, "web")
	b.Await(t, b.Heal(t, vnf, leaving), quick, "COMPLETED")
	require.NotContains(t, b.Vnfcs(t, vnf), leaving)
	requirePage(t, c)
	b.terminate(t, vnf)
	requireNoPods(t, c)

	b.describedOn(t, vim, c)
	b.brokenImage(t, vim, c)
}

// describedOn instantiates a VNF on a cluster. Only the VNFD describes its containers. Its Service shows the page of
// the request, which the container gets from its ConfigMap.
func (b *bed) describedOn(t *testing.T, vim string, c kubernetes.Interface) {
	t.Helper()
	b.Onboard(t, describedSample)
	vnf := b.CreateOf(t, describedVnfdID, "described")
	request := b.describedRequest(t, vim, map[string]any{"page": "of the request", "namespace": "default"})
	b.Await(t, b.Begin(t, vnf, "instantiate", request), quick, "COMPLETED")
	var page []byte
	require.Eventually(t, func() bool {
		var err error
		page, err = c.CoreV1().Services("default").ProxyGet("http", "web-address-"+vnf[:8], "80", "/", nil).DoRaw(t.Context())
		return err == nil
	}, time.Minute, 200*time.Millisecond)
	require.Equal(t, "of the request", string(page))
	b.terminate(t, vnf)
	requireNoPods(t, c)
}

// requirePage requests the VNF's page through the cluster's API server.
func requirePage(t *testing.T, c kubernetes.Interface) {
	t.Helper()
	require.Eventually(t, func() bool { // the proxies use a new Pod only after a moment
		page, err := c.CoreV1().Services("default").ProxyGet("http", "web", "80", "/index.html", nil).DoRaw(t.Context())
		return err == nil && len(page) > 0
	}, time.Minute, 200*time.Millisecond)
}

// brokenImage checks that Windlass reports an image which no registry has soon after the kubelet's report.
func (b *bed) brokenImage(t *testing.T, vim string, c kubernetes.Interface) {
	t.Helper()
	vnf := b.CreateOf(t, webVnfdID, "broken")
	request := b.webRequest(t, vim, "default")
	request["additionalParams"].(map[string]any)["lcm-kubernetes-def-files"] = []string{
		"Files/kubernetes/page.yaml", "Files/kubernetes/broken/web.yaml",
	}
	op := b.Begin(t, vnf, "instantiate", request)
	b.requireToldSoon(t, c, op, waits("ErrImagePull", "ImagePullBackOff"), "lab.local/none:v1")
	b.Delete(t, vnf)
}

func podsOrNone(list *corev1.PodList, err error) []corev1.Pod {
	if err != nil {
		return nil
	}
	return list.Items
}
