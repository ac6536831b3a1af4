package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const exposedVnfdID = "d3f1c0a7-5b0e-4a7b-8c3f-6b8f2d9a4e10"

// TestExposedServices exposes the Service of a VNF on the load balancers in front of its cluster, while the cluster
// changes. The request names one load balancer of the pair. A real control plane answers at their virtual IP.
func TestExposedServices(t *testing.T) {
	cluster := kubetest.Start(t)
	b := newBed(t, "fake")
	home := b.balanced(t, "external-lb-pair", "home", func(lb map[string]any) { delete(lb, "node_ports") })
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
	b.OnboardOnce(t, "vnfpkg/samples/cnf-nodeport")
	web := b.CreateOf(t, exposedVnfdID, "web")
	named := b.addressesOf(t, home, "externalLB_CP1")[0]
	op := b.Begin(t, web, "instantiate", b.exposedRequest(t, vim, named))
	b.Await(t, op, quick, "COMPLETED")
	b.requireNowhere(t, web, op, map[string]string{"the load balancer's password": testbed.NodePassword})
	requireExposed := func(count int) {
		t.Helper()
		service, err := cluster.Client.CoreV1().Services("default").Get(t.Context(), "web", metav1.GetOptions{})
		require.NoError(t, err)
		for _, lb := range b.requireBalanced(t, count) {
			require.Equal(t, []int{int(service.Spec.Ports[0].NodePort)}, lb.NodePorts)
		}
	}
	requireExposed(2)
	for _, aspect := range []string{"worker_instance", "balancer_instance"} {
		b.Await(t, b.Scale(t, home, "SCALE_OUT", aspect), quick, "COMPLETED")
	}
	requireExposed(3)
	for vnfc := range b.Vnfcs(t, home) { // until all first load balancers are replaced
		if b.Vnfcs(t, home)[vnfc] == balancerVdu {
			b.Await(t, b.Heal(t, home, vnfc), quick, "COMPLETED")
		}
	}
	requireExposed(3)
	b.Await(t, b.Heal(t, web), quick, "COMPLETED") // this makes the Service anew
	requireExposed(3)

	b.terminate(t, web)
	for _, lb := range b.requireBalanced(t, 3) {
		require.Empty(t, lb.NodePorts)
	}
	b.terminate(t, home)
	b.RequireNothingLeft(t)
}

func (b *bed) exposedRequest(t *testing.T, vim, balancer string) map[string]any {
	t.Helper()
	request := b.RequestOf(t, "cnf-nodeport", vim)
	lb := request["additionalParams"].(map[string]any)["lcm-kubernetes-external-lb"].(map[string]any)["external_lb_param"].(map[string]any)
	lb["ssh_ip"], lb["ssh_password"] = balancer, testbed.NodePassword
	port, err := lcm.SSHPort(b.Cloud.Login().Vim("cloud")["vim"].(map[string]any)["extra"].(map[string]any))
	require.NoError(t, err)
	if port != 0 {
		lb["ssh_port"] = port
	}
	return request
}
