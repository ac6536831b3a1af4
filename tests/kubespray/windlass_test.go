package kubespray

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/tests/environment"
	"github.com/windlass-nfv/windlass/tests/testbed"
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

func newSite(t *testing.T) site {
	t.Helper()
	require.Zero(t, os.Geteuid(), "real machines need root")
	s := site{Bed: testbed.New(t, environment.NSpawn)}
	s.ansible = &bed{root: s.Root, address: map[string]string{}, host: map[string]*remote.Host{}}
	s.ansible.makeStack(t, s.Cloud.Login(), "", nil)
	s.ansible.upload(t, filepath.Join(s.Root, "tests/kubespray/playbooks"), playbooks)
	out, err := s.Windlass(t.Context(), "package", "create", "vnfpkg/samples/k8s-kubespray").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return s
}

// request is the sample's, for a cluster by the Ansible server.
func (s site) request(t *testing.T, name string, edit func(ansible map[string]any)) map[string]any {
	t.Helper()
	return s.requestOf(t, "kubespray-balanced", name, edit, func(map[string]any) {})
}

// requestOf is that of a sample.
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
	return s.createOf(t, ofSample, name)
}

func (s site) createOf(t *testing.T, vnfd, name string) string {
	t.Helper()
	a := s.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": vnfd, "vnfInstanceName": name})
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	var out struct {
		ID string `json:"id"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out.ID
}

// ask asks the API of a cluster through its load balancer all the time, each time over a new connection, until the
// function that it returns tells how often, and how often in vain.
func (s site) ask(t *testing.T, cluster string) (ended func() (sent, failed int)) {
	t.Helper()
	url := s.Get(t, "/v1.0/vims?name="+cluster)["vims"].([]any)[0].(map[string]any)["auth_url"].(string) + "/livez"
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // it asks whether somebody answers, and nothing else
	}}
	ctx, stop := context.WithCancel(t.Context())
	counts := make(chan [2]int)
	go func() {
		var n [2]int
		for ctx.Err() == nil {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
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

// requireNodes asks the cluster itself, through its load balancer: it has so many nodes, all at work.
func (s site) requireNodes(t *testing.T, count int) {
	t.Helper()
	nodes, err := s.Kubernetes(t, "cluster-kubespray").CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, nodes.Items, count)
	for _, n := range nodes.Items {
		require.True(t, testbed.Ready(n), n.Name)
		require.False(t, n.Spec.Unschedulable, n.Name)
	}
}

// said counts the lines of an operation's output in which a text is.
func (s site) said(t *testing.T, op, text string) int {
	t.Helper()
	a := s.Call(t, http.MethodGet, "/windlass/v1/vnf_lcm_op_occs/"+path.Base(op)+"/logs", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	return strings.Count(string(a.Body), text)
}

// awaitPlay waits until an operation's playbook is at work.
func (s site) awaitPlay(t *testing.T, op string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return s.said(t, op, "TASK [") > 0 || s.errorOf(t, op) != ""
	}, 10*time.Minute, time.Second)
	require.Empty(t, s.errorOf(t, op))
}

// errorOf is what an operation that waits for a person says.
func (s site) errorOf(t *testing.T, op string) string {
	t.Helper()
	failure, _ := s.Get(t, op)["error"].(map[string]any)
	detail, _ := failure["detail"].(string)
	return detail
}

// left are the directories of clusters on the Ansible server.
func (s site) left(t *testing.T) string {
	t.Helper()
	return s.ansible.script(t, ansibleServer, "ls "+inventories+" /dev/shm | grep windlass || true\n")
}

// TestWindlass takes a cluster by kubespray through its life, on real machines: its worker is killed while a playbook
// runs, it is scaled out and in, one of its workers is healed, and nothing is left of it on the Ansible server.
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

	op = s.Heal(t, vnf, "test", s.VnfcOf(t, vnf, "workerNode"))
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(s.Timings(t, op))
	s.requireNodes(t, 3)

	ended := s.ask(t, "cluster-kubespray")
	op = s.Scale(t, vnf, "SCALE_IN", "worker_instance")
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	sent, failed := ended()
	t.Logf("%d requests through the load balancer while a worker left, %d failed.", sent, failed)
	require.Positive(t, sent)
	require.Zero(t, failed)
	s.requireNodes(t, 2)

	s.Terminate(t, vnf)
	require.Empty(t, s.left(t), "the Ansible server is clean")
}
