package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const webVnfdID = "b7a3f6de-2c0b-4d43-9a5e-0c1f6d8e7b24"

// TestContainers runs the operations of containerised VNFs on a real control plane of Kubernetes.
func TestContainers(t *testing.T) {
	cluster := kubetest.Start(t)
	b := newBed(t, "fake")
	b.Onboard(t, "vnfpkg/samples/cnf-manifests")
	vim := b.registerCluster(t, cluster, "default")

	vnf := b.CreateOf(t, webVnfdID, "web")
	op := b.Begin(t, vnf, "instantiate", withRegistry(b.webRequest(t, vim, "default")))
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 1, 0)
	b.requireNowhere(t, vnf, op, map[string]string{"the registry's password": testbed.NodePassword})
	requirePullSecret(t, cluster, vnf)
	first := b.Vnfcs(t, vnf)
	require.Len(t, first, 1)
	b.requireSeen(t, vnf, "Deployment")

	// A second VNF of the same package cannot use the same namespace: the names are in use. In its own namespace it
	// can.
	clash := b.CreateOf(t, webVnfdID, "clash")
	require.Contains(t, b.problemsOf(t, clash, b.webRequest(t, vim, "default")), "Deployment default/web: exists "+
		"already")
	op = b.Begin(t, clash, "instantiate", b.webRequest(t, vim, "default"))
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "Deployment default/web")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	op = b.Begin(t, clash, "instantiate", b.webRequest(t, vim, "default"))
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusOK, b.Act(t, op, "fail", nil).Status)
	// The rehearsal found the clash before anything was made.
	require.Equal(t, http.StatusConflict,
		b.Call(t, http.MethodPost, "/windlass/v1/vnf_instances/"+clash+"/clean_up", map[string]any{}).Status)
	_, err := cluster.Client.CoreV1().Namespaces().Create(t.Context(), kubetest.Namespace("beside"), metav1.CreateOptions{})
	require.NoError(t, err)
	b.Await(t, b.Begin(t, clash, "instantiate", b.webRequest(t, vim, "beside")), quick, "COMPLETED")
	b.Remove(t, clash)
	require.Equal(t, first, b.Vnfcs(t, vnf), "the first one has not noticed")

	hears := newSubscriber(t)
	b.subscribe(t, "/vnflcm/v1", hears)
	op = b.Scale(t, vnf, "SCALE_OUT", "web_pods", 2)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 2, 0)
	require.Contains(t, b.output(t, op), "Deployment default/web: ready")
	hears.requireAffected(t, op, 2)
	require.Equal(t, 2, b.ScaleLevel(t, vnf, "web_pods"))
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

	b.operatedContainers(t, cluster, vnf)
	b.followsContainers(t, cluster, vnf)
	healed = b.Vnfcs(t, vnf)

	// A heal of the entire VNF makes all Pods anew.
	b.Await(t, b.Heal(t, vnf), quick, "COMPLETED")
	for id := range b.Vnfcs(t, vnf) {
		require.NotContains(t, healed, id)
	}

	b.KillWorker(t)
	op = b.Scale(t, vnf, "SCALE_IN", "web_pods")
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 0, 1)
	require.Len(t, b.Vnfcs(t, vnf), 2)

	b.Await(t, b.Begin(t, vnf, "terminate", map[string]any{
		"terminationType": "GRACEFUL", "gracefulTerminationTimeout": 5,
	}), quick, "COMPLETED")
	requireNoPods(t, cluster.Client)
	b.cancelledContainers(t, cluster, vim)
	b.otherPackage(t, cluster, vim)
	b.otherFlavour(t, cluster, vim)
	b.foreignContainers(t, cluster, vim)
	b.scriptsBesidePods(t, vim)
	requireNoPods(t, cluster.Client)
}

// withRegistry adds a registry with a password to a request.
func withRegistry(request map[string]any) map[string]any {
	request["additionalParams"].(map[string]any)["private_registry_connection_info"] = []any{map[string]any{
		"connection_type": "1", "server": "registry.example", "username": "user01", "password": testbed.NodePassword,
	}}
	return request
}

// requirePullSecret checks that the Pods of the VNF pull their images with the password of that registry.
func requirePullSecret(t *testing.T, cluster *kubetest.ControlPlane, vnf string) {
	t.Helper()
	name := "vnf" + strings.ReplaceAll(vnf, "-", "") + "-registries"
	secret, err := cluster.Client.CoreV1().Secrets("default").Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	require.Contains(t, string(secret.Data[".dockerconfigjson"]), testbed.NodePassword)
	pods, err := cluster.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	for _, pod := range pods.Items {
		require.Equal(t, []corev1.LocalObjectReference{{Name: name}}, pod.Spec.ImagePullSecrets)
	}
}

// operatedContainers stops the VNF and starts it again.
func (b *bed) operatedContainers(t *testing.T, cluster *kubetest.ControlPlane, vnf string) {
	t.Helper()
	had := b.Vnfcs(t, vnf)
	b.Await(t, b.Begin(t, vnf, "operate", map[string]any{
		"changeStateTo": "STOPPED", "stopType": "GRACEFUL", "gracefulStopTimeout": 5,
	}), quick, "COMPLETED")
	requireNoPods(t, cluster.Client)
	b.requireState(t, vnf, "STOPPED")
	require.Equal(t, had, b.Vnfcs(t, vnf), "a VNFC that was there before keeps its id")
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/scale",
		map[string]any{"type": "SCALE_OUT", "aspectId": "web_pods"})
	require.Equal(t, http.StatusConflict, a.Status, "%s", a.Body)

	b.Await(t, b.Operate(t, vnf, "STARTED"), quick, "COMPLETED")
	b.requireState(t, vnf, "STARTED")
	require.Len(t, b.Vnfcs(t, vnf), len(had))
	b.requireSeen(t, vnf, "Deployment")
}

// followsContainers deletes a Pod, which the cluster replaces, and scales the VNF with Kubernetes. The next check
// records both, and neither is drift.
func (b *bed) followsContainers(t *testing.T, cluster *kubetest.ControlPlane, vnf string) {
	t.Helper()
	a := b.Call(t, http.MethodGet, "/windlass/v1/vnf_instances/"+vnf+"/drift_policy", nil)
	require.Contains(t, string(a.Body), `"check":true`, "it is looked at without being asked for")
	pods := cluster.Client.CoreV1().Pods("default")
	recorded := func() (names []string) {
		for _, v := range b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)["vnfcResourceInfo"].([]any) {
			names = append(names, v.(map[string]any)["computeResource"].(map[string]any)["resourceId"].(string))
		}
		return names
	}
	gone := recorded()[0]
	require.NoError(t, pods.Delete(t.Context(), gone, metav1.DeleteOptions{}))
	b.CheckDriftUntil(t, vnf, func(r lcm.DriftReport) bool {
		return len(r.Findings) == 0 && !slices.Contains(recorded(), gone)
	})
	require.Len(t, recorded(), 3)

	scale := func(to int32) {
		deployments := cluster.Client.AppsV1().Deployments("default")
		// The controllers of the cluster change the Deployment, too.
		require.NoError(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
			s, err := deployments.GetScale(t.Context(), "web", metav1.GetOptions{})
			if err != nil {
				return err
			}
			s.Spec.Replicas = to
			_, err = deployments.UpdateScale(t.Context(), "web", s, metav1.UpdateOptions{})
			return err
		}))
	}
	for _, to := range []int32{2, 3} {
		scale(to)
		b.CheckDriftUntil(t, vnf, func(r lcm.DriftReport) bool { return len(r.Findings) == 0 && len(recorded()) == int(to) })
		require.Equal(t, int(to)-1, b.ScaleLevel(t, vnf, "web_pods"))
	}

	// A Deployment that somebody deletes is drift. A heal makes it again.
	require.NoError(t, cluster.Client.AppsV1().Deployments("default").Delete(t.Context(), "web", metav1.DeleteOptions{}))
	had := len(recorded())
	b.CheckDriftUntil(t, vnf, func(r lcm.DriftReport) bool { return len(r.Findings) >= had })
	require.Len(t, recorded(), had)
	b.Await(t, b.Heal(t, vnf), quick, "COMPLETED")
	b.CheckDriftUntil(t, vnf, func(r lcm.DriftReport) bool { return len(r.Findings) == 0 })
}

// foreignContainers uses two packages of Tacker and their requests without changes. One has the form of v1, on a
// registered VIM. The other has the form of v2, and its request contains the connection.
func (b *bed) foreignContainers(t *testing.T, cluster *kubetest.ControlPlane, vim string) {
	t.Helper()
	dir := filepath.Join(foreignPackages(b.Root), "cnf")
	if _, err := os.Stat(dir); err != nil {
		t.Log("Tacker's packages are not here: they are data of the project's workplace and not ours to copy.")
		return
	}
	b.onboardAsItIs(t, filepath.Join(dir, "v1_scale"))
	b.onboardAsItIs(t, filepath.Join(dir, "v2_change"))

	vnf := b.CreateOf(t, "b1bb0ce7-ebca-4fa7-95ed-4840d70a1177", "v1")
	op := b.Begin(t, vnf, "instantiate", map[string]any{
		"flavourId":         "simple",
		"additionalParams":  map[string]any{"lcm-kubernetes-def-files": []string{"Files/kubernetes/deployment_scale.yaml"}},
		"vimConnectionInfo": []any{map[string]any{"id": "1", "vimId": vim, "vimType": "kubernetes"}},
	})
	b.Await(t, op, quick, "COMPLETED")
	had := len(b.Vnfcs(t, vnf))
	op = b.Scale(t, vnf, "SCALE_OUT", "vdu1_aspect", 1)
	b.Await(t, op, quick, "COMPLETED")
	require.Greater(t, len(b.Vnfcs(t, vnf)), had)
	b.Remove(t, vnf)

	v2 := b.inSecondForm(t, "b1bb0ce7-ebca-4fa7-95ed-4840d7000000", "v2", nil)
	v2.done(t, "instantiate", map[string]any{
		"flavourId": "simple",
		"vimConnectionInfo": map[string]any{"vim1": map[string]any{
			"vimId": unregisteredVim, "vimType": "ETSINFV.KUBERNETES.V_1",
			"interfaceInfo": map[string]any{"endpoint": cluster.URL, "ssl_ca_cert": cluster.CA},
			"accessInfo":    map[string]any{"bearer_token": kubetest.Token}, "extra": map[string]any{"dummy-key": "dummy-val"},
		}},
		"additionalParams": map[string]any{
			"lcm-kubernetes-def-files": []string{"Files/kubernetes/namespace.yaml", "Files/kubernetes/deployment.yaml"},
			"namespace":                "curry",
		},
	})
	pods, err := cluster.Client.CoreV1().Pods("curry").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	changed := func(file string) map[string]any {
		return map[string]any{
			"vnfdId": "b1bb0ce7-ebca-4fa7-95ed-4840d7000000", "additionalParams": map[string]any{
				"upgrade_type": "RollingUpdate", "lcm-kubernetes-def-files": []string{"Files/kubernetes/namespace.yaml", file},
				"vdu_params": []any{map[string]any{"vdu_id": "VDU2"}},
			},
		}
	}
	v2.done(t, "change_vnfpkg", changed("Files/new_kubernetes/new_deployment.yaml"))
	op = v2.begin(t, "change_vnfpkg", changed("Files/new_kubernetes/error_deployment.yaml"))
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "ImagePullBackOff")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	v2.done(t, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	requireNoPods(t, cluster.Client)
}

// registerCluster registers the control plane as a VIM.
func (b *bed) registerCluster(t *testing.T, p *kubetest.ControlPlane, namespace string) (id string) {
	t.Helper()
	a := b.Call(t, http.MethodPost, "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "cluster-" + namespace, "type": "kubernetes", "auth_url": p.URL,
		"auth_cred":   map[string]any{"bearer_token": kubetest.Token, "ssl_ca_cert": p.CA},
		"vim_project": map[string]any{"name": namespace},
	}})
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	var out struct {
		Vim struct {
			ID string `json:"id"`
		} `json:"vim"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out.Vim.ID
}

// webRequest returns the sample's request for that VIM.
func (b *bed) webRequest(t *testing.T, vim, namespace string) map[string]any {
	t.Helper()
	request := b.RequestOf(t, "cnf-manifests", vim)
	request["additionalParams"].(map[string]any)["namespace"] = namespace
	return request
}

// requireSeen checks how the VnfInstance shows the Pods.
func (b *bed) requireSeen(t *testing.T, vnf, kind string) {
	t.Helper()
	info := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
	for _, v := range info["vnfcResourceInfo"].([]any) {
		handle := v.(map[string]any)["computeResource"].(map[string]any)
		require.Equal(t, kind, handle["vimLevelResourceType"])
		require.NotEmpty(t, handle["resourceId"])
	}
}

// requireNoPods waits until the cluster has no Pod of a VNF.
func requireNoPods(t *testing.T, c kubernetes.Interface) {
	t.Helper()
	require.Eventually(t, func() bool {
		pods, err := c.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{LabelSelector: "windlass.nfv/owner"})
		return err == nil && len(pods.Items) == 0
	}, 30*time.Second, 100*time.Millisecond)
}
