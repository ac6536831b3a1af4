package faults

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// These rows change the deployment flavour of a VNF of servers, or of containers. Their packages have the flavours simple
// and wide.
const flavoursVnfdID = "4be5f7d0-6f0d-4a0e-8a46-52f3b7c1d9a5"

var (
	simple = state{flavour: "simple"}
	broad  = state{flavour: "wide"}
)

var ofFlavours = []operation{
	{"change flavour", simple, broad, changeFlavour("wide")},
	{"change flavour back", broad, simple, changeFlavour("simple")},
}

// The same for a VNF of containers.
var (
	simplePods = state{flavour: "simple", pods: 1}
	broadPods  = state{flavour: "wide", pods: 3}
)

var ofContainerFlavours = []operation{
	{"change flavour of containers", simplePods, broadPods, changeFlavour("wide")},
	{"change flavour of containers back", broadPods, simplePods, changeFlavour("simple")},
}

func changeFlavour(to string) func(testing.TB, *site) string {
	return func(t testing.TB, s *site) string {
		request := map[string]any{"newFlavourId": to}
		if s.now.pods > 0 {
			request["additionalParams"] = manifestsOf(to)
		}
		return s.bed.Begin(t, s.vnf, "change_flavour", request)
	}
}

// manifestsOf are the parameters of a VNF of containers for a flavour.
func manifestsOf(flavour string) map[string]any {
	files := []string{"Files/kubernetes/page.yaml", "Files/kubernetes/web.yaml"}
	if flavour == "wide" {
		files = append(files, "Files/kubernetes/cache.yaml")
	}
	return map[string]any{"lcm-kubernetes-def-files": files, "namespace": "default"}
}

// approachFlavour does the same as approach, to and from such a VNF.
func (s *site) approachFlavour(t testing.TB, want state) (now state) {
	t.Helper()
	switch {
	case s.now == none && want.pods > 0:
		if !s.twoFlavours {
			s.bed.Onboard(t, s.bed.TwoFlavours(t))
			s.twoFlavours = true
		}
		s.vnf = s.bed.CreateOf(t, testbed.TwoFlavoursVnfdID, "flavours-"+s.unique())
		s.await(t, s.bed.Begin(t, s.vnf, "instantiate", map[string]any{
			"flavourId": want.flavour, "additionalParams": manifestsOf(want.flavour), "instantiationLevelId": "small",
			"vimConnectionInfo": s.clusterConnection(),
		}))
	case s.now == none:
		s.bed.OnboardOnce(t, "vnfpkg/samples/tosca-only")
		s.vnf = s.bed.CreateOf(t, flavoursVnfdID, "flavours-"+s.unique())
		request := s.bed.RequestOf(t, "tosca-only")
		request["additionalParams"].(map[string]any)["node_password"] = testbed.NodePassword
		request["flavourId"] = want.flavour
		s.await(t, s.bed.Begin(t, s.vnf, "instantiate", request))
		s.database = s.bed.VnfcOf(t, s.vnf, "database")
	case s.now.flavour == "": // there is another VNF
		return s.approach(t, none)
	case want.flavour == "", (want.pods > 0) != (s.now.pods > 0):
		s.bed.Remove(t, s.vnf)
		s.bed.RequireNothingLeft(t)
		s.vnf, s.database = "", ""
		return none
	default:
		s.await(t, changeFlavour(want.flavour)(t, s))
	}
	return want
}

// requireFlavour checks that the VNF has the VNFCs of the flavour, and no other server, and that the server of the
// database has always stayed, unless the test healed it.
func (s *site) requireFlavour(t testing.TB, want state) {
	t.Helper()
	info := s.bed.Get(t, "/vnflcm/v1/vnf_instances/"+s.vnf)["instantiatedVnfInfo"].(map[string]any)
	require.Equal(t, want.flavour, info["flavourId"])
	if want.pods > 0 {
		require.Len(t, s.podsIn(t), want.pods)
		require.Len(t, s.bed.Vnfcs(t, s.vnf), want.pods)
		for _, pod := range s.podsIn(t) {
			s.vnfcOf(t, pod.Name)
		}
		return
	}
	numbers := map[string]map[string]int{
		"simple": {"frontend": 1, "database": 1}, "wide": {"frontend": 2, "database": 1, "cache": 1},
	}
	count, recorded := map[string]int{}, []string(nil)
	for id, vdu := range s.bed.Vnfcs(t, s.vnf) {
		count[vdu]++
		recorded = append(recorded, id)
	}
	require.Equal(t, numbers[want.flavour], count)
	require.ElementsMatch(t, recorded, serversIn(t, s.bed))
	require.Equal(t, s.database, s.bed.VnfcOf(t, s.vnf, "database"))
}

// TestSample_ofFlavours runs a part of the matrix in CI.
func TestSample_ofFlavours(t *testing.T) {
	if *all || *onlyOps != "" || *onlyKinds != "" || *onlySteps != "" {
		t.Skip("The matrix runs.")
	}
	s, results := newSite(t), &results{}
	defer func() { results.show(t, *tableIn) }()
	const toNew, remove = "Change the infrastructure to the new flavour", "Remove what only the former flavour has"
	for _, row := range []struct{ operation, step, fault, decision string }{
		{"change flavour", toNew, "worker killed", "retry"},
		{"change flavour back", remove, "worker killed", "retry"},
		{"change flavour", toNew, "Heat 500", "rollback"},
		{"change flavour", toNew, "Nova 500", "rollback"},
		{"change flavour back", remove, "Heat 500", "retry"},
	} {
		s = runCell(t, s, &cell{
			operation: named(ofFlavours, row.operation), step: row.step, fault: faultOf(row.fault), decision: row.decision,
		}, results)
		require.False(t, t.Failed(), "The cells after this one were not run.")
	}
}
