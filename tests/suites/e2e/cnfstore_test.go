package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const storeVnfdID = "0b1f4c7c-4f5e-47d7-8a53-8b7a9d6c2e10"

// store is a StatefulSet of two Pods, each with its own claim.
const store = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  serviceName: web
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: httpd, volumeMounts: [{name: data, mountPath: /data}]}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

// manifestsPackage on-boards the sample of manifests with other manifests and another VNFD id.
func (b *bed) manifestsPackage(t *testing.T, vnfdID, manifests string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(b.Root, "vnfpkg/samples/cnf-manifests"))))
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(text), webVnfdID, vnfdID)), 0o600)
	}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Files/kubernetes/web.yaml"), []byte(manifests), 0o600))
	b.Onboard(t, dir)
}

// TestContainers_withClaims runs operations of a VNF with volumes: heals, also failed ones, changes of the VIM's
// credentials, also to wrong ones, and terminations.
func TestContainers_withClaims(t *testing.T) {
	cluster := kubetest.Start(t)
	cluster.Volumes(t, 8)
	b := newBed(t, "fake")
	b.manifestsPackage(t, storeVnfdID, store)
	vnf := b.CreateOf(t, storeVnfdID, "store")
	request := b.webRequest(t, "", "default")
	request["instantiationLevelId"] = "large"
	request["vimConnectionInfo"] = []any{clusterConnection(cluster, kubetest.Token)}
	b.Await(t, b.Begin(t, vnf, "instantiate", request), quick, "COMPLETED")
	require.Len(t, b.Vnfcs(t, vnf), 3)

	b.healsWithClaims(t, cluster, vnf)
	b.rotatesCredentials(t, cluster, vnf)
	b.keepsClaims(t, cluster, vnf, request)
}

// keepsClaims heals the entire VNF and terminates it, each with the claims kept and without.
func (b *bed) keepsClaims(t *testing.T, cluster *kubetest.ControlPlane, vnf string, request map[string]any) {
	t.Helper()
	had, pods := claimsOf(t, cluster), b.recordedPods(t, vnf)
	b.Await(t, b.Heal(t, vnf), quick, "COMPLETED")
	require.NotEqual(t, pods, b.recordedPods(t, vnf))
	require.Equal(t, had, claimsOf(t, cluster), "a heal keeps data that nobody wants gone")
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/terminate", map[string]any{
		"terminationType": "FORCEFUL", "additionalParams": map[string]any{"claims": "burn"},
	})
	require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
	require.Contains(t, string(a.Body), "$.additionalParams.claims")
	b.Await(t, b.Begin(t, vnf, "terminate", map[string]any{
		"terminationType": "FORCEFUL", "additionalParams": map[string]any{"claims": "keep"},
	}), quick, "COMPLETED")
	requireNoPods(t, cluster.Client)
	require.Equal(t, had, claimsOf(t, cluster))

	b.Await(t, b.Begin(t, vnf, "instantiate", request), quick, "COMPLETED")
	require.Equal(t, had, claimsOf(t, cluster))
	b.Await(t, b.Begin(t, vnf, "heal", map[string]any{"additionalParams": map[string]any{"all": true}}), quick, "COMPLETED")
	for name, uid := range claimsOf(t, cluster) {
		require.NotEqual(t, had[name], uid, "this heal was to replace them")
	}
	b.tellsWhatHangs(t, cluster, vnf)
	requireNoPods(t, cluster.Client)
	require.Empty(t, claimsOf(t, cluster))
}

// tellsWhatHangs terminates the VNF while a claim has a finalizer that nobody removes. The request sets the time after
// which Windlass reports that.
func (b *bed) tellsWhatHangs(t *testing.T, cluster *kubetest.ControlPlane, vnf string) {
	t.Helper()
	claims := cluster.Client.CoreV1().PersistentVolumeClaims("default")
	list, err := claims.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	held := list.Items[0].Name
	finalizer := func(op string) {
		_, err := claims.Patch(t.Context(), held, types.JSONPatchType, []byte(op), metav1.PatchOptions{})
		require.NoError(t, err)
	}
	finalizer(`[{"op":"add","path":"/metadata/finalizers/0","value":"example.org/stay"}]`)
	op := b.Begin(t, vnf, "terminate", map[string]any{
		"terminationType": "FORCEFUL", "additionalParams": map[string]any{"patience": 3},
	})
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], held+": it waits for its finalizers: example.org/stay")
	finalizer(`[{"op":"remove","path":"/metadata/finalizers/0"}]`)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
}

// claimsOf returns the UIDs of the claims in the namespace default by their names.
func claimsOf(t *testing.T, cluster *kubetest.ControlPlane) map[string]string {
	t.Helper()
	list, err := cluster.Client.CoreV1().PersistentVolumeClaims("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	out := map[string]string{}
	for _, c := range list.Items {
		out[c.Name] = string(c.UID)
	}
	return out
}

// clusterConnection returns the VimConnectionInfo for a control plane that is no registered VIM.
func clusterConnection(p *kubetest.ControlPlane, token string) map[string]any {
	return map[string]any{
		"id": "own", "vimType": "ETSINFV.KUBERNETES.V_1",
		"interfaceInfo": map[string]any{"endpoint": p.URL, "ssl_ca_cert": p.CA},
		"accessInfo":    map[string]any{"bearer_token": token},
	}
}

// healsWithClaims heals a Pod with a claim: successfully, with a refused request, and with a failure and a rollback.
func (b *bed) healsWithClaims(t *testing.T, cluster *kubetest.ControlPlane, vnf string) {
	t.Helper()
	had := claimsOf(t, cluster)
	require.Len(t, had, 3)
	heal := func(extra map[string]any) map[string]any {
		body := map[string]any{"vnfcInstanceId": []string{b.VnfcOf(t, vnf, "web")}}
		if extra != nil {
			body["additionalParams"] = extra
		}
		return body
	}
	for _, extra := range []map[string]any{nil, {"keep_volumes": true}} {
		before := b.recordedPods(t, vnf)
		b.Await(t, b.Begin(t, vnf, "heal", heal(extra)), quick, "COMPLETED")
		require.NotEqual(t, before, b.recordedPods(t, vnf))
		require.Equal(t, podsOf(t, cluster), b.recordedPods(t, vnf))
		require.Equal(t, had, claimsOf(t, cluster), "the Pod has its volume again")
	}
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/heal", heal(map[string]any{"all": true}))
	require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, a.Status, "%s", a.Body)
	require.Contains(t, testbed.Problem(t, a)+string(a.Body), "get their former volumes")

	cluster.Cordon(t, true)
	before := b.recordedPods(t, vnf)
	op := b.Begin(t, vnf, "heal", heal(nil))
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "Unschedulable")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	require.NotEqual(t, before, b.recordedPods(t, vnf))
	require.Equal(t, podsOf(t, cluster), b.recordedPods(t, vnf), "the Pod that is there now is recorded")
	cluster.Cordon(t, false)
	b.Await(t, b.Begin(t, vnf, "heal", heal(nil)), quick, "COMPLETED")
	require.Equal(t, had, claimsOf(t, cluster))
}

// recordedPods returns the UIDs of the Pods that the VnfInstance records, by their names.
func (b *bed) recordedPods(t *testing.T, vnf string) map[string]string {
	t.Helper()
	out := map[string]string{}
	info := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
	for _, v := range info["vnfcResourceInfo"].([]any) {
		v := v.(map[string]any)
		out[v["computeResource"].(map[string]any)["resourceId"].(string)] = v["metadata"].(map[string]any)["stack_id"].(string)
	}
	return out
}

// podsOf returns the UIDs of the Pods in the namespace default by their names.
func podsOf(t *testing.T, cluster *kubetest.ControlPlane) map[string]string {
	t.Helper()
	list, err := cluster.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	out := map[string]string{}
	for _, p := range list.Items {
		out[p.Name] = string(p.UID)
	}
	return out
}

// rotatesCredentials changes the connection of the VNF: to a wrong token, to another cluster, and to another valid
// token.
func (b *bed) rotatesCredentials(t *testing.T, cluster *kubetest.ControlPlane, vnf string) {
	t.Helper()
	patch := func(connection map[string]any) map[string]any {
		return map[string]any{"vimConnectionInfo": []any{connection}}
	}
	shown := func() any { return b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["vimConnectionInfo"] }
	had := shown()
	elsewhere := kubetest.Start(t)
	for says, connection := range map[string]map[string]any{
		"refused the credentials":  clusterConnection(cluster, wrongVimPassword),
		"another cloud or project": clusterConnection(elsewhere, kubetest.Token),
	} {
		op := b.Modify(t, vnf, patch(connection))
		failed := b.Await(t, op, quick, "FAILED_TEMP")
		require.Contains(t, failed["error"].(map[string]any)["detail"], says)
		require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
		b.Await(t, op, quick, "ROLLED_BACK")
		require.Equal(t, had, shown())
		b.requireNowhere(t, vnf, op, map[string]string{"the wrong token": wrongVimPassword})
	}
	b.Await(t, b.Modify(t, vnf, patch(clusterConnection(cluster, kubetest.OtherToken))), quick, "COMPLETED")
	require.Equal(t, had, shown(), "the rest of the connection is as it was")
	b.Await(t, b.Scale(t, vnf, "SCALE_IN", "web_pods"), quick, "COMPLETED")
	require.Len(t, b.Vnfcs(t, vnf), 2)
}
