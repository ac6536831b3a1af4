package e2e

import (
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// dayTwo runs operations on a running cluster, the same with the lab's machines as on a real OpenStack. It counts how
// many nodes the cluster must have.
type dayTwo struct {
	*bed
	vnf, cluster           string
	controlPlanes, workers int
	limit                  time.Duration // for an operation
}

// pass scales out, heals VMs that are switched off, and scales in. It heals a control plane only if the others have a
// quorum. After each operation it checks the nodes and the members of etcd.
func (d *dayTwo) pass(t *testing.T) {
	t.Helper()
	d.scale(t, "SCALE_OUT", 1)
	d.healSwitchedOff(t, "workerNode")
	if d.controlPlanes >= 3 {
		d.healSwitchedOff(t, "masterNode")
	}
	d.scale(t, "SCALE_IN", -1)
	if d.controlPlanes == 1 {
		d.healAll(t)
	}
}

// healAll heals the only control plane. This requires a heal of the entire VNF.
func (d *dayTwo) healAll(t *testing.T) {
	t.Helper()
	before := d.Vnfcs(t, d.vnf)
	d.operate(t, "heal", map[string]any{"cause": "the control plane is to be another"})
	d.requireNodes(t)
	for vnfc := range d.Vnfcs(t, d.vnf) {
		require.NotContains(t, before, vnfc)
	}
}

func (d *dayTwo) scale(t *testing.T, kind string, by int) {
	t.Helper()
	d.operate(t, "scale", map[string]any{"type": kind, "aspectId": "worker_instance"})
	d.workers += by
	d.requireNodes(t)
}

// healSwitchedOff switches the VM of a VNFC off and heals it. Another VM must replace it.
func (d *dayTwo) healSwitchedOff(t *testing.T, vdu string) {
	t.Helper()
	dead := d.VnfcOf(t, d.vnf, vdu)
	d.switchOff(t, d.serverOf(t, dead))
	d.operate(t, "heal", map[string]any{"vnfcInstanceId": dead, "cause": "it is switched off"})
	d.requireNodes(t)
	require.NotContains(t, d.Vnfcs(t, d.vnf), dead)
}

func (d *dayTwo) operate(t *testing.T, task string, request map[string]any) {
	t.Helper()
	op := d.Begin(t, d.vnf, task, request)
	d.Await(t, op, d.limit, "COMPLETED")
	t.Log(task, d.Timings(t, op))
}

// serverOf returns the id of a VNFC's server in Nova.
func (d *dayTwo) serverOf(t *testing.T, vnfc string) string {
	t.Helper()
	info := d.Get(t, "/vnflcm/v1/vnf_instances/"+d.vnf)["instantiatedVnfInfo"].(map[string]any)
	for _, v := range info["vnfcResourceInfo"].([]any) {
		if v := v.(map[string]any); v["id"] == vnfc {
			return v["computeResource"].(map[string]any)["resourceId"].(string)
		}
	}
	t.Fatalf("The instance has no VNFC %s.", vnfc)
	return ""
}

func (d *dayTwo) switchOff(t *testing.T, server string) {
	t.Helper()
	nova := testbed.Service(t, d.Cloud.Login(), openstack.NewComputeV2)
	require.NoError(t, servers.Stop(t.Context(), nova, server).ExtractErr())
	require.Eventually(t, func() bool {
		s, err := servers.Get(t.Context(), nova, server).Extract()
		return err == nil && s.Status == "SHUTOFF"
	}, 5*time.Minute, time.Second, "the server %s is not switched off", server)
}

// requireNodes checks the nodes with the cluster itself, and then with Windlass's drift check.
func (d *dayTwo) requireNodes(t *testing.T) {
	t.Helper()
	d.RequireNodes(t, d.cluster, testbed.Sizes{ControlPlanes: d.controlPlanes, Workers: d.workers})
	d.CheckDriftUntil(t, d.vnf, sound)
}
