package kubespray

import (
	"flag"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	checkout = flag.String("kubespray", "",
		"a checkout of kubespray, as of its branch release-2.31, to be tried on machines of the lab")
	ansibleCore = flag.String("ansible", "", "a checkout of ansible-core, as of its branch stable-2.18, that runs kubespray")
)

// TestKubespray has kubespray itself, as its authors have written it, install a cluster with three control planes, and
// takes the cluster through its life, all through Windlass's API. The cloud has no way to the Internet.
func TestKubespray(t *testing.T) {
	if *checkout == "" || *ansibleCore == "" {
		t.Skip("not run: -kubespray and -ansible do not both name a checkout")
	}
	r := newRealSite(t)
	r.understands(t)
	vnf := r.CreateOf(t, ofOffline, "real")
	r.installsAfterAnInterruption(t, vnf)
	for _, do := range []struct {
		title   string
		begin   func() (op string)
		workers int
	}{
		{"scale out", func() string { return r.Scale(t, vnf, "SCALE_OUT", "worker_instance") }, 2},
		{"heal of a worker", func() string { return r.Heal(t, vnf, r.VnfcOf(t, vnf, "workerNode")) }, 2},
		{"scale in", func() string { return r.Scale(t, vnf, "SCALE_IN", "worker_instance") }, 1},
		{"heal of the last control plane", func() string { return r.Heal(t, vnf, r.controlPlane(t, vnf, 2)) }, 1},
		{"heal of the first control plane", func() string { return r.Heal(t, vnf, r.controlPlane(t, vnf, 0)) }, 1},
	} {
		began := time.Now()
		op := do.begin()
		r.settle(t, op, "COMPLETED")
		r.figure(t, do.title, op, began)
		r.requireCluster(t, 3, do.workers)
	}
	began := time.Now()
	r.figure(t, "termination", r.Remove(t, vnf), began)
	require.Empty(t, r.left(t), "the Ansible server is clean")
}

// installsAfterAnInterruption kills kubespray when the control planes are made, and no pod network yet. Then the
// operation is tried again.
func (r realSite) installsAfterAnInterruption(t *testing.T, vnf string) {
	t.Helper()
	request := r.requestOf(t, "kubespray", realCluster, nil, func(map[string]any) {})
	request["instantiationLevelId"] = "instantiation_level_3"
	op := r.Begin(t, vnf, "instantiate", request)
	r.awaitOutput(t, op, "PLAY [Invoke kubeadm and install a CNI]")
	r.ansible.script(t, ansibleServer, "kill -KILL $(pgrep -f 'bin/ansible-playbook -i "+inventories+"')\n")
	r.settle(t, op, "FAILED_TEMP")
	t.Logf("killed before the pod network: %s\n%s", r.errorOf(t, op), r.Timings(t, op))
	began := time.Now()
	r.retry(t, op, "COMPLETED")
	r.figure(t, "instantiation after the interruption", op, began)
	r.requireCluster(t, 3, 1)
}

// settle waits for a state. It logs what the operation has said if it has another one.
func (r realSite) settle(t *testing.T, op, state string) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Log(r.outputOf(t, op))
		}
	}()
	r.Await(t, op, 40*time.Minute, state)
}

// retry tries an operation again that has failed.
func (r realSite) retry(t *testing.T, op, state string) {
	t.Helper()
	require.Equal(t, http.StatusAccepted, r.Act(t, op, "retry", nil).Status)
	r.settle(t, op, state)
}

func (r realSite) figure(t *testing.T, title, op string, began time.Time) {
	t.Helper()
	t.Logf("FIGURE %s: %s\n%s", title, time.Since(began).Round(time.Second), r.Timings(t, op))
}

// requireCluster asks the cluster itself: all nodes are ready, and the Pods of the pod network and of CoreDNS.
func (r realSite) requireCluster(t *testing.T, controlPlanes, workers int) {
	t.Helper()
	r.requireNodesOf(t, "cluster-"+realCluster, controlPlanes+workers)
	api := r.Kubernetes(t, "cluster-"+realCluster)
	nodes, err := api.CoreV1().Nodes().List(t.Context(),
		metav1.ListOptions{LabelSelector: "node-role.kubernetes.io/control-plane"})
	require.NoError(t, err)
	require.Len(t, nodes.Items, controlPlanes)
	for _, node := range nodes.Items {
		t.Logf("%s %s %s", node.Name, node.Status.NodeInfo.KubeletVersion, node.Status.NodeInfo.ContainerRuntimeVersion)
	}
	var waits []string
	require.Eventually(t, func() bool {
		pods, err := api.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		waits = nil
		for _, pod := range pods.Items {
			if !ready(pod) {
				waits = append(waits, pod.Name)
			}
		}
		return err == nil && len(waits) == 0
	}, 5*time.Minute, time.Second, "not all Pods are ready: %v", &waits)
}

func ready(pod corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
