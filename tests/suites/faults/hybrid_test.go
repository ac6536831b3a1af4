package faults

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	hybridPackage     = "vnfpkg/samples/hybrid"
	hybridVnfdID      = "6a1e0b52-93c7-4d1f-b7a4-d0c95e3f8b16"
	laterHybridVnfdID = "6a1e0b52-93c7-4d1f-b7a4-d0c95e3f8b17"
	hybridImage       = "lab.local/web"
	laterHybridImage  = "lab.local/later-web"
)

// The states of a hybrid VNF: so many servers of its VDU gateway, and so many Pods.
var (
	mixed        = state{gateways: 1, pods: 1}
	moreGateways = state{gateways: 2, pods: 1}
	morePods     = state{gateways: 1, pods: 2}
	moreOfBoth   = state{gateways: 2, pods: 3}
	mixedHalted  = state{gateways: 1, pods: 1, stopped: true}
	mixedRenewed = state{gateways: 1, pods: 1, renewed: true}
)

// ofHybrid are the rows of the matrix for a VNF with VDUs on an OpenStack and on a Kubernetes.
var ofHybrid = []operation{
	{"instantiate hybrid", none, mixed, func(t testing.TB, s *site) string { return s.instantiateHybrid(t) }},
	{"scale out servers of hybrid", mixed, moreGateways, scale("SCALE_OUT", "gateways")},
	{"scale in servers of hybrid", moreGateways, mixed, scale("SCALE_IN", "gateways")},
	{"scale out containers of hybrid", mixed, morePods, scale("SCALE_OUT", "web_pods")},
	{"scale in containers of hybrid", morePods, mixed, scale("SCALE_IN", "web_pods")},
	{"scale hybrid to level", mixed, moreOfBoth, toLevel("large")},
	{"heal hybrid", mixed, mixed, heal("gateway", "web")},
	{"heal all of hybrid", mixed, mixed, heal()},
	{"stop hybrid", mixed, mixedHalted, operate("STOPPED")},
	{"start hybrid", mixedHalted, mixed, operate("STARTED")},
	{"change package of hybrid", mixed, mixedRenewed, func(t testing.TB, s *site) string {
		return s.bed.ChangePackage(t, s.vnf, map[string]any{"vnfdId": laterHybridVnfdID})
	}},
	{"terminate hybrid", mixed, none, terminate},
}

func toLevel(level string) func(testing.TB, *site) string {
	return func(t testing.TB, s *site) string {
		return s.bed.ScaleToLevel(t, s.vnf, level)
	}
}

// laterHybrid makes a later version of the sample, with another VNFD and another image of the containers.
func (s *site) laterHybrid(t testing.TB) (dir string) {
	t.Helper()
	return s.bed.ChangedPackage(t, hybridPackage, strings.NewReplacer(hybridVnfdID, laterHybridVnfdID,
		"software_version: '1.0'", "software_version: '2.0'", hybridImage, laterHybridImage))
}

// instantiateHybrid begins to instantiate the sample on the lab and on the cluster.
func (s *site) instantiateHybrid(t testing.TB) (op string) {
	t.Helper()
	request := s.bed.RequestOf(t, "hybrid", s.bed.Vim, s.clusterVim)
	request["additionalParams"].(map[string]any)["node_password"] = testbed.NodePassword
	s.vnf = s.bed.CreateOf(t, hybridVnfdID, "hybrid-"+s.unique())
	return s.bed.Begin(t, s.vnf, "instantiate", request)
}

// approachHybrid does the same as approach, to and from a hybrid VNF.
func (s *site) approachHybrid(t testing.TB, want state) (now state) {
	t.Helper()
	now = s.now
	switch {
	case now == none:
		s.await(t, s.instantiateHybrid(t))
		return mixed
	case now.gateways == 0: // there is another VNF
		return s.approach(t, none)
	case want.gateways == 0, now.renewed && !want.renewed:
		s.bed.Remove(t, s.vnf)
		s.bed.RequireNothingLeft(t)
		s.requireNoContainers(t)
		s.vnf = ""
		return none
	case now.stopped:
		s.await(t, operate("STARTED")(t, s))
		now.stopped = false
	case now.gateways < want.gateways:
		s.await(t, scale("SCALE_OUT", "gateways")(t, s))
		now.gateways++
	case now.gateways > want.gateways:
		s.await(t, scale("SCALE_IN", "gateways")(t, s))
		now.gateways--
	case now.pods != want.pods:
		s.await(t, s.scalePods(t, want.pods-now.pods))
		now.pods = want.pods
	case want.renewed:
		s.await(t, s.bed.ChangePackage(t, s.vnf, map[string]any{"vnfdId": laterHybridVnfdID}))
		now.renewed = true
	default:
		s.await(t, operate("STOPPED")(t, s))
		now.stopped = true
	}
	return now
}

// requireHybrid checks that there are as many servers and Pods as in the state, and that the VnfInstance shows them.
func (s *site) requireHybrid(t testing.TB, want state) {
	t.Helper()
	running, shown := want.pods, "STARTED"
	if want.stopped {
		running, shown = 0, "STOPPED"
	}
	require.Len(t, s.podsIn(t), running)
	deployments, err := s.cluster.Client.AppsV1().Deployments("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, deployments.Items, 1)
	require.EqualValues(t, running, *deployments.Items[0].Spec.Replicas)
	require.Equal(t, map[bool]string{false: hybridImage, true: laterHybridImage}[want.renewed]+":v1",
		deployments.Items[0].Spec.Template.Spec.Containers[0].Image)
	var servers []string
	pods := 0
	for id, vdu := range s.bed.Vnfcs(t, s.vnf) {
		if vdu == "gateway" {
			servers = append(servers, id)
		} else {
			pods++
		}
	}
	require.Equal(t, want.pods, pods)
	require.Len(t, servers, want.gateways)
	require.ElementsMatch(t, servers, serversIn(t, s.bed))
	for _, pod := range s.podsIn(t) {
		s.vnfcOf(t, pod.Name)
	}
	require.Equal(t, want.gateways-1, s.bed.ScaleLevel(t, s.vnf, "gateways"))
	require.Equal(t, want.pods-1, s.bed.ScaleLevel(t, s.vnf, "web_pods"))
	inst := s.bed.Get(t, "/vnflcm/v1/vnf_instances/"+s.vnf)
	require.Equal(t, shown, inst["instantiatedVnfInfo"].(map[string]any)["vnfState"])
	require.Equal(t, map[bool]string{false: hybridVnfdID, true: laterHybridVnfdID}[want.renewed], inst["vnfdId"])
	s.bed.CheckDriftUntil(t, s.vnf, func(r lcm.DriftReport) bool { return len(r.Findings) == 0 })
}
