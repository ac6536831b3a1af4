package faults

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

const (
	containersPackage = "vnfpkg/samples/cnf-networks"
	containersVnfdID  = "3f1c8a57-94d2-4f6e-8d0b-6a2e5b7c9d13"
)

// The states of a containerised VNF: it has so many Pods, and it runs or is stopped.
var (
	onePod    = state{pods: 1}
	threePods = state{pods: 3}
	halted    = state{pods: 1, stopped: true}
	rerouted  = state{pods: 1, elsewhere: true} // on the other network
	renewed   = state{pods: 1, renewed: true}
	chartPod  = state{pods: 1, chart: true}
	chartPods = state{pods: 3, chart: true}
	chartHalt = state{pods: 1, chart: true, stopped: true}
	chartNew  = state{pods: 1, chart: true, renewed: true}
)

// ofContainers are the rows of the matrix for a containerised VNF.
var ofContainers = []operation{
	{"instantiate containers", none, onePod, func(t testing.TB, s *site) string { return s.instantiateContainers(t, onePod) }},
	{"scale out containers", onePod, threePods, func(t testing.TB, s *site) string { return s.scalePods(t, 2) }},
	{"scale in containers", threePods, onePod, func(t testing.TB, s *site) string { return s.scalePods(t, -2) }},
	{"scale containers to level", onePod, threePods, func(t testing.TB, s *site) string {
		return s.bed.Begin(t, s.vnf, "scale_to_level", map[string]any{
			"scaleInfo": []any{map[string]any{"aspectId": "web_pods", "scaleLevel": 2}},
		})
	}},
	{"heal container", onePod, onePod, heal("web")},
	{"heal all containers", threePods, threePods, heal()},
	{"stop containers", onePod, halted, operate("STOPPED")},
	{"start containers", halted, onePod, operate("STARTED")},
	{"reconnect containers", onePod, rerouted, reroute},
	{"modify containers", onePod, onePod, func(t testing.TB, s *site) string {
		return s.bed.Modify(t, s.vnf, map[string]any{
			"vnfInstanceName": "containers-" + s.unique(), "vimConnectionInfo": s.clusterConnection(),
		})
	}},
	{"change package of containers", onePod, renewed, func(t testing.TB, s *site) string {
		return s.bed.ChangePackage(t, s.vnf, map[string]any{"vnfdId": laterVnfdID})
	}},
	{"terminate containers", onePod, none, terminate},
	{"instantiate chart", none, chartPod, func(t testing.TB, s *site) string { return s.instantiateContainers(t, chartPod) }},
	{"scale out chart", chartPod, chartPods, func(t testing.TB, s *site) string { return s.scalePods(t, 2) }},
	{"scale in chart", chartPods, chartPod, func(t testing.TB, s *site) string { return s.scalePods(t, -2) }},
	{"stop chart", chartPod, chartHalt, operate("STOPPED")},
	{"start chart", chartHalt, chartPod, operate("STARTED")},
	{"change package of a chart", chartPod, chartNew, func(t testing.TB, s *site) string {
		return s.bed.ChangePackage(t, s.vnf, map[string]any{"vnfdId": laterChartVnfdID})
	}},
	{"heal chart", chartPod, chartPod, heal("web")},
	{"terminate chart", chartPod, none, terminate},
}

// startCluster starts a control plane of Kubernetes for the containerised VNFs, if it can run here, and registers it.
func (s *site) startCluster(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Log("VNFs of containers are left out: the programs of Kubernetes are in an image that root builds.")
		return
	}
	s.life, s.cluster = t, kubetest.Start(t)
	s.cluster.InstallMultus(t)
	s.clusterVim = s.bed.RegisterCluster(t, "cluster", s.cluster.URL, s.cluster.CA, kubetest.Token)
	for _, dir := range []string{
		containersPackage, chartPackage, s.laterPackage(t), s.laterChart(t), hybridPackage, s.laterHybrid(t),
	} {
		s.bed.Onboard(t, dir)
	}
}

// rows returns the operations of the matrix that can run here.
func (s *site) rows() []operation {
	if s.cluster == nil {
		return slices.Concat(operations, ofFlavours, ofKubespray, ofScripts)
	}
	return slices.Concat(operations, ofFlavours, ofKubespray, ofScripts, ofContainers, ofContainerFlavours, ofHybrid)
}

// mediaOn connects the connection point media with a network.
func mediaOn(network string) []any {
	return []any{map[string]any{
		"id": "media", "resourceId": network, "extCps": []any{map[string]any{
			"cpdId": "media", "cpConfig": []any{map[string]any{"cpProtocolData": []any{map[string]any{
				"layerProtocol": "IP_OVER_ETHERNET",
				"ipOverEthernet": map[string]any{"ipAddresses": []any{
					map[string]any{"type": "IPV4", "numDynamicAddresses": 1},
				}},
			}}}},
		}},
	}}
}

// reroute moves the connection point media to the other network.
func reroute(t testing.TB, s *site) (op string) {
	t.Helper()
	return s.bed.Begin(t, s.vnf, "change_ext_conn", map[string]any{"extVirtualLinks": mediaOn("media-new")})
}

func (s *site) scalePods(t testing.TB, by int) (op string) {
	t.Helper()
	direction := "SCALE_OUT"
	if by < 0 {
		direction, by = "SCALE_IN", -by
	}
	return s.bed.Scale(t, s.vnf, direction, "web_pods", by)
}

// approachContainers does the same as approach, to and from a containerised VNF.
func (s *site) approachContainers(t testing.TB, want state) (now state) {
	t.Helper()
	switch {
	case s.now == none:
		first := state{pods: 1, chart: want.chart}
		s.await(t, s.instantiateContainers(t, first))
		return first
	case s.now.pods == 0: // there is another VNF
		return s.approach(t, none)
	case want.pods == 0, s.now.elsewhere, want.chart != s.now.chart, s.now.renewed && !want.renewed:
		s.bed.Remove(t, s.vnf)
		s.requireNoContainers(t)
		s.vnf = ""
		return none
	case s.now.stopped:
		s.await(t, operate("STARTED")(t, s))
		return state{pods: s.now.pods, chart: s.now.chart}
	case s.now.pods != want.pods:
		s.await(t, s.scalePods(t, want.pods-s.now.pods))
		return state{pods: want.pods, chart: s.now.chart}
	case want.renewed:
		later := map[bool]string{false: laterVnfdID, true: laterChartVnfdID}[want.chart]
		s.await(t, s.bed.ChangePackage(t, s.vnf, map[string]any{"vnfdId": later}))
		return want
	}
	s.await(t, operate("STOPPED")(t, s))
	return want
}

// requireContainers checks that there are as many Pods as in the state, and that the VnfInstance shows them.
func (s *site) requireContainers(t testing.TB, want state) {
	t.Helper()
	running := want.pods
	if want.stopped {
		running = 0
	}
	require.Len(t, s.podsIn(t), running)
	deployment, err := s.cluster.Client.AppsV1().Deployments("default").Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	require.EqualValues(t, running, *deployment.Spec.Replicas)
	require.Equal(t, map[bool]string{false: "lab.local/web:v1", true: laterImage}[want.renewed],
		deployment.Spec.Template.Spec.Containers[0].Image)
	vnfcs := s.bed.Vnfcs(t, s.vnf)
	require.Len(t, vnfcs, want.pods)
	for _, pod := range s.podsIn(t) {
		require.Contains(t, vnfcs, s.vnfcOf(t, pod.Name))
	}
	require.Equal(t, want.pods-1, s.bed.ScaleLevel(t, s.vnf, "web_pods"))
	if !want.chart {
		s.requireRoute(t, want)
	}
}

// requireRoute checks that each Pod is on the network of the state, and that the VnfInstance shows this.
func (s *site) requireRoute(t testing.TB, want state) {
	t.Helper()
	network := map[bool]string{false: "media", true: "media-new"}[want.elsewhere]
	info := s.bed.Get(t, "/vnflcm/v1/vnf_instances/"+s.vnf)["instantiatedVnfInfo"].(map[string]any)
	links := info["extVirtualLinkInfo"].([]any)
	require.Len(t, links, 1)
	link := links[0].(map[string]any)
	require.Equal(t, network, link["resourceHandle"].(map[string]any)["resourceId"])
	pods := s.podsIn(t)
	for _, pod := range pods {
		require.Contains(t, pod.Annotations["k8s.v1.cni.cncf.io/network-status"], `"default/`+network+`"`)
	}
	ports, _ := link["extLinkPorts"].([]any)
	require.Len(t, ports, want.pods, "a stopped VNF keeps its connection points, as it keeps its VNFCs")
}

// vnfcOf returns the id of the VNFC that is the Pod.
func (s *site) vnfcOf(t testing.TB, pod string) string {
	t.Helper()
	info := s.bed.Get(t, "/vnflcm/v1/vnf_instances/"+s.vnf)["instantiatedVnfInfo"].(map[string]any)
	for _, v := range info["vnfcResourceInfo"].([]any) {
		vnfc := v.(map[string]any)
		if vnfc["computeResource"].(map[string]any)["resourceId"] == pod {
			return vnfc["id"].(string)
		}
	}
	require.Fail(t, "no VNFC is the Pod "+pod)
	return ""
}

func (s *site) podsIn(t testing.TB) []corev1.Pod {
	t.Helper()
	pods, err := s.cluster.Client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	return pods.Items
}

// requireNoContainers checks that nothing is left in the cluster.
func (s *site) requireNoContainers(t testing.TB) {
	t.Helper()
	if s.cluster == nil {
		return
	}
	require.Empty(t, s.podsIn(t))
	const ours = "windlass.nfv/owner"
	deployments, err := s.cluster.Client.AppsV1().Deployments("").List(t.Context(), metav1.ListOptions{LabelSelector: ours})
	require.NoError(t, err)
	require.Empty(t, deployments.Items)
	maps, err := s.cluster.Client.CoreV1().ConfigMaps("").List(t.Context(), metav1.ListOptions{LabelSelector: ours})
	require.NoError(t, err)
	require.Empty(t, maps.Items)
	secrets, err := s.cluster.Client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{LabelSelector: ours})
	require.NoError(t, err)
	require.Empty(t, secrets.Items)
}

// killCluster kills the API server of the VNF's cluster, and starts it again.
func killCluster(t testing.TB, c *cell) bool {
	s := c.site
	if c.operation.before.pods+c.operation.after.pods == 0 {
		return false
	}
	s.cluster.Kill(s.life)
	s.cluster.Await(t)
	return true
}

// TestSample_ofContainers runs a part of the matrix in CI: some operations, each with the kill of a process.
func TestSample_ofContainers(t *testing.T) {
	if *all || *onlyOps != "" || *onlyKinds != "" || *onlySteps != "" {
		t.Skip("The matrix runs.")
	}
	s, results := newSite(t), &results{}
	if s.startCluster(t); s.cluster == nil {
		t.Skip("not run: it needs root, once, to build the image that has the programs of Kubernetes")
	}
	defer func() { results.show(t, *tableIn) }()
	for i, row := range []struct{ operation, fault string }{
		{"instantiate containers", "worker killed"},
		{"scale out containers", "cluster's API server killed"},
		{"scale in containers", "PostgreSQL killed"},
		{"heal container", "API server killed"},
		{"stop containers", "cluster's API server killed"},
		{"start containers", "worker killed"},
		{"reconnect containers", "worker killed"},
		{"scale containers to level", "API server killed"},
		{"modify containers", "worker killed"},
		{"change package of containers", "worker killed"},
		{"terminate containers", "Temporal restarted"},
		{"change flavour of containers", "worker killed"},
		{"change flavour of containers back", "cluster's API server killed"},
		{"scale out chart", "cluster's API server killed"},
		{"instantiate hybrid", "worker killed"},
		{"scale hybrid to level", "PostgreSQL restarted"},
	} {
		o, f := named(slices.Concat(ofContainers, ofContainerFlavours, ofHybrid), row.operation), faultOf(row.fault)
		s = runCell(t, s, &cell{
			operation: o, step: longest(t, s, o), fault: f, decision: []string{"retry", "rollback"}[i%2],
		}, results)
		require.False(t, t.Failed(), "The cells after this one were not run.")
	}
}

// longest returns the step that needs most of the time of an undisturbed operation.
func longest(t testing.TB, s *site, o operation) (title string) {
	t.Helper()
	c := &cell{operation: o, site: s}
	s.prepare(t, o.before)
	c.pacePods(150 * time.Millisecond)
	c.op = o.begin(t, s)
	s.await(t, c.op)
	c.pacePods(0)
	var most time.Duration
	for _, step := range s.bed.Steps(t, c.op) {
		if took := step.EndedAt.Sub(step.StartedAt); took > most {
			title, most = step.Title, took
		}
	}
	c.finish(t, "")
	return title
}

func named(of []operation, name string) operation {
	for _, o := range of {
		if o.name == name {
			return o
		}
	}
	panic("no operation is called " + name)
}

func faultOf(name string) fault {
	for _, f := range faults {
		if f.name == name {
			return f
		}
	}
	panic("no fault is called " + name)
}
