package e2e

import (
	"context"
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOnRealMachines makes a real cluster with real kubeadm, etcd, HAProxy and keepalived, while the worker is killed
// during a join. Then it terminates the cluster.
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
	day.requireNodes(t) // no node exists twice
	silence := b.watchVirtualIP(t, day.cluster)
	day.pass(t)
	longest := silence()
	t.Logf("The API server on the virtual IP was silent for %s at the longest.", longest)
	require.Less(t, longest, time.Minute, "load balancers change one at a time: the cluster stays in use")
	b.containersOn(t, day.cluster, vnf)
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
		cluster["master_node"].(map[string]any)["cluster_cp_name"] = "masterNode_CP1" // no virtual IP
	}))
	b.AwaitNodeFor(t, op, "Initialise the first control plane", "RUNNING", 5*time.Minute)
	require.Eventually(t, func() bool { return kubeadms(t) > 0 }, time.Minute, 100*time.Millisecond,
		"kubeadm does not start")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "cancel", map[string]any{"cancelMode": "FORCEFUL"}).Status)
	b.Await(t, op, time.Minute, "FAILED_TEMP")
	require.Zero(t, kubeadms(t), "kubeadm is dead on the node when the operation says so")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, 3*time.Minute, "ROLLED_BACK")
	b.Delete(t, vnf)
}

// watchVirtualIP continuously sends requests to the API server of a cluster, each over a new connection, as new clients
// do. The returned function stops this, and returns the longest time without an answer.
func (b *bed) watchVirtualIP(t *testing.T, cluster string) (silence func() time.Duration) {
	t.Helper()
	url := b.Get(t, "/v1.0/vims?name="+cluster)["vims"].([]any)[0].(map[string]any)["auth_url"].(string) + "/livez"
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // it asks whether somebody answers, and nothing else
	}}
	ctx, stop := context.WithCancel(t.Context())
	found := make(chan time.Duration)
	go func() {
		longest, last := time.Duration(0), time.Now()
		for ctx.Err() == nil {
			if answers(ctx, client, url) {
				longest, last = max(longest, time.Since(last)), time.Now()
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
		found <- max(longest, time.Since(last))
	}()
	return func() time.Duration {
		stop()
		return <-found
	}
}

func answers(ctx context.Context, client *http.Client, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// kubeadms counts the processes of kubeadm on this host. This includes the processes on the machines.
func kubeadms(t *testing.T) int {
	t.Helper()
	n := 0
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, file := range files {
		// A dead process is there until its parent looks (state Z of proc(5)), which takes a moment on a busy machine.
		stat, err := os.ReadFile(file)
		_, state, named := strings.Cut(string(stat), " (kubeadm) ")
		if err == nil && named && !strings.HasPrefix(state, "Z") {
			n++
		}
	}
	return n
}
