package e2e

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const chartVnfdID = "4f0c2f0e-7f0f-4c1b-8f43-6d0a6c1f9b52"

// TestCharts runs the operations of VNFs of a chart on a real control plane of Kubernetes.
func TestCharts(t *testing.T) {
	cluster, charts := kubetest.Start(t), newChartSource(t)
	b := newBed(t, "fake")
	b.Onboard(t, "vnfpkg/samples/cnf-helm")
	vim := b.registerCluster(t, cluster, "default")
	for _, n := range []string{"two", "three"} {
		_, err := cluster.Client.CoreV1().Namespaces().Create(t.Context(), kubetest.Namespace(n), metav1.CreateOptions{})
		require.NoError(t, err)
	}

	vnf := b.CreateOf(t, chartVnfdID, "web")
	op := b.Begin(t, vnf, "instantiate", b.chartRequest(t, vim, "default", nil))
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 1, 0)
	b.requireSeen(t, vnf, "Deployment")
	first := b.Vnfcs(t, vnf)

	// A second VNF of the same package has the chart from a repository. A third one has the chart from a registry and a
	// broken image: it fails and is rolled back.
	second := b.CreateOf(t, chartVnfdID, "second")
	op = b.Begin(t, second, "instantiate", charts.fromRepository(b.chartRequest(t, vim, "two", nil)))
	b.Await(t, op, quick, "COMPLETED")
	b.requireNowhere(t, second, op, map[string]string{"the chart's password": testbed.NodePassword})
	require.Equal(t, map[string]any{"password": testbed.NodePassword}, releasesIn(t, cluster, "two")[0].Config["admin"])
	broken := b.CreateOf(t, chartVnfdID, "broken")
	request := b.chartRequest(t, vim, "three", map[string]any{"image.name": "broken:1"})
	request["additionalParams"].(map[string]any)["helm_chart_path"] = "oci://" + charts.host() + "/charts/web:0.1.0"
	op = b.Begin(t, broken, "instantiate", request)
	charts.Close() // Windlass keeps the chart that it has fetched
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "ImagePullBackOff")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	require.Empty(t, releasesIn(t, cluster, "three"))

	op = b.Scale(t, vnf, "SCALE_OUT", "web_pods", 2)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 2, 0)
	require.Equal(t, 2, b.ScaleLevel(t, vnf, "web_pods"))
	grown := b.Vnfcs(t, vnf)
	require.Len(t, grown, 3)
	for id := range first {
		require.Contains(t, grown, id, "what was there stays")
	}
	all := releasesIn(t, cluster, "default")
	require.Len(t, all, 2)
	require.Equal(t, common.StatusDeployed, all[1].Info.Status)
	require.EqualValues(t, 3, all[1].Config["replicaCount"])
	require.Contains(t, all[1].Info.Notes, "http://web.default.svc:8081/")

	leaving := b.VnfcOf(t, vnf, "web")
	op = b.Heal(t, vnf, leaving)
	b.Await(t, op, quick, "COMPLETED")
	healed := b.Vnfcs(t, vnf)
	require.Len(t, healed, 3)
	require.NotContains(t, healed, leaving)
	require.Len(t, releasesIn(t, cluster, "default"), 2, "nothing of the release is other than before")

	b.KillWorker(t)
	op = b.Scale(t, vnf, "SCALE_IN", "web_pods")
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 0, 1)
	require.Len(t, b.Vnfcs(t, vnf), 2)

	b.Remove(t, vnf)
	require.Empty(t, releasesIn(t, cluster, "default"))
	require.Len(t, b.Vnfcs(t, second), 1, "the second one has not noticed")
	b.Await(t, b.Scale(t, second, "SCALE_OUT", "web_pods"), quick, "COMPLETED")
	require.Len(t, b.Vnfcs(t, second), 2)
	b.Remove(t, second)
	requireNoPods(t, cluster.Client)
}

// TestCharts_ofTheSecondInterface sends the whole VIM connection in the request, and changes the values of the chart
// later.
func TestCharts_ofTheSecondInterface(t *testing.T) {
	cluster := kubetest.Start(t)
	b := newBed(t, "fake")
	b.Onboard(t, "vnfpkg/samples/cnf-helm")
	v2 := b.inSecondForm(t, chartVnfdID, "v2", nil)
	v2.done(t, "instantiate", map[string]any{
		"flavourId": "simple",
		"vimConnectionInfo": map[string]any{"vim1": map[string]any{
			"vimId": unregisteredVim, "vimType": "ETSINFV.HELM.V_3",
			"interfaceInfo": map[string]any{"endpoint": cluster.URL, "ssl_ca_cert": cluster.CA},
			"accessInfo":    map[string]any{"bearer_token": kubetest.Token},
		}},
		"additionalParams": map[string]any{
			"helm_chart_path": "Files/kubernetes/web", "namespace": "default", "helm_parameters": map[string]any{"service.port": 8081},
			"helm_value_names": map[string]any{"web": map[string]any{"replica": "replicaCount"}},
		},
	})
	v2.done(t, "change_vnfpkg", map[string]any{
		"vnfdId": chartVnfdID, "additionalParams": map[string]any{
			"upgrade_type": "RollingUpdate", "helm_chart_path": "Files/kubernetes/web", "vdu_params": []any{map[string]any{"vdu_id": "web"}},
			"helm_parameters": map[string]any{"page": "another one"},
		},
	})
	all := releasesIn(t, cluster, "default")
	require.Len(t, all, 2)
	require.Equal(t, "another one", all[1].Config["page"])

	// A change fails. Its rollback restores the revision before.
	op := v2.begin(t, "change_vnfpkg", map[string]any{
		"vnfdId": chartVnfdID, "additionalParams": map[string]any{
			"upgrade_type": "RollingUpdate", "helm_chart_path": "Files/kubernetes/web", "vdu_params": []any{map[string]any{"vdu_id": "web"}},
			"patience": 1, "helm_parameters": map[string]any{"page": "a third one", "image.name": "broken:2"},
		},
	})
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "ImagePullBackOff")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	all = releasesIn(t, cluster, "default")
	require.Equal(t, []common.Status{common.StatusSuperseded, common.StatusSuperseded, common.StatusFailed, common.StatusDeployed},
		statusesOf(all))
	require.Equal(t, "another one", all[3].Config["page"])
	require.Equal(t, "Rollback to 2", all[3].Info.Description)
	require.Equal(t, all[1].Manifest, all[3].Manifest)
	v2.done(t, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	require.Empty(t, releasesIn(t, cluster, "default"))
	requireNoPods(t, cluster.Client)
}

// chartRequest returns the sample's request for that VIM, with other values.
func (b *bed) chartRequest(t *testing.T, vim, namespace string, values map[string]any) map[string]any {
	t.Helper()
	request := b.RequestOf(t, "cnf-helm", vim)
	params := request["additionalParams"].(map[string]any)
	params["namespace"] = namespace
	maps.Copy(params["helm_parameters"].(map[string]any), values)
	return request
}

func statusesOf(all []*release.Release) (out []common.Status) {
	for _, r := range all {
		out = append(out, r.Info.Status)
	}
	return out
}

// releasesIn returns all revisions in a namespace, as Helm's own library reads them.
func releasesIn(t *testing.T, p *kubetest.ControlPlane, namespace string) (out []*release.Release) {
	t.Helper()
	all, err := storage.Init(driver.NewSecrets(p.Client.CoreV1().Secrets(namespace))).ListReleases()
	require.NoError(t, err)
	for _, r := range all {
		out = append(out, r.(*release.Release))
	}
	return out
}
