package release

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// The VNFD ids of sample packages.
const (
	registryVnfdID = "7d7c4a18-1c6b-4d8a-9c53-0b6c3f1b8e20"
	webVnfdID      = "b7a3f6de-2c0b-4d43-9a5e-0c1f6d8e7b24"
)

// recorder makes operations of every kind that stop in FAILED_TEMP.
type recorder struct {
	*testbed.Bed
	ops []begun
}

// keep makes the data of the present release.
func keep(t *testing.T, dir string) {
	t.Helper()
	// No lab takes these addresses by itself: the test's machines have them whatever else runs.
	r := &recorder{Bed: testbed.New(t, "fake", "--net0", "127.79.0.0/24", "--public", "127.79.1.0/24")}
	for _, dir := range []string{"vnfpkg/samples/private-registry", r.brokenWeb(t)} {
		r.Onboard(t, dir)
	}
	for _, decision := range []string{"retry", "rollback"} {
		r.clusters(t, decision)
		r.registry(t, decision)
	}
	r.ends(t, "terminate-retry", "TERMINATE", "retry", r.cluster(t, "terminate-retry"), refusedBy("heat", http.MethodDelete),
		func(vnf string) string {
			return r.Terminate(t, vnf)
		})
	require.NoError(t, os.MkdirAll(dir, 0o755))
	r.containers(t, dir)
	text, err := json.MarshalIndent(r.ops, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, begunOps), append(text, '\n'), 0o600))
	require.NoError(t, r.Save(t.Context(), filepath.Join(dir, archive)))
}

// ends begins an operation that stops in FAILED_TEMP by a fault, and notes what the next release is to decide.
func (r *recorder) ends(
	t *testing.T, name, operation, decision, vnf string, fault func(*testing.T, *testbed.Bed), begin func(vnf string) string,
) {
	t.Helper()
	fault(t, r.Bed)
	op := begin(vnf)
	got := r.Await(t, op, limit, "FAILED_TEMP")
	t.Logf("%s: %s", name, got["error"].(map[string]any)["detail"])
	r.ClearFaults(t)
	r.ops = append(r.ops, begun{name, op, operation, decision})
}

// clusters makes the operations on clusters. Each has a cluster of its own.
func (r *recorder) clusters(t *testing.T, decision string) {
	t.Helper()
	name := "instantiate-" + decision
	r.ends(t, name, "INSTANTIATE", decision, r.Create(t, name), brokenScript("wait-for-nodes"), func(vnf string) string {
		return r.Begin(t, vnf, "instantiate", r.simple(t, name))
	})
	for _, of := range []struct {
		name, operation string
		fault           func(*testing.T, *testbed.Bed)
		begin           func(vnf string) string
	}{
		{"scale-out", "SCALE", brokenScript("wait-for-nodes"), func(vnf string) string {
			return r.Scale(t, vnf, "SCALE_OUT", workers)
		}},
		{"scale-in", "SCALE", brokenScript("drain-node"), func(vnf string) string {
			return r.Scale(t, vnf, "SCALE_IN", workers)
		}},
		{"scale-to-level", "SCALE_TO_LEVEL", brokenScript("kubeadm-join"), func(vnf string) string {
			return r.Begin(t, vnf, "scale_to_level", map[string]any{"scaleInfo": []any{
				map[string]any{"aspectId": workers, "scaleLevel": 3},
			}})
		}},
		{"heal", "HEAL", brokenScript("drain-node"), func(vnf string) string {
			return r.Heal(t, vnf, r.VnfcOf(t, vnf, "workerNode"))
		}},
		{"stop", "OPERATE", refusedBy("nova", http.MethodPost), func(vnf string) string {
			return r.Begin(t, vnf, "operate", map[string]any{"changeStateTo": "STOPPED", "stopType": "FORCEFUL"})
		}},
		{"modify", "MODIFY_INFO", refusedBy("heat", http.MethodGet), func(vnf string) string {
			return r.Modify(t, vnf, map[string]any{
				"vnfInstanceName":   "modified-" + decision,
				"vimConnectionInfo": r.OnOpenStack(),
			})
		}},
	} {
		name := of.name + "-" + decision
		r.ends(t, name, of.operation, decision, r.cluster(t, name), of.fault, of.begin)
	}
	if decision == "retry" { // when a heal has deleted a server, it goes forward only
		r.ends(t, "heal-joins-retry", "HEAL", decision, r.cluster(t, "heal-joins"), brokenScript("kubeadm-join"),
			func(vnf string) string { return r.Heal(t, vnf, r.VnfcOf(t, vnf, "workerNode")) })
	}
}

const workers = "worker_instance"

// cluster makes a cluster of one control plane and three workers.
func (r *recorder) cluster(t *testing.T, name string) (vnf string) {
	t.Helper()
	vnf = r.Create(t, name)
	r.Await(t, r.Begin(t, vnf, "instantiate", r.simple(t, name)), limit, "COMPLETED")
	return vnf
}

func (r *recorder) simple(t *testing.T, name string) map[string]any {
	t.Helper()
	return r.SampleRequest(t, "simple", name, func(request, _ map[string]any) {
		request["instantiationLevelId"] = "instantiation_level_2" // three workers
	})
}

// registry makes an operation that moves a server to another network.
func (r *recorder) registry(t *testing.T, decision string) {
	t.Helper()
	name := "reconnect-" + decision
	other := r.AddNetwork(t, name)
	vnf := r.CreateOf(t, registryVnfdID, name)
	r.Await(t, r.Begin(t, vnf, "instantiate", r.RequestOf(t, "registry", r.Vim)), limit, "COMPLETED")
	r.ends(t, name, "CHANGE_EXT_CONN", decision, vnf, refusedBy("heat", http.MethodPatch), func(vnf string) string {
		return r.Begin(t, vnf, "change_ext_conn", map[string]any{"extVirtualLinks": []any{map[string]any{
			"id": "other", "resourceId": other.ID,
			"extCps": []any{map[string]any{"cpdId": "CP1", "cpConfig": []any{map[string]any{
				"cpProtocolData": []any{map[string]any{"layerProtocol": "IP_OVER_ETHERNET"}},
			}}}},
		}}})
	})
}

// containers makes operations on containers: with manifests that cannot start, and without the namespace.
func (r *recorder) containers(t *testing.T, dir string) {
	t.Helper()
	cluster := newCluster(t)
	vim := r.RegisterCluster(t, clusterName, cluster.URL, cluster.CA, kubetest.Token)
	vnfs := map[string]string{}
	for _, decision := range []string{"retry", "rollback"} {
		vnfs[decision] = r.CreateOf(t, webVnfdID, "containers-"+decision)
		request := r.RequestOf(t, "cnf-manifests", vim)
		request["additionalParams"].(map[string]any)["namespace"] = decision
		r.Await(t, r.Begin(t, vnfs[decision], "instantiate", request), limit, "COMPLETED")
	}
	change := func(file string) func(vnf string) string {
		return func(vnf string) string {
			return r.ChangePackage(t, vnf, map[string]any{
				"vnfdId": webVnfdID,
				"additionalParams": map[string]any{
					"lcm-kubernetes-def-files": []string{"Files/kubernetes/page.yaml", "Files/kubernetes/" + file},
				},
			})
		}
	}
	r.ends(t, "containers-rollback", "CHANGE_VNFPKG", "rollback", vnfs["rollback"], func(*testing.T, *testbed.Bed) {},
		change("broken/web.yaml"))
	saveCluster(t, cluster, dir)
	r.ends(t, "containers-retry", "CHANGE_VNFPKG", "retry", vnfs["retry"],
		func(t *testing.T, _ *testbed.Bed) {
			t.Helper()
			require.NoError(t, cluster.Client.CoreV1().Namespaces().Delete(t.Context(), "retry", metav1.DeleteOptions{}))
		}, change("web.yaml"))
}

// brokenWeb makes the sample of manifests with an image that the test's kubelet cannot pull.
func (r *recorder) brokenWeb(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(r.Root, "vnfpkg/samples/cnf-manifests"))))
	file := filepath.Join(dir, "Files/kubernetes/broken/web.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "lab.local/none:v1")
	text = []byte(strings.ReplaceAll(string(text), "lab.local/none:v1", "broken.local/web:v1"))
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return dir
}

// brokenScript makes a script fail once, on the first machine that runs it.
func brokenScript(name string) func(*testing.T, *testbed.Bed) {
	return func(t *testing.T, b *testbed.Bed) {
		t.Helper()
		b.ScriptFault(t, map[string]any{"script": name, "times": 1, "exit_code": 1, "output": "windlass: it broke."})
	}
}

// refusedBy makes a service of the cloud refuse requests.
func refusedBy(service, method string) func(*testing.T, *testbed.Bed) {
	return func(t *testing.T, b *testbed.Bed) {
		t.Helper()
		b.Fault(t, map[string]any{"service": service, "method": method, "status": http.StatusForbidden, "message": "not now", "count": -1})
	}
}
