package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	standardPackage = "tests/suites/e2e/testdata/standard"
	standardVnfdID  = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e21"
)

// standardUserData runs operations of a VNF whose VNFCs are resources of their own. Exactly the chosen VNFCs are
// removed or replaced, and new VNFCs use the free places.
func standardUserData(t *testing.T, b *bed) {
	b.Onboard(t, standardPackage)
	vnf := b.CreateOf(t, standardVnfdID, "standard")
	request := testbed.LinksTo("net0")
	request["flavourId"] = "simple"
	request["vimConnectionInfo"] = b.OnOpenStack()
	request["additionalParams"] = map[string]any{
		"lcm-operation-user-data": "./UserData/userdata_standard.py", "lcm-operation-user-data-class": "StandardUserData",
	}
	b.Await(t, b.Begin(t, vnf, "instantiate", request), quick, "COMPLETED")
	first := b.requirePlaces(t, vnf, "VDU1-0")["VDU1-0"]

	op := b.Scale(t, vnf, "SCALE_OUT", "servers", 2)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 3, 0)
	b.record(t, op, "standard-scale-out")
	before := b.requirePlaces(t, vnf, "VDU1-0", "VDU1-1", "VDU1-2", "VDU1-3")
	require.Equal(t, first, before["VDU1-0"], "what was there stays")

	op = b.Heal(t, vnf, before["VDU1-1"])
	b.Await(t, op, quick, "COMPLETED")
	after := b.requirePlaces(t, vnf, "VDU1-0", "VDU1-1", "VDU1-2", "VDU1-3")
	require.NotEqual(t, before["VDU1-1"], after["VDU1-1"])
	before["VDU1-1"] = after["VDU1-1"]
	require.Equal(t, before, after, "the others stay")
	b.record(t, op, "standard-heal")

	op = b.Begin(t, vnf, "scale", map[string]any{
		"type": "SCALE_IN", "aspectId": "servers",
		"additionalParams": map[string]any{"vnfc_instance_ids": []string{before["VDU1-0"], before["VDU1-2"]}},
	})
	b.Await(t, op, quick, "COMPLETED")
	left := b.requirePlaces(t, vnf, "VDU1-1", "VDU1-3")
	b.record(t, op, "standard-scale-in")
	require.Equal(t, []string{before["VDU1-1"], before["VDU1-3"]}, []string{left["VDU1-1"], left["VDU1-3"]})

	// There are free places. The rollback of a failed scale-out restores exactly the VNFCs from before.
	b.Fault(t, map[string]any{"resource": "VDU1_CP1", "action": "CREATE", "count": 1, "message": "the switch caught fire"})
	op = b.Scale(t, vnf, "SCALE_OUT", "servers")
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	require.Equal(t, left, b.requirePlaces(t, vnf, "VDU1-1", "VDU1-3"))
	b.RequireRecorded(t, vnf)

	b.Remove(t, vnf)
	b.RequireNothingLeft(t)
}

// requirePlaces checks that these are the names of all VNFCs' resources. It maps them to the ids of the VNFCs.
func (b *bed) requirePlaces(t *testing.T, vnf string, want ...string) map[string]string {
	t.Helper()
	info := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
	places := map[string]string{}
	var names []string
	for _, v := range info["vnfcResourceInfo"].([]any) {
		vnfc := v.(map[string]any)
		require.Equal(t, "VDU1", vnfc["vduId"])
		name := vnfc["metadata"].(map[string]any)["parent_resource_name"].(string)
		require.Equal(t, name, fmt.Sprintf("VDU1-%v", vnfc["metadata"].(map[string]any)["vdu_idx"]),
			"Tacker's clients read it")
		places[name] = vnfc["id"].(string)
		names = append(names, name)
	}
	slices.Sort(names)
	require.Equal(t, want, names)
	return places
}
