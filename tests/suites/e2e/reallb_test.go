package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// TestLoadBalancersOnRealMachines puts kubeadm clusters behind real load balancers: a pair with HAProxy and keepalived,
// which also exposes a VNF and is healed; the lab's Octavia; and one that a script of the package sets up. It takes
// minutes more than CI has: go tool task test:balancers.
func TestLoadBalancersOnRealMachines(t *testing.T) {
	if os.Getenv("WINDLASS_TEST_BALANCERS") == "" || os.Geteuid() != 0 {
		t.Skip("Run by go tool task test:balancers, as root; the scenarios on fake machines have run.")
	}
	b := newBed(t, "nspawn")
	b.OnboardOnce(t, "vnfpkg/samples/external-lb")
	b.OnboardOnce(t, "vnfpkg/samples/cnf-nodeport")
	t.Run("a pair", func(t *testing.T) { realPair(t, b) })
	t.Run("Octavia", func(t *testing.T) { realOctavia(t, b) })
	t.Run("the package's script", func(t *testing.T) { realScript(t, b) })
}

// smallBalanced instantiates a cluster of the sample external-lb with one control plane and one worker.
func (b *bed) smallBalanced(t *testing.T, request, name string, edit func(lb map[string]any)) (vnf, address string) {
	t.Helper()
	vnf = b.CreateOf(t, balancedVnfdID, name)
	op := b.Begin(t, vnf, "instantiate", b.SampleRequest(t, request, name, func(_, cluster map[string]any) {
		lb := cluster["external_lb_param"].(map[string]any)
		if lb["octavia"] == nil {
			lb["ssh_password"] = testbed.NodePassword
		}
		if edit != nil {
			edit(lb)
		}
	}))
	b.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))
	at, err := url.Parse(b.Get(t, "/v1.0/vims?name=cluster-"+name)["vims"].([]any)[0].(map[string]any)["auth_url"].(string))
	require.NoError(t, err)
	require.Equal(t, "8383", at.Port())
	b.requireReady(t, "cluster-"+name, 2)
	return vnf, at.Hostname()
}

// requireReady checks through the load balancer that a cluster has so many nodes, and that all are Ready.
func (b *bed) requireReady(t *testing.T, cluster string, count int) {
	t.Helper()
	nodes, err := b.Kubernetes(t, cluster).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, nodes.Items, count)
	for _, n := range nodes.Items {
		require.True(t, testbed.Ready(n), n.Name)
	}
}

func realPair(t *testing.T, b *bed) {
	const limit = 15 * time.Minute
	vnf, address := b.smallBalanced(t, "external-lb-pair", "pair", nil)
	c := b.Kubernetes(t, "cluster-pair")

	web := b.CreateOf(t, exposedVnfdID, "web")
	vim := b.Get(t, "/v1.0/vims?name=cluster-pair")["vims"].([]any)[0].(map[string]any)["id"].(string)
	request := b.exposedRequest(t, vim, "")
	lb := request["additionalParams"].(map[string]any)["lcm-kubernetes-external-lb"].(map[string]any)["external_lb_param"].(map[string]any)
	delete(lb, "ssh_ip")
	lb["ssh_ips"] = b.addressesOf(t, vnf, "externalLB_CP1")
	require.Len(t, lb["ssh_ips"], 2)
	op := b.Begin(t, web, "instantiate", request)
	b.Await(t, op, limit, "COMPLETED")
	service, err := c.CoreV1().Services("default").Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	page := fmt.Sprintf("http://%s:%d/", address, service.Spec.Ports[0].NodePort)
	require.Eventually(t, func() bool { return pageAt(t.Context(), page) == nil }, time.Minute, time.Second, page)

	for range 2 { // twice: one of them has the virtual IP
		silence := b.watchVirtualIP(t, "cluster-pair")
		op = b.Heal(t, vnf, b.VnfcOf(t, vnf, "externalLB"))
		b.Await(t, op, limit, "COMPLETED")
		t.Log(b.Timings(t, op))
		longest := silence()
		t.Logf("The API server behind two load balancers was silent for %s at the longest while one was healed.", longest)
		require.Less(t, longest, 30*time.Second)
		require.NoError(t, pageAt(t.Context(), page), "the new load balancer serves the Service, too")
	}

	for _, way := range []string{"SCALE_OUT", "SCALE_IN"} {
		op = b.Scale(t, vnf, way, "balancer_instance")
		b.Await(t, op, limit, "COMPLETED")
		require.NoError(t, pageAt(t.Context(), page), "after a "+way+" of the load balancers")
		b.requireReady(t, "cluster-pair", 2)
	}

	op = b.Scale(t, vnf, "SCALE_OUT", "worker_instance")
	b.Await(t, op, limit, "COMPLETED")
	b.requireReady(t, "cluster-pair", 3)
	ended := askPage(t, page)
	op = b.Scale(t, vnf, "SCALE_IN", "worker_instance")
	b.Await(t, op, limit, "COMPLETED")
	sent, failed := ended()
	t.Logf("%d requests for the page of a Service while a worker left, %d failed.", sent, failed)
	require.Positive(t, sent)
	require.Zero(t, failed, "its routes went first")
	b.requireReady(t, "cluster-pair", 2)

	b.terminate(t, web)
	require.Error(t, pageAt(t.Context(), page), "it is exposed no more")
	b.requireReady(t, "cluster-pair", 2)
	b.terminate(t, vnf)
}

// realOctavia puts a cluster behind the lab's Octavia, which is a process with real traffic.
func realOctavia(t *testing.T, b *bed) {
	vnf, address := b.smallBalanced(t, "external-lb-octavia", "octavia", nil)
	op := b.Scale(t, vnf, "SCALE_OUT", "worker_instance")
	b.Await(t, op, 15*time.Minute, "COMPLETED")
	b.requireReady(t, "cluster-octavia", 3)
	b.terminate(t, vnf)
	require.Error(t, pageAt(t.Context(), "http://"+address+":8383/"), "nothing is left at the address")
}

func realScript(t *testing.T, b *bed) {
	vnf, _ := b.smallBalanced(t, "external-lb", "scripted", func(lb map[string]any) {
		lb["script_path"] = "./Scripts/balance.sh"
		delete(lb, "node_ports")
	})
	op := b.Scale(t, vnf, "SCALE_OUT", "worker_instance")
	b.Await(t, op, 15*time.Minute, "COMPLETED")
	b.requireReady(t, "cluster-scripted", 3)
	b.terminate(t, vnf)
}

// addressesOf returns the addresses that a VnfInstance shows for the ports of a connection point.
func (b *bed) addressesOf(t *testing.T, vnf, cpd string) (out []string) {
	t.Helper()
	info := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
	for _, cp := range info["extCpInfo"].([]any) {
		if cp := cp.(map[string]any); cp["cpdId"] == cpd {
			ip := cp["cpProtocolInfo"].([]any)[0].(map[string]any)["ipOverEthernet"].(map[string]any)["ipAddresses"].([]any)[0].(map[string]any)
			out = append(out, ip["addresses"].([]any)[0].(string))
		}
	}
	return out
}

func pageAt(ctx context.Context, url string) error {
	ctx, end := context.WithTimeout(ctx, 5*time.Second)
	defer end()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %w", answer.Status, err)
	}
	return nil
}

// askPage continuously requests a page, each time over a new connection. The returned function stops this, and returns
// the numbers of all requests and of the failed ones.
func askPage(t *testing.T, page string) (ended func() (sent, failed int)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	counts := make(chan [2]int)
	go func() {
		var n [2]int
		for ctx.Err() == nil {
			if err := pageAt(ctx, page); ctx.Err() == nil {
				n[0]++
				if err != nil {
					n[1]++
				}
			}
		}
		counts <- n
	}()
	return func() (int, int) {
		stop()
		n := <-counts
		return n[0], n[1]
	}
}
