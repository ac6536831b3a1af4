package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestOnRealMachines makes a real cluster, with real kubeadm, etcd, HAProxy and keepalived, while the worker is
// killed in the middle of a join, and takes it down again.
func TestOnRealMachines(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("Real machines need root; the scenarios on fake machines have run.")
	}
	b := newBed(t, "nspawn")
	vnf, op := b.Instantiate(t, "real", nil)
	b.awaitControlPlanes(t, op, 10*time.Minute, "PENDING", "RUNNING")
	b.KillWorker(t)
	b.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))

	day := dayTwo{bed: b, vnf: vnf, cluster: "cluster-real", controlPlanes: 3, workers: 2, limit: 15 * time.Minute}
	day.requireNodes(t) // no node is doubled
	day.pass(t)
	b.cancelForReal(t)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// cancelForReal cancels a second, small cluster while kubeadm runs.
func (b *bed) cancelForReal(t *testing.T) {
	t.Helper()
	vnf := b.Create(t, "cancelled")
	op := b.Begin(t, vnf, "instantiate", b.InstantiateRequest(t, "cancelled", func(req, cluster map[string]any) {
		req["flavourId"] = "simple"
		cluster["master_node"].(map[string]any)["cluster_cp_name"] = "masterNode_CP1" // no VIP
	}))
	b.AwaitNodeFor(t, op, "Initialise the first control plane", "RUNNING", 5*time.Minute)
	require.Eventually(t, func() bool { return kubeadms(t) > 0 }, time.Minute, 100*time.Millisecond, "kubeadm does not start")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "cancel", map[string]any{"cancelMode": "FORCEFUL"}).Status)
	b.Await(t, op, time.Minute, "FAILED_TEMP")
	require.Zero(t, kubeadms(t), "kubeadm is dead on the node when the operation says so")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, 3*time.Minute, "ROLLED_BACK")
	require.Equal(t, http.StatusNoContent, b.Call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil).Status)
}

// kubeadms counts the processes of kubeadm on this host, which those on the machines are.
func kubeadms(t *testing.T) int {
	t.Helper()
	n := 0
	files, err := filepath.Glob("/proc/[0-9]*/comm")
	require.NoError(t, err)
	for _, file := range files {
		if name, err := os.ReadFile(file); err == nil && string(name) == "kubeadm\n" {
			n++
		}
	}
	return n
}

// kubernetes opens the API of a registered cluster with the account that Windlass made for itself.
func (b *bed) kubernetes(t *testing.T, name string) *kubernetes.Clientset {
	t.Helper()
	vims := b.Get(t, "/v1.0/vims?name="+name)["vims"].([]any)
	require.Len(t, vims, 1)
	config := &rest.Config{Host: vims[0].(map[string]any)["auth_url"].(string), TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	for ref, value := range b.unsealed(t) {
		if strings.Contains(ref, "token") && strings.Count(value, ".") == 2 { // a service account's is a JWT
			config.BearerToken = value
		}
	}
	c, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return c
}

func ready(n corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
