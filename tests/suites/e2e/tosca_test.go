package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

const (
	describedVnfdID    = "8e1d7c34-55b1-4a8e-9d4c-2f6b0a9c7e13"
	newDescribedVnfdID = "5d0b5f0a-31c9-4b0e-8c1e-90c7a1d2e3f4"
	describedSample    = "vnfpkg/samples/cnf-tosca"
)

// TestTOSCAContainers runs the operations of VNFs whose containers only the VNFD describes. Two of them run side by
// side.
func TestTOSCAContainers(t *testing.T) {
	cluster := kubetest.Start(t)
	b := newBed(t, "fake")
	for _, dir := range []string{describedSample, b.newDescribed(t)} {
		b.Onboard(t, dir)
	}
	vim := b.registerCluster(t, cluster, "default")

	vnf := b.CreateOf(t, describedVnfdID, "web")
	op := b.Begin(t, vnf, "instantiate", b.describedRequest(t, vim, map[string]any{"page": "one"}))
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 1, 0)
	b.requireSeen(t, vnf, "Deployment")
	first := b.Vnfcs(t, vnf)
	require.Equal(t, "one", pageOf(t, cluster, vnf))

	// A second VNF of the same package is in the same namespace. Its objects have other names.
	second := b.inSecondForm(t, describedVnfdID, "second", nil)
	second.done(t, "instantiate", map[string]any{
		"flavourId": "simple", "instantiationLevelId": "large",
		"vimConnectionInfo": map[string]any{"kubernetes": map[string]any{"vimId": vim, "vimType": "ETSINFV.KUBERNETES.V_1"}},
		"additionalParams":  map[string]any{"page": "two"},
	})
	require.Len(t, second.vnfcs(t), 3)
	require.Equal(t, first, b.Vnfcs(t, vnf), "the first one has not noticed")
	require.Equal(t, "two", pageOf(t, cluster, filepath.Base(second.path)))
	requireEndpoints(t, cluster, vnf, 1)
	requireEndpoints(t, cluster, filepath.Base(second.path), 3)

	op = b.Scale(t, vnf, "SCALE_OUT", "web_pods", 2)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 2, 0)
	grown := b.Vnfcs(t, vnf)
	require.Len(t, grown, 3)
	for id := range first {
		require.Contains(t, grown, id, "what was there stays")
	}

	leaving := b.VnfcOf(t, vnf, "web")
	op = b.Heal(t, vnf, leaving)
	b.Await(t, op, quick, "COMPLETED")
	healed := b.Vnfcs(t, vnf)
	require.Len(t, healed, 3)
	require.NotContains(t, healed, leaving)
	require.EqualValues(t, 3, *webOf(t, cluster, vnf).Spec.Replicas)

	b.otherDescription(t, cluster, second)

	b.KillWorker(t)
	op = b.Scale(t, vnf, "SCALE_IN", "web_pods")
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 0, 1)
	b.Remove(t, vnf)
	require.Len(t, second.vnfcs(t), 3, "the second one has not noticed")
	second.done(t, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	requireNoPods(t, cluster.Client)
	maps, err := cluster.Client.CoreV1().ConfigMaps("default").List(t.Context(),
		metav1.ListOptions{LabelSelector: "windlass.nfv/owner"})
	require.NoError(t, err)
	require.Empty(t, maps.Items)
	b.refusedDescriptions(t, vim)
	b.autoscaledContainers(t, cluster, vim)
	for _, file := range []string{"described", "tacker", "cnf-tosca"} {
		requireTaken(t, cluster, filepath.Join(b.Root, "internal/cnf/testdata", file+".objects.yaml"))
	}
}

// autoscaledContainers instantiates, heals and terminates a VNF with an older VDU of Tacker and an autoscaler. Only the
// autoscaler decides on the number of Pods.
func (b *bed) autoscaledContainers(t *testing.T, cluster *kubetest.ControlPlane, vim string) {
	t.Helper()
	b.Onboard(t, "internal/cnf/testdata/tacker")
	vnf := b.CreateOf(t, "vnfd-1", "autoscaled")
	request := b.describedRequest(t, vim, nil)
	delete(request, "instantiationLevelId") // the VNFD has no levels
	b.Await(t, b.Begin(t, vnf, "instantiate", request), quick, "COMPLETED")
	had := b.Vnfcs(t, vnf)
	require.Len(t, had, 1, "an autoscaler begins with one")
	name := "vdu1-" + vnf[:8]
	scaler, err := cluster.Client.AutoscalingV2().HorizontalPodAutoscalers("default").Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 3, scaler.Spec.MaxReplicas)
	service, err := cluster.Client.CoreV1().Services("default").Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, corev1.ServiceTypeNodePort, service.Spec.Type)

	b.Await(t, b.Heal(t, vnf, b.VnfcOf(t, vnf, "VDU1")), quick, "COMPLETED")
	require.Len(t, b.Vnfcs(t, vnf), 1)
	b.Remove(t, vnf)
	requireNoPods(t, cluster.Client)
}

// requireTaken checks that the API server accepts the objects that Windlass makes of a VNFD.
func requireTaken(t *testing.T, cluster *kubetest.ControlPlane, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	paths := map[string]string{
		"ConfigMap": "/api/v1/namespaces/default/configmaps", "Service": "/api/v1/namespaces/default/services",
		"Deployment":              "/apis/apps/v1/namespaces/default/deployments",
		"StatefulSet":             "/apis/apps/v1/namespaces/default/statefulsets",
		"HorizontalPodAutoscaler": "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
	}
	for document := range strings.SplitSeq(strings.TrimPrefix(string(text), "---\n"), "\n---\n") {
		var object map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(document), &object))
		body, err := json.Marshal(object)
		require.NoError(t, err)
		err = cluster.Client.CoreV1().RESTClient().Post().AbsPath(paths[object["kind"].(string)]).
			Param("dryRun", "All").Param("fieldValidation", "Strict").Body(body).Do(t.Context()).Error()
		require.NoError(t, err, "%s", document)
	}
}

// otherDescription changes the parameters of a VNF, and then its package.
func (b *bed) otherDescription(t *testing.T, cluster *kubetest.ControlPlane, vnf secondForm) {
	t.Helper()
	vnf.done(t, "change_vnfpkg", map[string]any{"vnfdId": describedVnfdID, "additionalParams": map[string]any{
		"page": "three", "upgrade_type": "RollingUpdate", "vdu_params": []any{map[string]any{"vdu_id": "web"}},
	}})
	require.Equal(t, "three", pageOf(t, cluster, filepath.Base(vnf.path)))

	op := vnf.begin(t, "change_vnfpkg", map[string]any{
		"vnfdId": newDescribedVnfdID, "additionalParams": map[string]any{"image": "broken.local/web:v2"},
	})
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "ImagePullBackOff")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	require.Equal(t, "lab.local/web:v1", webOf(t, cluster, filepath.Base(vnf.path)).Spec.Template.Spec.Containers[0].Image)

	vnf.done(t, "change_vnfpkg", map[string]any{"vnfdId": newDescribedVnfdID})
	web := webOf(t, cluster, filepath.Base(vnf.path))
	require.Equal(t, "lab.local/web:v2", web.Spec.Template.Spec.Containers[0].Image)
	require.EqualValues(t, 3, *web.Spec.Replicas, "a change keeps the size")
	require.Equal(t, "three", pageOf(t, cluster, filepath.Base(vnf.path)), "and the parameters")
	require.Equal(t, newDescribedVnfdID, b.Get(t, vnf.path)["vnfdId"])
}

// refusedDescriptions sends requests that Windlass refuses before anything begins.
func (b *bed) refusedDescriptions(t *testing.T, vim string) {
	t.Helper()
	vnf := b.CreateOf(t, describedVnfdID, "refused")
	for says, params := range map[string]map[string]any{
		"$.additionalParams.page":        {"page": []string{"a"}},
		"$.additionalParams.vdu_mapping": {"vdu_mapping": map[string]any{"web": map[string]any{"kind": "Pod", "name": "x"}}},
	} {
		a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/instantiate", b.describedRequest(t, vim, params))
		require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
		require.Contains(t, string(a.Body), says)
	}
}

// newDescribed makes a later version of the sample, with another VNFD, and an image that requests may choose.
func (b *bed) newDescribed(t *testing.T) (dir string) {
	t.Helper()
	return b.ChangedPackage(t, describedSample, strings.NewReplacer(describedVnfdID, newDescribedVnfdID,
		"software_version: '1.0'", "software_version: '2.0'",
		"        ports:\n", "        image: { get_input: image }\n        ports:\n",
		"    page:\n", "    image: { type: string, default: 'lab.local/web:v2' }\n    page:\n"))
}

// describedRequest returns the sample's request for that VIM, with other parameters.
func (b *bed) describedRequest(t *testing.T, vim string, params map[string]any) map[string]any {
	t.Helper()
	request := b.RequestOf(t, "cnf-tosca", vim)
	request["additionalParams"] = params
	return request
}

func webOf(t *testing.T, cluster *kubetest.ControlPlane, vnf string) *appsv1.Deployment {
	t.Helper()
	d, err := cluster.Client.AppsV1().Deployments("default").Get(t.Context(), "web-"+vnf[:8], metav1.GetOptions{})
	require.NoError(t, err)
	return d
}

// pageOf returns the page in the environment of a VNF's containers.
func pageOf(t *testing.T, cluster *kubetest.ControlPlane, vnf string) string {
	t.Helper()
	from := webOf(t, cluster, vnf).Spec.Template.Spec.Containers[0].EnvFrom
	require.Len(t, from, 1)
	of, err := cluster.Client.CoreV1().ConfigMaps("default").Get(t.Context(), from[0].ConfigMapRef.Name, metav1.GetOptions{})
	require.NoError(t, err)
	return of.Data["PAGE"]
}

// requireEndpoints waits until the Service of a VNF has so many Pods.
func requireEndpoints(t *testing.T, cluster *kubetest.ControlPlane, vnf string, count int) {
	t.Helper()
	require.Eventually(t, func() bool {
		slices, err := cluster.Client.DiscoveryV1().EndpointSlices("default").List(t.Context(),
			metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=web-address-" + vnf[:8]})
		ready := 0
		for _, s := range slices.Items {
			ready += len(s.Endpoints)
		}
		return err == nil && ready == count
	}, 30*time.Second, 100*time.Millisecond)
}
