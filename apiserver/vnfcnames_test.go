package apiserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// named creates an instance whose workers are separate resources. All except the last two have names in its metadata.
func (b *bench) named(root string) (instance string) {
	b.Helper()
	instance = b.running(root)
	inst := b.instance(instance)
	inst.Metadata = map[string]any{lcm.VduVnfcMapping: map[string]any{"workerNode": []any{"w-010", "w-020"}}}
	for i := range inst.Instantiated.VnfcResources {
		v := &inst.Instantiated.VnfcResources[i]
		var at int
		_, err := fmt.Sscanf(v.ID[len(v.ID)-1:], "%d", &at)
		require.NoError(b, err)
		v.Metadata["parent_resource_name"] = fmt.Sprintf("%s-%d", v.VduID, at)
	}
	require.NoError(b, b.store.UpdateInstance(b.Context(), inst))
	return instance
}

func TestVnfcInfo_hasTheNamesOfTheMetadata(t *testing.T) {
	b := newBench(t)
	instance := b.named("/vnflcm/v2")
	ids := func(doc map[string]any) map[string]string {
		out := map[string]string{}
		for _, v := range doc["instantiatedVnfInfo"].(map[string]any)["vnfcInfo"].([]any) {
			vnfc := v.(map[string]any)
			out[vnfc["vnfcResourceInfoId"].(string)] = vnfc["id"].(string)
		}
		return out
	}
	shown := ids(b.do("GET", instance, nil).want(http.StatusOK))
	require.Equal(t, []string{"w-010", "w-020", "workerNode-worker-2", "masterNode-cp-0"},
		[]string{shown["worker-0"], shown["worker-1"], shown["worker-2"], shown["cp-0"]})

	// Filters find them, also if the list does not show the metadata.
	for name, n := range map[string]int{
		"w-010": 1, "w-020": 1, "workerNode-worker-2": 1, "workerNode-worker-0": 0, "nobody": 0,
	} {
		for _, op := range []string{"eq", "cont"} {
			list := b.do("GET", "/vnflcm/v2/vnf_instances?fields=instantiatedVnfInfo/vnfcInfo&filter="+url.QueryEscape("("+op+",instantiatedVnfInfo/vnfcInfo/id,"+name+")"), nil).list()
			require.Len(t, list, n, "%s %s", op, name)
			if n == 1 {
				require.Equal(t, shown, ids(list[0]))
				require.NotContains(t, list[0], "metadata")
			}
		}
	}
}

func TestHeal_takesTheNamesOfTheMetadata(t *testing.T) {
	b := newBench(t)
	instance := b.named("/vnflcm/v2")
	plan := b.do("POST", "/windlass/v1"+instance[len("/vnflcm/v2"):]+"/plan",
		`{"operation":"HEAL","request":{"vnfcInstanceId":["w-020"]}}`).want(http.StatusOK)
	require.Equal(t, "worker-1", plan["leaving"].([]any)[0].(map[string]any)["vnfcId"])
	b.do("POST", instance+"/heal", `{"vnfcInstanceId":["w-030"]}`).problem(http.StatusBadRequest)
	b.do("POST", instance+"/heal", `{"vnfcInstanceId":["w-020","workerNode-worker-2"]}`).want(http.StatusAccepted)
}

func TestMetadata_namesOfVnfcsAreChecked(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	for root := range map[string]bool{"/vnflcm/v1": true, "/vnflcm/v2": true} {
		a := b.do("POST", root+"/vnf_instances", map[string]any{
			"vnfdId":   vnfdID,
			"metadata": map[string]any{lcm.VduVnfcMapping: "a-001"},
		})
		a.problem(http.StatusBadRequest)
		require.Equal(t, []string{"$.metadata.VDU_VNFc_mapping"}, a.paths())
		created := b.do("POST", root+"/vnf_instances",
			map[string]any{
				"vnfdId":   vnfdID,
				"metadata": map[string]any{lcm.VduVnfcMapping: map[string]any{"workerNode": []any{"a"}}},
			})
		created.want(http.StatusCreated)
		a = b.do("PATCH", created.path(), `{"metadata":{"VDU_VNFc_mapping":{"masterNode":["a"]}}}`, asMergePatch)
		a.problem(http.StatusBadRequest)
		require.Equal(t, []string{"$.metadata.VDU_VNFc_mapping.workerNode[0]"}, a.paths(), "what is there counts, too")
		b.do("PATCH", created.path(), `{"metadata":{"VDU_VNFc_mapping":{"masterNode":["b"]}}}`,
			asMergePatch).want(http.StatusAccepted)
	}
}

// TestHeal_takesTheParametersOfTheInstantiationAgain sends all parameters of a cluster again in a heal, as Tacker's
// clients of v2 do.
func TestHeal_takesTheParametersOfTheInstantiationAgain(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v2")
	var params map[string]any
	doc, err := json.Marshal(clusterRequest("")["additionalParams"])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(doc, &params))
	request := map[string]any{"vnfcInstanceId": []any{"worker-1"}, "additionalParams": params}
	cluster := params[lcm.ClusterParamsKey].(map[string]any)
	cluster["vim_name"] = "another"
	delete(cluster, "proxy") // it contains a secret, which cannot be compared
	a := b.do("POST", instance+"/heal", request)
	a.problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.additionalParams.k8s_cluster_installation_param.vim_name"}, a.paths())
	delete(cluster, "vim_name")
	a = b.do("POST", instance+"/heal", request)
	a.want(http.StatusAccepted)
	require.NotContains(t, string(b.operation(a.path()).Params), marker)
}

func TestInstantiate_nodesByTheirVdu(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v2")
	request = asV2(t, request)
	additional := request["additionalParams"].(map[string]any)
	cluster := additional[lcm.ClusterParamsKey].(map[string]any)
	for role, vdu := range map[string]string{"master_node": "masterNode", "worker_node": "nobody"} {
		node := cluster[role].(map[string]any)
		delete(node, "aspect_id")
		node["vdu_id"] = vdu
	}
	const path = "$.additionalParams.k8s_cluster_installation_param."
	a := b.do("POST", instance+"/instantiate", request)
	a.problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{path + "worker_node.vdu_id"}, a.paths())

	delete(cluster["master_node"].(map[string]any), "vdu_id")
	additional[lcm.UserDataParam], additional[lcm.UserDataClassParam] = "./UserData/x.py", lcm.StandardUserData
	a = b.do("POST", instance+"/instantiate", request)
	a.problem(http.StatusBadRequest)
	require.Subset(t, a.paths(), []string{path + "master_node.vdu_id", path + "worker_node.vdu_id"})
	delete(additional, lcm.UserDataParam)
	delete(additional, lcm.UserDataClassParam)

	cluster["master_node"].(map[string]any)["vdu_id"], cluster["worker_node"].(map[string]any)["vdu_id"] = "masterNode",
		"workerNode"
	b.do("POST", instance+"/instantiate", request).want(http.StatusAccepted)
}
