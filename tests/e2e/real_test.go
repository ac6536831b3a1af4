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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

	b.requireNodes(t, 3, 2) // no node is doubled

	b.dayTwoForReal(t, vnf)
	b.cancelForReal(t)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// dayTwoForReal scales out, heals a control plane that is dead and may hold the virtual IP, and scales in; after
// each, nodes and members of etcd are exactly those that should be.
func (b *bed) dayTwoForReal(t *testing.T, vnf string) {
	t.Helper()
	op := b.Begin(t, vnf, "scale", map[string]any{"type": "SCALE_OUT", "aspectId": "worker_instance"})
	b.Await(t, op, 10*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))
	b.requireNodes(t, 3, 3)

	dead := b.VnfcOf(t, vnf, "masterNode")
	require.Less(t, b.Lab(t, http.MethodPost, "/machines/"+dead+"/kill", nil).Status, 300)
	op = b.Begin(t, vnf, "heal", map[string]any{"vnfcInstanceId": dead, "cause": "it is dead"})
	b.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))
	b.requireNodes(t, 3, 3)
	require.NotContains(t, b.Vnfcs(t, vnf), dead)

	op = b.Begin(t, vnf, "scale", map[string]any{"type": "SCALE_IN", "aspectId": "worker_instance"})
	b.Await(t, op, 10*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))
	b.requireNodes(t, 3, 2)
}

// requireNodes asks the cluster itself.
func (b *bed) requireNodes(t *testing.T, controlPlanes, workers int) {
	t.Helper()
	c := b.kubernetes(t, "cluster-real")
	nodes, err := c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, nodes.Items, controlPlanes+workers)
	for _, n := range nodes.Items {
		require.True(t, ready(n), n.Name)
		require.False(t, n.Spec.Unschedulable, n.Name)
	}
	require.Eventually(t, func() bool { // Kubernetes collects the pods of a node that is gone after a while
		etcd, err := c.CoreV1().Pods("kube-system").List(t.Context(), metav1.ListOptions{LabelSelector: "component=etcd"})
		return err == nil && len(etcd.Items) == controlPlanes
	}, 3*time.Minute, time.Second, "the pods of etcd are not %d", controlPlanes)
	tokens, err := c.CoreV1().Secrets("kube-system").List(t.Context(), metav1.ListOptions{FieldSelector: "type=bootstrap.kubernetes.io/token"})
	require.NoError(t, err)
	require.Empty(t, tokens.Items, "no join token is left")
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
