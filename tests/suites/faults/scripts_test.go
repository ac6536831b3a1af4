package faults

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// These VNFs have packages with scripts or playbooks for hooks of operations.
const (
	scriptsVnfdID   = "9c1f3b0e-54f7-4b36-8f6e-2a1d7c0b5e31"
	playbooksVnfdID = "5a0c7f52-3d0e-4c67-9b59-6a1f0b7d2e84"
	scriptedVdu     = "web"
)

// The states of such VNFs: so many servers, and whether an Ansible server runs playbooks for them.
var (
	scripted     = state{servers: 1}
	scriptedWide = state{servers: 2}
	playing      = state{servers: 1, playbooks: true}
	playingWide  = state{servers: 2, playbooks: true}
)

// ofScripts are the rows of the matrix for such VNFs.
var ofScripts = []operation{
	{"instantiate with scripts", none, scripted, func(t testing.TB, s *site) string { return s.instantiateScripted(t, scripted) }},
	{"scale out with scripts", scripted, scriptedWide, scale("SCALE_OUT", "servers")},
	{"heal with scripts", scripted, scripted, heal(scriptedVdu)},
	{"scale in with scripts", scriptedWide, scripted, scale("SCALE_IN", "servers")},
	{"terminate with scripts", scripted, none, terminate},
	{"instantiate with playbooks", none, playing, func(t testing.TB, s *site) string { return s.instantiateScripted(t, playing) }},
	{"scale out with playbooks", playing, playingWide, scale("SCALE_OUT", "servers")},
	{"heal with playbooks", playing, playing, heal(scriptedVdu)},
	{"scale in with playbooks", playingWide, playing, scale("SCALE_IN", "servers")},
	{"terminate with playbooks", playing, none, terminate},
}

// instantiateScripted begins to instantiate the VNF of a sample. If it has playbooks, it also makes an Ansible server,
// which exists as long as the VNF.
func (s *site) instantiateScripted(t testing.TB, as state) (op string) {
	t.Helper()
	sample, vnfd := "scripts", scriptsVnfdID
	if as.playbooks {
		sample, vnfd = "ansible", playbooksVnfdID
	}
	s.bed.OnboardOnce(t, "vnfpkg/samples/"+sample)
	request := s.bed.RequestOf(t, sample)
	params := request["additionalParams"].(map[string]any)[sample].(map[string]any)
	params["timeouts"] = map[string]any{"ssh": 20}
	if as.playbooks {
		made, err := kubespray.Machines(t.Context(), s.bed.Cloud.Login(), ansibleServer,
			kubespray.Server{Name: ansibleServer, Image: kubespray.AnsibleImage, Password: testbed.NodePassword})
		require.NoError(t, err)
		s.ansible = made[ansibleServer]
		params["server"] = map[string]any{
			"address": s.ansible.Address, "ssh_port": 2222, "username": "debian", "password": testbed.NodePassword,
		}
	}
	s.vnf = s.bed.CreateOf(t, vnfd, "scripted-"+s.unique())
	return s.bed.Begin(t, s.vnf, "instantiate", request)
}

// approachScripted does the same as approach, to and from such a VNF.
func (s *site) approachScripted(t testing.TB, want state) (now state) {
	t.Helper()
	switch {
	case s.now == none:
		now = state{servers: 1, playbooks: want.playbooks}
		s.await(t, s.instantiateScripted(t, now))
		return now
	case s.now.servers == 0: // there is another VNF
		return s.approach(t, none)
	case want.servers == 0, want.playbooks != s.now.playbooks:
		s.bed.Remove(t, s.vnf)
		s.removeAnsible(t)
		s.bed.RequireNothingLeft(t)
		s.vnf = ""
		return none
	case s.now.servers < want.servers:
		s.await(t, scale("SCALE_OUT", "servers")(t, s))
	default:
		s.await(t, scale("SCALE_IN", "servers")(t, s))
	}
	return want
}

// requireScripted checks that the lab has exactly the servers that the VnfInstance shows.
func (s *site) requireScripted(t testing.TB, want state) {
	t.Helper()
	var recorded []string
	for id, vdu := range s.bed.Vnfcs(t, s.vnf) {
		require.Equal(t, scriptedVdu, vdu)
		recorded = append(recorded, id)
	}
	require.Len(t, recorded, want.servers)
	if want.playbooks {
		recorded = append(recorded, s.ansible.ID)
	}
	require.ElementsMatch(t, recorded, serversIn(t, s.bed))
}

// TestSample_ofScripts runs a part of the matrix in CI.
func TestSample_ofScripts(t *testing.T) {
	if *all || *onlyOps != "" || *onlyKinds != "" || *onlySteps != "" {
		t.Skip("The matrix runs.")
	}
	s, results := newSite(t), &results{}
	defer func() { results.show(t, *tableIn) }()
	for i, row := range []struct{ operation, step, fault string }{
		{"instantiate with scripts", "Run Scripts/configure.sh of the package (instantiate_end)", "worker killed"},
		{"heal with scripts", "Run Scripts/configure.sh of the package (heal_end)", "node killed"},
		{"instantiate with playbooks", "Run the package's playbooks for web (instantiation)", "SSH cut"},
		{"scale out with playbooks", "Run the package's playbooks for web (scale-out)", "worker killed"},
	} {
		s = runCell(t, s, &cell{
			operation: named(ofScripts, row.operation), step: row.step, fault: faultOf(row.fault),
			decision: []string{"retry", "rollback"}[i%2],
		}, results)
		require.False(t, t.Failed(), "The cells after this one were not run.")
	}
}
