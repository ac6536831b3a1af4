package e2e

import (
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// TestIPv6OnRealMachines makes a cluster that has no address of IPv4: nodes, virtual IP, Services and Pods. It takes the
// cluster through its life, with VMs that are switched off.
func TestIPv6OnRealMachines(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("Real machines need root.")
	}
	if os.Getenv("WINDLASS_TEST_IPV6") == "" {
		t.Skip("not run: go tool task test:ipv6 runs it")
	}
	t.Setenv("WINDLASS_KUBERNETES_POD_NETWORK", flannelOfIPv6(t))
	b := newBed(t, "nspawn")
	network := b.AddIPv6Network(t, "six")
	vnf, op := b.Instantiate(t, "six", func(req, cluster map[string]any) {
		for _, link := range req["extVirtualLinks"].([]any) {
			link.(map[string]any)["resourceId"] = network.ID
		}
		req["additionalParams"].(map[string]any)["pod_cidr"] = "fd00:10:244::/56"
		masters := cluster["master_node"].(map[string]any)
		masters["pod_cidr"], masters["cluster_cidr"] = "fd00:10:244::/56", "fd00:96::/112"
		delete(cluster, "cni_manifest_path") // the operator's
	})
	b.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))

	day := dayTwo{bed: b, vnf: vnf, cluster: "cluster-six", controlPlanes: 3, workers: 2, limit: 15 * time.Minute}
	day.requireNodes(t)
	vim := b.Get(t, "/v1.0/vims?name="+day.cluster)["vims"].([]any)[0].(map[string]any)
	at, err := url.Parse(vim["auth_url"].(string))
	require.NoError(t, err)
	require.True(t, network.Subnet.Contains(netip.MustParseAddr(at.Hostname())), "%s is the virtual IP", at)
	pods := realPods{&day, b.Kubernetes(t, day.cluster)}
	pods.serve(t)
	day.scale(t, "SCALE_OUT", 1)
	pods.callFromEach(t)
	day.healSwitchedOff(t, "workerNode")
	day.healSwitchedOff(t, "masterNode")
	pods.callFromEach(t)
	day.scale(t, "SCALE_IN", -1)
	b.terminate(t, vnf)
	network.Remove(t)
	b.RequireNothingLeft(t)
}

// flannelOfIPv6 writes the lab's flannel for clusters of IPv6.
func flannelOfIPv6(t *testing.T) (file string) {
	t.Helper()
	root, err := environment.Root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "vnfpkg/samples/k8s-ha/Files/kubernetes/flannel.yaml"))
	require.NoError(t, err)
	out := string(text)
	for _, change := range []struct{ from, to string }{
		{`{"Network": "__POD_CIDR__",`, `{"EnableIPv4": false, "EnableIPv6": true, "IPv6Network": "__POD_CIDR__",`},
		{
			`args: [--ip-masq, --kube-subnet-mgr]`,
			`args: [--ip-masq, --kube-subnet-mgr, --cni-conf=/etc/cni/net.d/10-flannel.conflist]`,
		},
		// The lab's flannel writes this file itself; what has another ending is not read.
		{
			`args: [/etc/kube-flannel/cni-conf.json, /etc/cni/net.d/10-flannel.conflist]`,
			`args: [/etc/kube-flannel/cni-conf.json, /etc/cni/net.d/unused]`,
		},
		{
			"            - name: run\n              mountPath: /run/flannel\n",
			"            - name: run\n              mountPath: /run/flannel\n" +
				"            - name: cni\n              mountPath: /etc/cni/net.d\n",
		},
	} {
		require.Equal(t, 1, strings.Count(out, change.from), change.from)
		out = strings.Replace(out, change.from, change.to, 1)
	}
	file = filepath.Join(t.TempDir(), "flannel.yaml")
	require.NoError(t, os.WriteFile(file, []byte(out), 0o600))
	return file
}

// serve makes a Service with a Pod behind it.
func (p *realPods) serve(t *testing.T) {
	t.Helper()
	labels := map[string]string{"app": "web"}
	_, err := p.c.AppsV1().Deployments(namespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					TerminationGracePeriodSeconds: new(int64(1)),
					Containers: []corev1.Container{{
						Name: "web", Image: "lab.local/web:v1", ImagePullPolicy: corev1.PullIfNotPresent,
						Command: []string{"python3", "-m", "http.server", "--bind", "::", "8080"},
					}},
				},
			},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	service, err := p.c.CoreV1().Services(namespace).Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 8080}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.True(t, netip.MustParseAddr(service.Spec.ClusterIP).Is6(), service.Spec.ClusterIP)
}

// callFromEach calls the Service by its name, from a Pod on each worker.
func (p *realPods) callFromEach(t *testing.T) {
	t.Helper()
	const call = "import urllib.request as u; u.urlopen('http://web.default.svc.cluster.local:8080', timeout=5)"
	for _, node := range p.workers(t) {
		p.run(t, "call-"+node, corev1.PodSpec{
			NodeName: node, RestartPolicy: corev1.RestartPolicyOnFailure,
			Containers: []corev1.Container{{
				Name: "main", Image: "lab.local/web:v1", ImagePullPolicy: corev1.PullIfNotPresent,
				Command: []string{"python3", "-c", call},
			}},
		}, corev1.PodSucceeded)
	}
}
