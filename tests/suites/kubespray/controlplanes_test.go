package kubespray

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWindlass_changesControlPlanes scales a cluster without a load balancer to three control planes, heals the first
// of them, whose machine is dead, and scales it in again. Without kubespray's playbook for lost control planes, a heal
// must change nothing.
func TestWindlass_changesControlPlanes(t *testing.T) {
	s := newSite(t)
	vnf := s.create(t, "control-planes")
	op := s.Begin(t, vnf, "instantiate", s.requestOf(t, "kubespray", "kubespray", nil, func(map[string]any) {}))
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	first := s.VnfcOf(t, vnf, "masterNode")

	op = s.Scale(t, vnf, "SCALE_OUT", "master_instance")
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(s.Timings(t, op))
	s.requireNodes(t, 4)

	s.refusesWithoutThePlaybook(t, vnf, first)
	s.killMachineOf(t, vnf, first)
	op = s.Heal(t, vnf, first)
	s.Await(t, op, 20*time.Minute, "COMPLETED")
	t.Log(s.Timings(t, op))
	s.requireNodes(t, 4)

	op = s.Scale(t, vnf, "SCALE_IN", "master_instance")
	s.Await(t, op, 15*time.Minute, "COMPLETED")
	t.Log(s.Timings(t, op))
	s.requireNodes(t, 2)
	s.Remove(t, vnf)
	require.Empty(t, s.left(t))
}

// refusesWithoutThePlaybook heals a control plane while kubespray's playbook for this is missing on the Ansible server.
func (s site) refusesWithoutThePlaybook(t *testing.T, vnf, vnfc string) {
	t.Helper()
	const file = playbooks + "/recover-control-plane.yml"
	s.ansible.script(t, ansibleServer, "mv "+file+" "+file+".away\n")
	op := s.Heal(t, vnf, vnfc)
	s.Await(t, op, 5*time.Minute, "ROLLED_BACK") // by itself, because nothing was changed yet
	require.Contains(t, s.errorOf(t, op), "has no playbook recover-control-plane.yml, without which control planes neither")
	s.ansible.script(t, ansibleServer, "mv "+file+".away "+file+"\n")
	s.requireNodes(t, 4)
}

// killMachineOf powers the machine of a VNFC off.
func (s site) killMachineOf(t *testing.T, vnf, vnfc string) {
	t.Helper()
	info := s.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
	for _, v := range info["vnfcResourceInfo"].([]any) {
		if v := v.(map[string]any); v["id"] == vnfc {
			server := v["computeResource"].(map[string]any)["resourceId"].(string)
			require.Less(t, s.Lab(t, http.MethodPost, "/machines/"+server+"/kill", nil).Status, 300)
			return
		}
	}
	t.Fatalf("the VNF has no VNFC %s", vnfc)
}
