package e2e

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// standIn forwards the connections to the address at to the server with.
func standIn(t *testing.T, at, with string) {
	t.Helper()
	l, err := net.Listen("tcp", strings.TrimPrefix(at, "https://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer from.Close()
				to, err := net.Dial("tcp", strings.TrimPrefix(with, "https://"))
				if err != nil {
					return
				}
				defer to.Close()
				go func() { _, _ = io.Copy(to, from) }()
				_, _ = io.Copy(from, to)
			}()
		}
	}()
}

// TestClusterWithVnfs terminates a cluster and all VNFs on it with one request. Fake machines have no Kubernetes API: a
// real control plane answers at the address of their API.
func TestClusterWithVnfs(t *testing.T) {
	cluster := kubetest.Start(t)
	b := newBed(t, "fake")
	b.Onboard(t, "vnfpkg/samples/cnf-manifests")
	home := b.Create(t, "home")
	b.Await(t, b.Begin(t, home, "instantiate", b.SampleRequest(t, "simple", "home", nil)), quick, "COMPLETED")
	vim := ""
	for _, v := range b.Get(t, "/v1.0/vims")["vims"].([]any) {
		if v := v.(map[string]any); v["type"] == "kubernetes" {
			vim = v["id"].(string)
			standIn(t, v["auth_url"].(string), cluster.URL)
		}
	}
	a := b.Call(t, http.MethodPut, "/v1.0/vims/"+vim, map[string]any{"vim": map[string]any{
		"auth_cred":   map[string]any{"bearer_token": kubetest.Token, "ssl_ca_cert": "None"},
		"vim_project": map[string]any{"name": "default"},
	}})
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)

	web, gone := b.CreateOf(t, webVnfdID, "web"), b.CreateOf(t, webVnfdID, "gone")
	b.Await(t, b.Begin(t, gone, "instantiate", b.webRequest(t, vim, "default")), quick, "COMPLETED")
	b.Await(t, b.Terminate(t, gone), quick, "COMPLETED")
	b.Await(t, b.Begin(t, web, "instantiate", b.webRequest(t, vim, "default")), quick, "COMPLETED")

	terminate := map[string]any{"terminationType": "FORCEFUL"}
	a = b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+home+"/terminate", terminate)
	require.Equal(t, http.StatusConflict, a.Status, "%s", a.Body)
	require.Contains(t, string(a.Body), "additionalParams.terminate_vnfs")

	// A VNF on the cluster cannot be terminated now. The error names it, and the cluster stays until a retry terminates
	// the VNF.
	cluster.Kubelet.Pace.Store(int64(3 * time.Second))
	scale := b.Scale(t, web, "SCALE_OUT", "web_pods")
	terminate["additionalParams"] = map[string]any{"terminate_vnfs": true}
	op := b.Begin(t, home, "terminate", terminate)
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "The VNF instance "+web+" cannot be terminated now")
	cluster.Kubelet.Pace.Store(0)
	b.Await(t, scale, quick, "COMPLETED")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	requireNoPods(t, cluster.Client)
	for _, vnf := range []string{home, web, gone} {
		info := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)
		require.Equal(t, "NOT_INSTANTIATED", info["instantiationState"])
		b.Delete(t, vnf)
	}
	require.Equal(t, http.StatusNotFound, b.Call(t, http.MethodGet, "/v1.0/vims/"+vim, nil).Status)
	b.RequireNothingLeft(t)
}
