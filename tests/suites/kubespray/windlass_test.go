package kubespray

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// ofSample is the VNFD of the sample package k8s-kubespray.
const ofSample = "2d0c6f0a-3f0b-4a6b-9a53-7f2f4f0d1c77"

// inventories is where Windlass makes the directories of clusters on the Ansible server.
const inventories = home + "inventories"

// site is Windlass, the lab's cloud and an Ansible server in it.
type site struct {
	*testbed.Bed
	ansible *bed
}

// bareSite is a site whose Ansible server has this image and no playbooks.
func bareSite(t *testing.T, image string) site {
	t.Helper()
	require.Zero(t, os.Geteuid(), "real machines need root")
	s := site{Bed: testbed.New(t, environment.NSpawn)}
	s.ansible = &bed{root: s.Root, address: map[string]string{}, host: map[string]*remote.Host{}}
	s.ansible.makeStack(t, s.Cloud.Login(), image, "", nil)
	return s
}

func newSite(t *testing.T) site {
	t.Helper()
	s := bareSite(t, kubespray.AnsibleImage)
	s.ansible.upload(t, filepath.Join(s.Root, "tests/support/kubespray/playbooks"), playbooks)
	s.Onboard(t, "vnfpkg/samples/k8s-kubespray")
	return s
}

// request returns the sample's request for a cluster that the Ansible server installs.
func (s site) request(t *testing.T, name string, edit func(ansible map[string]any)) map[string]any {
	t.Helper()
	return s.requestOf(t, "kubespray-balanced", name, edit, func(map[string]any) {})
}

// requestOf returns the request of a sample, with changes.
func (s site) requestOf(
	t *testing.T, sample, name string, edit func(ansible map[string]any), more func(cluster map[string]any),
) map[string]any {
	t.Helper()
	return s.SampleRequest(t, sample, name, func(_, cluster map[string]any) {
		ansible := map[string]any{
			"ip_address": s.ansible.address[ansibleServer], "username": machine.User, "password": testbed.NodePassword,
			"kubespray_root_path": playbooks, "transferring_inventory_path": inventories,
		}
		if edit != nil {
			edit(ansible)
		}
		cluster["ansible"] = ansible
		more(cluster)
	})
}

// create makes an instance of the sample.
func (s site) create(t *testing.T, name string) string {
	t.Helper()
	return s.CreateOf(t, ofSample, name)
}

// address returns the URL of a cluster's API.
func (s site) address(t *testing.T, cluster string) string {
	t.Helper()
	return s.Get(t, "/v1.0/vims?name="+cluster)["vims"].([]any)[0].(map[string]any)["auth_url"].(string)
}

// ask requests a page again and again, each time over a new connection. The function that it returns stops this, and
// returns the number of requests and of failures.
func ask(t *testing.T, page string) (ended func() (sent, failed int)) {
	t.Helper()
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // it asks whether somebody answers, and nothing else
	}}
	ctx, stop := context.WithCancel(t.Context())
	counts := make(chan [2]int)
	go func() {
		var n [2]int
		for ctx.Err() == nil {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
			if err == nil {
				var answer *http.Response
				if answer, err = client.Do(request); err == nil {
					_ = answer.Body.Close()
				}
			}
			if ctx.Err() == nil {
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

// servePage runs a web server on every worker of a cluster, and returns its URL at the load balancer.
func (s site) servePage(t *testing.T, cluster string, workers int32) (page string) {
	t.Helper()
	name := metav1.ObjectMeta{Name: "page", Namespace: "default", Labels: map[string]string{"app": "page"}}
	api := s.Kubernetes(t, cluster)
	_, err := api.AppsV1().Deployments("default").Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: name,
		Spec: appsv1.DeploymentSpec{
			Replicas: &workers, Selector: &metav1.LabelSelector{MatchLabels: name.Labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: name.Labels}, Spec: pageSpec},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = api.CoreV1().Services("default").Create(t.Context(), &corev1.Service{
		ObjectMeta: name,
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeNodePort, Selector: name.Labels,
			Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080), NodePort: 30080}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		now, err := api.AppsV1().Deployments("default").Get(t.Context(), "page", metav1.GetOptions{})
		return err == nil && now.Status.ReadyReplicas == workers
	}, 3*time.Minute, time.Second)
	at, err := url.Parse(s.address(t, cluster))
	require.NoError(t, err)
	return "http://" + net.JoinHostPort(at.Hostname(), "30080") + "/"
}

// pageSpec is a Pod with the web server of the lab's image. A Pod sleeps before it stops, so that the other nodes have
// time to stop sending requests to it.
var pageSpec = corev1.PodSpec{
	TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "page"}},
	}},
	Containers: []corev1.Container{{
		Name: "web", Image: "lab.local/web:v1", ImagePullPolicy: corev1.PullIfNotPresent,
		ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromInt32(8080)},
		}},
		Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 5}}},
	}},
}

// requireNodes asks the cluster itself, through its load balancer, and requires this number of nodes, all ready.
func (s site) requireNodes(t *testing.T, count int) {
	t.Helper()
	s.requireNodesOf(t, "cluster-kubespray", count)
}

func (s site) requireNodesOf(t *testing.T, cluster string, count int) {
	t.Helper()
	nodes, err := s.Kubernetes(t, cluster).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, nodes.Items, count)
	for _, n := range nodes.Items {
		require.True(t, testbed.Ready(n), n.Name)
		require.False(t, n.Spec.Unschedulable, n.Name)
	}
}

// said counts the lines of an operation's output that contain a text.
func (s site) said(t *testing.T, op, text string) int {
	t.Helper()
	a := s.Call(t, http.MethodGet, "/windlass/v1/vnf_lcm_op_occs/"+path.Base(op)+"/logs", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	return strings.Count(string(a.Body), text)
}

// awaitPlay waits until the operation's playbook runs a task, or the operation has an error.
func (s site) awaitPlay(t *testing.T, op string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return s.said(t, op, "TASK [") > 0 || s.errorOf(t, op) != ""
	}, 10*time.Minute, time.Second)
	require.Empty(t, s.errorOf(t, op))
}

// errorOf returns the error of an operation that waits for a decision.
func (s site) errorOf(t *testing.T, op string) string {
	t.Helper()
	failure, _ := s.Get(t, op)["error"].(map[string]any)
	detail, _ := failure["detail"].(string)
	return detail
}

// left lists the directories of clusters on the Ansible server.
func (s site) left(t *testing.T) string {
	t.Helper()
	return s.ansible.script(t, ansibleServer, "ls "+inventories+" /dev/shm | grep windlass || true\n")
}

// TestWindlass takes a cluster by kubespray through its life, on real machines. It kills the worker while a playbook
// runs, scales out and in, heals one of its workers, then the entire VNF, and requires that nothing is left on the
// Ansible server.
func TestWindlass(t *testing.T) {
	s := newSite(t)
	vnf := s.create(t, "kubespray")
	op := s.Begin(t, vnf, "instantiate", s.request(t, "kubespray", nil))
	s.awaitPlay(t, op)
	s.KillWorker(t)
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(s.Timings(t, op))
	runs := s.ansible.script(t, ansibleServer, "cat "+inventories+"/windlass-"+vnf+"/runs\n")
	require.Equal(t, 1, strings.Count(runs, "cluster.yml"), "the playbook is never started twice")
	s.requireNodes(t, 2)

	op = s.Scale(t, vnf, "SCALE_OUT", "worker_instance")
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	s.requireNodes(t, 3)

	op = s.Heal(t, vnf, s.VnfcOf(t, vnf, "workerNode"))
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(s.Timings(t, op))
	s.requireNodes(t, 3)

	page := s.servePage(t, "cluster-kubespray", 2)
	askedAPI, askedPage := ask(t, s.address(t, "cluster-kubespray")+"/livez"), ask(t, page)
	op = s.Scale(t, vnf, "SCALE_IN", "worker_instance")
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	for of, ended := range map[string]func() (sent, failed int){"the API": askedAPI, "the page of a Service": askedPage} {
		sent, failed := ended()
		t.Logf("%d requests for %s through the load balancer while a worker left, %d failed.", sent, of, failed)
		require.Positive(t, sent)
		require.Zero(t, failed)
	}
	s.requireNodes(t, 2)

	op = s.Heal(t, vnf)
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(s.Timings(t, op))
	s.requireNodes(t, 2)

	s.Remove(t, vnf)
	require.Empty(t, s.left(t), "the Ansible server is clean")
}

// TestWindlass_twoClustersOnOneServer has one Ansible server install two clusters at once, and scale one of them while
// the other is terminated.
func TestWindlass_twoClustersOnOneServer(t *testing.T) {
	s := newSite(t)
	names, vnf, op := []string{"one", "two"}, map[string]string{}, map[string]string{}
	for _, name := range names {
		vnf[name] = s.create(t, name)
		op[name] = s.Begin(t, vnf[name], "instantiate", s.request(t, name, nil))
	}
	s.awaitPlay(t, op["one"])
	s.awaitPlay(t, op["two"])
	for _, name := range names {
		require.NotEqual(t, "COMPLETED", s.Get(t, op[name])["operationState"], "they are installed at the same time")
	}
	for _, name := range names {
		s.Await(t, op[name], 20*time.Minute, "COMPLETED")
		s.requireNodesOf(t, "cluster-"+name, 2)
		inventory := s.ansible.script(t, ansibleServer, "cat "+inventories+"/windlass-"+vnf[name]+"/hosts.ini\n")
		require.Equal(t, 2, strings.Count(inventory, " ansible_host="), inventory)
	}
	scale := s.Scale(t, vnf["one"], "SCALE_OUT", "worker_instance")
	s.awaitPlay(t, scale)
	s.Remove(t, vnf["two"])
	s.Await(t, scale, 15*time.Minute, "COMPLETED")
	s.requireNodesOf(t, "cluster-one", 3)
	s.Remove(t, vnf["one"])
	require.Empty(t, s.left(t), "the Ansible server is clean")
}
