package e2e

import (
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// Tacker's clients of SOL003 v3.3.1 send a complete VIM connection with a vimId of their own, nodes by their VDU,
// StandardUserData, and names of VNFCs in the metadata.

const (
	standardClusterPackage = "tests/suites/e2e/testdata/standardcluster"
	standardClusterVnfdID  = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e41"
	// unregisteredVim is the id of a VIM that is not registered.
	unregisteredVim = "d7a3ce21-0a6c-44d4-8a8e-3b3c5b9ee1f0"
)

// secondForm is a VNF of /vnflcm/v2.
type secondForm struct {
	*bed
	path string
}

func (b *bed) inSecondForm(t *testing.T, vnfdID, name string, metadata map[string]any) secondForm {
	t.Helper()
	a := b.Call(t, http.MethodPost, "/vnflcm/v2/vnf_instances",
		map[string]any{"vnfdId": vnfdID, "vnfInstanceName": name, "metadata": metadata})
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	return secondForm{b, strings.TrimPrefix(a.Header.Get("Location"), b.URL)}
}

func (s secondForm) begin(t *testing.T, task string, body map[string]any) (op string) {
	t.Helper()
	a := s.Call(t, http.MethodPost, s.path+"/"+task, body)
	require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
	return strings.TrimPrefix(a.Header.Get("Location"), s.URL)
}

func (s secondForm) done(t *testing.T, task string, body map[string]any) (op string) {
	t.Helper()
	op = s.begin(t, task, body)
	s.Await(t, op, quick, "COMPLETED")
	return op
}

// vnfcs maps the ids in vnfcInfo to the ids of the VNFCs' resources.
func (s secondForm) vnfcs(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, v := range s.Get(t, s.path)["instantiatedVnfInfo"].(map[string]any)["vnfcInfo"].([]any) {
		vnfc := v.(map[string]any)
		out[vnfc["id"].(string)] = vnfc["vnfcResourceInfoId"].(string)
	}
	return out
}

// giveProperties modifies the vnfcConfigurableProperties of VNFCs, by the ids in vnfcInfo.
func (s secondForm) giveProperties(t *testing.T, properties map[string]any) {
	t.Helper()
	var list []any
	for _, id := range slices.Sorted(maps.Keys(properties)) {
		list = append(list, map[string]any{"id": id, "vnfcConfigurableProperties": properties[id]})
	}
	a := s.Call(t, http.MethodPatch, s.path, map[string]any{"vnfcInfoModifications": list})
	require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
	done := s.Await(t, strings.TrimPrefix(a.Header.Get("Location"), s.URL), quick, "COMPLETED")
	require.Equal(t, map[string]any{"vnfcInfoModifications": list}, done["changedInfo"])
	require.Equal(t, properties, s.properties(t))
}

// properties returns the vnfcConfigurableProperties of VNFCs, by the ids in vnfcInfo.
func (s secondForm) properties(t *testing.T) map[string]any {
	t.Helper()
	out := map[string]any{}
	for _, v := range s.Get(t, s.path)["instantiatedVnfInfo"].(map[string]any)["vnfcInfo"].([]any) {
		vnfc := v.(map[string]any)
		if given, ok := vnfc["vnfcConfigurableProperties"]; ok {
			out[vnfc["id"].(string)] = given
		}
	}
	return out
}

func (s secondForm) end(t *testing.T) {
	t.Helper()
	s.done(t, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	require.Equal(t, http.StatusNoContent, s.Call(t, http.MethodDelete, s.path, nil).Status)
	s.RequireNothingLeft(t)
}

// inlineVims returns a vimConnectionInfo with endpoint and credentials, and the id of a VIM that is not registered.
func (b *bed) inlineVims() map[string]any {
	vim := b.ownConnection("vim1", b.Cloud.Login().Password)
	delete(vim, "id")
	vim["vimId"] = unregisteredVim
	return map[string]any{"vim1": vim}
}

// linksOf connects connection points with a network, in the form of v2.
func linksOf(network string, cps ...string) (links []any) {
	for _, cp := range cps {
		address := map[string]any{"type": "IPV4", "numDynamicAddresses": 1}
		data := map[string]any{
			"layerProtocol":  "IP_OVER_ETHERNET",
			"ipOverEthernet": map[string]any{"ipAddresses": []any{address}},
		}
		links = append(links, map[string]any{"id": "link_of_" + cp, "resourceId": network, "extCps": []any{
			map[string]any{"cpdId": cp, "cpConfig": map[string]any{cp + "_1": map[string]any{"cpProtocolData": []any{data}}}},
		}})
	}
	return links
}

func standardParams() map[string]any {
	return map[string]any{
		"lcm-operation-user-data":       "./UserData/userdata_standard.py",
		"lcm-operation-user-data-class": "StandardUserData",
	}
}

// plainInSecondForm runs operations of a VNF whose VNFCs have names from the client.
func plainInSecondForm(t *testing.T, b *bed) {
	b.setDefault(t, false)
	defer b.setDefault(t, true)
	b.OnboardOnce(t, standardPackage)
	s := b.inSecondForm(t, standardVnfdID, "second-form",
		map[string]any{"VDU_VNFc_mapping": map[string]any{"VDU1": []any{"a-001", "a-010"}}})
	op := s.done(t, "instantiate", map[string]any{
		"flavourId": "simple", "vimConnectionInfo": b.inlineVims(), "extVirtualLinks": linksOf("net0", "VDU1_CP1"),
		"additionalParams": standardParams(),
	})
	shown := s.Get(t, s.path)["vimConnectionInfo"].(map[string]any)["vim1"].(map[string]any)
	require.Equal(t, []any{unregisteredVim, "***"},
		[]any{shown["vimId"], shown["accessInfo"].(map[string]any)["password"]})
	b.requireNowhere(t, filepath.Base(s.path), op, map[string]string{"the VIM's password": b.Cloud.Login().Password})

	first := s.vnfcs(t)
	require.Contains(t, first, "a-001")
	s.done(t, "scale", map[string]any{"type": "SCALE_OUT", "aspectId": "servers", "numberOfSteps": 1})
	grown := s.vnfcs(t)
	require.Equal(t, first["a-001"], grown["a-001"])
	require.Contains(t, grown, "a-010")
	given := map[string]any{"a-001": map[string]any{"log": "info"}, "a-010": map[string]any{"log": "debug"}}
	s.giveProperties(t, given)
	s.done(t, "heal", map[string]any{"vnfcInstanceId": []any{"a-010"}})
	require.Equal(t, given, s.properties(t), "the successor has the name, and so the properties")
	healed := s.vnfcs(t)
	require.Equal(t, grown["a-001"], healed["a-001"])
	require.NotEqual(t, grown["a-010"], healed["a-010"], "the successor has the name")
	require.Len(t, healed, 2)
	s.done(t, "scale", map[string]any{"type": "SCALE_IN", "aspectId": "servers", "numberOfSteps": 1})
	require.Equal(t, map[string]any{"a-001": given["a-001"]}, s.properties(t))
	s.end(t)
}

// clusterInSecondForm runs operations of a cluster whose nodes are resources of their own. The requests name them by
// their VDUs.
func clusterInSecondForm(t *testing.T, b *bed) {
	b.setDefault(t, false)
	defer b.setDefault(t, true)
	b.OnboardOnce(t, standardClusterPackage)
	node := func(vdu string) map[string]any {
		return map[string]any{
			"vdu_id": vdu, "ssh_cp_name": vdu + "_CP1", "nic_cp_name": vdu + "_CP1", "username": "debian",
			"password": testbed.NodePassword,
		}
	}
	master := node("masterNode")
	master["pod_cidr"], master["cluster_cp_name"] = "10.244.0.0/16", "vip_CP"
	params := func() map[string]any {
		additional := standardParams()
		additional["k8s_cluster_installation_param"] = map[string]any{
			"script_path": "Scripts/install_k8s_cluster.sh", "master_node": master, "worker_node": node("workerNode"),
		}
		return additional
	}
	s := b.inSecondForm(t, standardClusterVnfdID, "cluster-in-second-form",
		map[string]any{"VDU_VNFc_mapping": map[string]any{"workerNode": []any{"w-0", "w-1", "w-2"}}})
	op := s.done(t, "instantiate", map[string]any{
		"flavourId": "complex", "vimConnectionInfo": b.inlineVims(), "additionalParams": params(),
		"extVirtualLinks": linksOf("net0", "masterNode_CP1", "workerNode_CP1"),
	})
	b.RequireCluster(t, 3, 2)
	values := map[string]string{
		"the VIM's password":  b.Cloud.Login().Password,
		"the nodes' password": testbed.NodePassword,
	}
	b.requireNowhere(t, filepath.Base(s.path), op, values)

	// Tacker's driver of v2 requires all parameters in every request.
	s.done(t, "scale", map[string]any{
		"type": "SCALE_OUT", "aspectId": "workerNode_scale", "numberOfSteps": 1, "additionalParams": params(),
	})
	b.RequireCluster(t, 3, 3)
	before := s.vnfcs(t)
	require.Contains(t, before, "w-2")
	op = s.done(t, "heal", map[string]any{"vnfcInstanceId": []any{"w-1"}, "additionalParams": params()})
	b.RequireCluster(t, 3, 3)
	after := s.vnfcs(t)
	require.NotEqual(t, before["w-1"], after["w-1"])
	require.Equal(t, []string{before["w-0"], before["w-2"]}, []string{after["w-0"], after["w-2"]})
	b.requireNowhere(t, filepath.Base(s.path), op, values)
	for id := range after {
		if strings.HasPrefix(id, "masterNode-") {
			s.done(t, "heal", map[string]any{"vnfcInstanceId": []any{id}})
			break
		}
	}
	b.RequireCluster(t, 3, 3)
	s.done(t, "scale", map[string]any{"type": "SCALE_IN", "aspectId": "workerNode_scale", "numberOfSteps": 1})
	b.RequireCluster(t, 3, 2)
	s.end(t)
}
