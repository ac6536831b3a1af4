package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

const newWebVnfdID = "3d1f0c52-8f0a-4a53-9a7c-5be2f7f0c1aa"

// newWeb makes a later version of the sample of manifests, with another VNFD, image and file.
func (b *bed) newWeb(t *testing.T) (dir string) {
	t.Helper()
	return b.ChangedPackage(t, "vnfpkg/samples/cnf-manifests", strings.NewReplacer(webVnfdID, newWebVnfdID,
		"software_version: '1.0'", "software_version: '2.0'", "lab.local/web:v1", "lab.local/web:v2",
		"lab.local/none:v1", "broken.local/web:v2", "name: web-page", "name: web-page-2"))
}

// otherPackage changes the package of a containerised VNF twice. The first change does not start and is rolled back.
// The second one succeeds although the worker is killed.
func (b *bed) otherPackage(t *testing.T, cluster *kubetest.ControlPlane, vim string) {
	t.Helper()
	b.Onboard(t, b.newWeb(t))
	vnf := b.inSecondForm(t, webVnfdID, "changing", nil)
	vnf.done(t, "instantiate", map[string]any{
		"flavourId": "simple", "instantiationLevelId": "small",
		"vimConnectionInfo": map[string]any{"kubernetes": map[string]any{"vimId": vim, "vimType": "ETSINFV.KUBERNETES.V_1"}},
		"additionalParams": map[string]any{
			"lcm-kubernetes-def-files": []string{"Files/kubernetes/page.yaml", "Files/kubernetes/web.yaml"}, "namespace": "default",
		},
	})
	vnf.done(t, "scale", map[string]any{"type": "SCALE_OUT", "aspectId": "web_pods"})
	require.Len(t, vnf.vnfcs(t), 2)
	image := func() string {
		d, err := cluster.Client.AppsV1().Deployments("default").Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 2, *d.Spec.Replicas, "a change keeps the size")
		return d.Spec.Template.Spec.Containers[0].Image
	}
	requirePodsRecorded := func() {
		pods, err := cluster.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
		require.NoError(t, err)
		var names, recorded []string
		for _, p := range pods.Items {
			names = append(names, p.Name)
		}
		for _, v := range b.Get(t, vnf.path)["instantiatedVnfInfo"].(map[string]any)["vnfcResourceInfo"].([]any) {
			recorded = append(recorded, v.(map[string]any)["computeResource"].(map[string]any)["resourceId"].(string))
		}
		require.ElementsMatch(t, names, recorded)
	}
	b.refusedChanges(t, vnf)

	op := vnf.begin(t, "change_vnfpkg", map[string]any{"vnfdId": newWebVnfdID, "additionalParams": map[string]any{
		"lcm-kubernetes-def-files": []string{"Files/kubernetes/page.yaml", "Files/kubernetes/broken/web.yaml"},
	}})
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "ImagePullBackOff")
	require.Equal(t, "broken.local/web:v2", image())
	require.Equal(t, webVnfdID, b.Get(t, vnf.path)["vnfdId"])
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	require.Equal(t, "lab.local/web:v1", image())
	require.Equal(t, webVnfdID, b.Get(t, vnf.path)["vnfdId"])
	requirePodsRecorded()

	op = vnf.begin(t, "change_vnfpkg", map[string]any{"vnfdId": newWebVnfdID})
	b.KillWorker(t)
	done := b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, "2.0", done["modificationsTriggeredByVnfPkgChange"].(map[string]any)["vnfSoftwareVersion"])
	require.Equal(t, newWebVnfdID, b.Get(t, vnf.path)["vnfdId"])
	require.Equal(t, "lab.local/web:v2", image())
	requirePodsRecorded()
	maps, err := cluster.Client.CoreV1().ConfigMaps("default").List(t.Context(),
		metav1.ListOptions{LabelSelector: "windlass.nfv/owner"})
	require.NoError(t, err)
	require.Len(t, maps.Items, 1, "what the new package does not have any more is gone")
	require.Equal(t, "web-page-2", maps.Items[0].Name)

	vnf.done(t, "scale", map[string]any{"type": "SCALE_IN", "aspectId": "web_pods"})
	require.Len(t, vnf.vnfcs(t), 1)
	vnf.done(t, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	requireNoPods(t, cluster.Client)
}

// refusedChanges sends requests that Windlass must refuse before anything begins.
func (b *bed) refusedChanges(t *testing.T, vnf secondForm) {
	t.Helper()
	for says, request := range map[string]map[string]any{
		"$.vnfdId": {"vnfdId": "none"},
		`the VNF package has no file \"none.yaml\"`: {"vnfdId": newWebVnfdID, "additionalParams": map[string]any{
			"lcm-kubernetes-def-files": []string{"none.yaml"}, "vdu_params": []any{map[string]any{"vdu_id": "web"}},
		}},
		`has no VDU \"none\"`: {"vnfdId": newWebVnfdID, "additionalParams": map[string]any{
			"upgrade_type": "RollingUpdate", "vdu_params": []any{map[string]any{"vdu_id": "none"}},
		}},
		"$.additionalParams.upgrade_type": {
			"vnfdId": newWebVnfdID, "additionalParams": map[string]any{"upgrade_type": "BlueGreen"},
		},
		"$.vimConnectionInfo": {"vnfdId": newWebVnfdID, "vimConnectionInfo": map[string]any{}},
	} {
		a := b.Call(t, http.MethodPost, vnf.path+"/change_vnfpkg", request)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, a.Status, "%s", a.Body)
		require.Contains(t, string(a.Body), says)
	}
}
