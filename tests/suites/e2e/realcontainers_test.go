package e2e

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const troubledVnfdID = "3d1f0c52-8f0a-4a53-9a7c-5be2f7f0c1ac"

// TestContainersOnRealMachines runs the operations of every kind of containerised VNF on a small real cluster, with
// failures of real nodes. It takes minutes more than CI has: go tool task test:containers.
func TestContainersOnRealMachines(t *testing.T) {
	if os.Getenv("WINDLASS_TEST_CONTAINERS") == "" || os.Geteuid() != 0 {
		t.Skip("Run by go tool task test:containers, as root; the scenarios on a control plane without nodes have run.")
	}
	b := newBed(t, "nspawn")
	clusterVnf := b.Create(t, "containers")
	op := b.Begin(t, clusterVnf, "instantiate", b.InstantiateRequest(t, "containers", func(req, cluster map[string]any) {
		req["flavourId"] = "simple"
		cluster["master_node"].(map[string]any)["cluster_cp_name"] = "masterNode_CP1" // no virtual IP
	}))
	b.Await(t, op, 15*time.Minute, "COMPLETED")
	const cluster = "cluster-containers"
	b.containersOn(t, cluster, clusterVnf)
	r := realContainers{
		bed: b, c: b.Kubernetes(t, cluster),
		vim: b.Get(t, "/v1.0/vims?name="+cluster)["vims"].([]any)[0].(map[string]any),
	}
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"chart", r.chart},
		{"described", r.described},
		{"another package", r.anotherPackage},
		{"side by side", r.sideBySide},
		{"hybrid", r.hybrid},
		{"troubles", r.troubles},
		{"API server killed", r.apiServerKilled},
	} {
		require.True(t, t.Run(part.name, part.run), "the parts share a cluster: none runs after one that failed")
	}
	b.terminate(t, clusterVnf)
	b.RequireNothingLeft(t)
}

// realContainers are VNFs on a real cluster.
type realContainers struct {
	*bed
	c   kubernetes.Interface
	vim map[string]any
}

// request returns a sample's request for the cluster.
func (r *realContainers) request(t *testing.T, sample string) map[string]any {
	t.Helper()
	return r.RequestOf(t, sample, r.vim["id"].(string))
}

// requireText waits until a Service shows that text.
func (r *realContainers) requireText(t *testing.T, service, port, text string) {
	t.Helper()
	var page []byte
	require.Eventually(t, func() bool { // the proxies use a new Pod only after a moment
		var err error
		page, err = r.c.CoreV1().Services("default").ProxyGet("http", service, port, "/", nil).DoRaw(t.Context())
		return err == nil && bytes.Contains(page, []byte(text))
	}, time.Minute, 200*time.Millisecond, "%s does not show %q but %q", service, text, page)
}

// chart runs the operations of a VNF that a chart makes.
func (r *realContainers) chart(t *testing.T) {
	r.Onboard(t, "vnfpkg/samples/cnf-helm")
	vnf := r.CreateOf(t, chartVnfdID, "chart")
	r.Await(t, r.Begin(t, vnf, "instantiate", r.request(t, "cnf-helm")), quick, "COMPLETED")
	r.requireText(t, "web", "8081", "This page was in a request.")
	r.growAndHeal(t, vnf)
	r.requireText(t, "web", "8081", "This page was in a request.")
	r.change(t, vnf, map[string]any{"vnfdId": chartVnfdID, "additionalParams": map[string]any{
		"upgrade_type": "RollingUpdate", "helm_chart_path": "Files/kubernetes/web",
		"vdu_params":      []any{map[string]any{"vdu_id": "web"}},
		"helm_parameters": map[string]any{"page": "This page was in a change."},
	}})
	r.requireText(t, "web", "8081", "This page was in a change.")
	r.terminate(t, vnf)
	requireNoPods(t, r.c)
}

// sideBySide instantiates two VNFs of one package in two namespaces. One namespace has an object of somebody else with
// the same name. Windlass refuses it before it makes anything, and does not change the object.
func (r *realContainers) sideBySide(t *testing.T) {
	const other = "beside"
	_, err := r.c.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: other}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web-page"}, Data: map[string]string{"of": "others"}}
	made, err := r.c.CoreV1().ConfigMaps(other).Create(t.Context(), theirs, metav1.CreateOptions{})
	require.NoError(t, err)

	here, there := r.CreateOf(t, webVnfdID, "here"), r.CreateOf(t, webVnfdID, "there")
	r.Await(t, r.Begin(t, here, "instantiate", r.request(t, "cnf-manifests")), quick, "COMPLETED")
	request := r.request(t, "cnf-manifests")
	request["additionalParams"].(map[string]any)["namespace"] = other
	op := r.Begin(t, there, "instantiate", request)
	failed := r.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "ConfigMap beside/web-page")
	deployments, err := r.c.AppsV1().Deployments(other).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Empty(t, deployments.Items, "nothing is made")
	now, err := r.c.CoreV1().ConfigMaps(other).Get(t.Context(), theirs.Name, metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, made, now, "it is not touched")

	require.NoError(t, r.c.CoreV1().ConfigMaps(other).Delete(t.Context(), theirs.Name, metav1.DeleteOptions{}))
	require.Equal(t, http.StatusAccepted, r.Act(t, op, "retry", nil).Status)
	r.Await(t, op, quick, "COMPLETED")
	r.requireText(t, "web", "80", "from a Pod")
	r.terminate(t, here)
	_, err = r.c.AppsV1().Deployments("default").Get(t.Context(), "web", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	require.Len(t, r.Vnfcs(t, there), 1)
	pods, err := r.c.CoreV1().Pods(other).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, pods.Items, 1, "the other one goes on")
	r.terminate(t, there)
	requireNoPods(t, r.c)
	require.NoError(t, r.c.CoreV1().Namespaces().Delete(t.Context(), other, metav1.DeleteOptions{}))
}

// growAndHeal adds two Pods, and replaces one Pod.
func (r *realContainers) growAndHeal(t *testing.T, vnf string) {
	t.Helper()
	r.Await(t, r.Scale(t, vnf, "SCALE_OUT", "web_pods", 2), quick, "COMPLETED")
	require.Len(t, r.Vnfcs(t, vnf), 3)
	leaving := r.VnfcOf(t, vnf, "web")
	r.Await(t, r.Heal(t, vnf, leaving), quick, "COMPLETED")
	require.NotContains(t, r.Vnfcs(t, vnf), leaving)
	require.Len(t, r.Vnfcs(t, vnf), 3)
}

// described runs the operations of a VNF whose containers the VNFD describes. A change of the package gives it another
// page.
func (r *realContainers) described(t *testing.T) {
	vnf := r.CreateOf(t, describedVnfdID, "of a VNFD")
	request := r.describedRequest(t, r.vim["id"].(string), map[string]any{"page": "first", "namespace": "default"})
	r.Await(t, r.Begin(t, vnf, "instantiate", request), quick, "COMPLETED")
	r.requireText(t, "web-address-"+vnf[:8], "80", "first")
	r.growAndHeal(t, vnf)
	r.change(t, vnf, map[string]any{"vnfdId": describedVnfdID, "additionalParams": map[string]any{"page": "second"}})
	r.requireText(t, "web-address-"+vnf[:8], "80", "second")
	r.terminate(t, vnf)
	requireNoPods(t, r.c)
}

// change sends a change_vnfpkg, which only v2 of the API has.
func (r *realContainers) change(t *testing.T, vnf string, request map[string]any) {
	t.Helper()
	r.Await(t, r.ChangePackage(t, vnf, request), quick, "COMPLETED")
}

// anotherPackage changes a VNF of manifests to a package with another page.
func (r *realContainers) anotherPackage(t *testing.T) {
	r.Onboard(t, r.variant(t, strings.NewReplacer(webVnfdID, newWebVnfdID, "software_version: '1.0'",
		"software_version: '2.0'", "name: web-page", "name: web-page-2", "from a Pod", "from a newer Pod")))
	vnf := r.CreateOf(t, webVnfdID, "changing")
	r.Await(t, r.Begin(t, vnf, "instantiate", r.request(t, "cnf-manifests")), quick, "COMPLETED")
	r.requireText(t, "web", "80", "from a Pod")
	r.change(t, vnf, map[string]any{"vnfdId": newWebVnfdID})
	r.requireText(t, "web", "80", "from a newer Pod")
	r.terminate(t, vnf)
	requireNoPods(t, r.c)
}

// variant makes the sample of manifests with other texts.
func (r *realContainers) variant(t *testing.T, change *strings.Replacer) (dir string) {
	t.Helper()
	return r.ChangedPackage(t, "vnfpkg/samples/cnf-manifests", change)
}

// apiServerKilled kills the only API server of the cluster during the instantiation of a VNF.
func (r *realContainers) apiServerKilled(t *testing.T) {
	vnf := r.CreateOf(t, webVnfdID, "killed")
	op := r.Begin(t, vnf, "instantiate", r.request(t, "cnf-manifests"))
	require.Eventually(t, func() bool {
		_, err := r.c.AppsV1().Deployments("default").Get(t.Context(), "web", metav1.GetOptions{})
		return err == nil
	}, time.Minute, 20*time.Millisecond)
	at, err := url.Parse(r.vim["auth_url"].(string))
	require.NoError(t, err)
	killProcess(t, "kube-apiserver", "--advertise-address="+at.Hostname())
	r.Await(t, op, quick, "COMPLETED")
	r.requireText(t, "web", "80", "from a Pod")
	r.terminate(t, vnf)
	requireNoPods(t, r.c)
}

// killProcess kills the process with that program and argument on this host or the machines on it. There must be
// exactly one.
func killProcess(t *testing.T, program, argument string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	var found []int
	for _, file := range files {
		text, _ := os.ReadFile(file) // processes come and go
		args := strings.Split(string(text), "\x00")
		if filepath.Base(args[0]) != program || !strings.Contains(string(text), "\x00"+argument+"\x00") {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		require.NoError(t, err)
		found = append(found, pid)
	}
	require.Len(t, found, 1, "%s %s", program, argument)
	require.NoError(t, syscall.Kill(found[0], syscall.SIGKILL))
}

// troubles instantiates VNFs whose Pods cannot run. Windlass must report each soon after the kubelet or the scheduler.
func (r *realContainers) troubles(t *testing.T) {
	web, err := os.ReadFile(filepath.Join(r.Root, "vnfpkg/samples/cnf-manifests/Files/kubernetes/web.yaml"))
	require.NoError(t, err)
	for _, of := range []struct {
		name, vnfd, old, new string
		reported             func(corev1.Pod) bool
		says                 []string
	}{
		{
			"crash loop", troubledVnfdID, "          workingDir: /www\n",
			"          workingDir: /www\n" +
				"          command: [/usr/bin/python3, -c, 'raise SystemExit(\"The server has no configuration.\")']\n",
			waits("CrashLoopBackOff"),
			[]string{"CrashLoopBackOff", "The server has no configuration."},
		},
		{
			"too big", troubledVnfdID[:len(troubledVnfdID)-1] + "d", "cpu: 10m", "cpu: '640'", unschedulable,
			[]string{"Insufficient cpu"},
		},
		{
			"missing claim", troubledVnfdID[:len(troubledVnfdID)-1] + "e", "configMap: { name: web-page }",
			"persistentVolumeClaim: { claimName: nowhere }", unschedulable,
			[]string{"nowhere"},
		},
	} {
		require.Contains(t, string(web), of.old)
		r.Onboard(t, r.variant(t, strings.NewReplacer(webVnfdID, of.vnfd, of.old, of.new)))
		vnf := r.CreateOf(t, of.vnfd, of.name)
		r.requireToldSoon(t, r.c, r.Begin(t, vnf, "instantiate", r.request(t, "cnf-manifests")), of.reported, of.says...)
		r.Delete(t, vnf)
	}
}

// waits returns a function that says whether a container waits for one of the reasons.
func waits(reasons ...string) func(corev1.Pod) bool {
	return func(pod corev1.Pod) bool {
		for _, s := range pod.Status.ContainerStatuses {
			for _, reason := range reasons {
				if s.State.Waiting != nil && s.State.Waiting.Reason == reason {
					return true
				}
			}
		}
		return false
	}
}

func unschedulable(pod corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable {
			return true
		}
	}
	return false
}

// requireToldSoon checks that the operation fails within 10 s after the cluster's own report about a Pod, with these
// texts. Then it rolls the operation back.
func (b *bed) requireToldSoon(
	t *testing.T, c kubernetes.Interface, op string, reported func(corev1.Pod) bool, says ...string,
) {
	t.Helper()
	var at time.Time
	require.Eventually(t, func() bool {
		pods, err := c.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
		for _, pod := range podsOrNone(pods, err) {
			if reported(pod) {
				at = time.Now()
			}
		}
		return !at.IsZero()
	}, 2*time.Minute, 100*time.Millisecond, "the cluster reports nothing")
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	took := time.Since(at)
	t.Logf("FAILED_TEMP came %s after the cluster's first report.", took.Round(100*time.Millisecond))
	require.Less(t, took, 10*time.Second)
	for _, text := range says {
		require.Contains(t, failed["error"].(map[string]any)["detail"], text)
	}
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	requireNoPods(t, c)
}
