package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestVnfcInfo_hasTheNamesOfTheMetadata(t *testing.T) {
	b := servertest.New(t)
	instance := b.Named("/vnflcm/v2")
	ids := func(doc map[string]any) map[string]string {
		out := map[string]string{}
		for _, v := range doc["instantiatedVnfInfo"].(map[string]any)["vnfcInfo"].([]any) {
			vnfc := v.(map[string]any)
			out[vnfc["vnfcResourceInfoId"].(string)] = vnfc["id"].(string)
		}
		return out
	}
	shown := ids(b.Do("GET", instance, nil).Want(http.StatusOK))
	require.Equal(t, []string{"w-010", "w-020", "workerNode-worker-2", "masterNode-cp-0"},
		[]string{shown["worker-0"], shown["worker-1"], shown["worker-2"], shown["cp-0"]})

	// Filters find them, also if the list does not show the metadata.
	for name, n := range map[string]int{
		"w-010": 1, "w-020": 1, "workerNode-worker-2": 1, "workerNode-worker-0": 0, "nobody": 0,
	} {
		for _, op := range []string{"eq", "cont"} {
			list := b.Do("GET", "/vnflcm/v2/vnf_instances?fields=instantiatedVnfInfo/vnfcInfo&filter="+url.QueryEscape("("+op+",instantiatedVnfInfo/vnfcInfo/id,"+name+")"), nil).
				List()
			require.Len(t, list, n, "%s %s", op, name)
			if n == 1 {
				require.Equal(t, shown, ids(list[0]))
				require.NotContains(t, list[0], "metadata")
			}
		}
	}
}

func TestHeal_takesTheNamesOfTheMetadata(t *testing.T) {
	b := servertest.New(t)
	instance := b.Named("/vnflcm/v2")
	plan := b.Do("POST", "/windlass/v1"+instance[len("/vnflcm/v2"):]+"/plan",
		`{"operation":"HEAL","request":{"vnfcInstanceId":["w-020"]}}`).Want(http.StatusOK)
	require.Equal(t, "worker-1", plan["leaving"].([]any)[0].(map[string]any)["vnfcId"])
	b.Do("POST", instance+"/heal", `{"vnfcInstanceId":["w-030"]}`).Problem(http.StatusBadRequest)
	b.Do("POST", instance+"/heal", `{"vnfcInstanceId":["w-020","workerNode-worker-2"]}`).Want(http.StatusAccepted)
}

func TestMetadata_namesOfVnfcsAreChecked(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	for root := range map[string]bool{"/vnflcm/v1": true, "/vnflcm/v2": true} {
		a := b.Do("POST", root+"/vnf_instances", map[string]any{
			"vnfdId":   vnfdID,
			"metadata": map[string]any{lcm.VduVnfcMapping: "a-001"},
		})
		a.Problem(http.StatusBadRequest)
		require.Equal(t, []string{"$.metadata.VDU_VNFc_mapping"}, a.Paths())
		created := b.Do("POST", root+"/vnf_instances",
			map[string]any{
				"vnfdId":   vnfdID,
				"metadata": map[string]any{lcm.VduVnfcMapping: map[string]any{"workerNode": []any{"a"}}},
			})
		created.Want(http.StatusCreated)
		a = b.Do("PATCH", created.Path(), `{"metadata":{"VDU_VNFc_mapping":{"masterNode":["a"]}}}`, servertest.AsMergePatch)
		a.Problem(http.StatusBadRequest)
		require.Equal(t, []string{"$.metadata.VDU_VNFc_mapping.workerNode[0]"}, a.Paths(), "what is there counts, too")
		b.Do("PATCH", created.Path(), `{"metadata":{"VDU_VNFc_mapping":{"masterNode":["b"]}}}`,
			servertest.AsMergePatch).Want(http.StatusAccepted)
	}
}

// TestHeal_takesTheParametersOfTheInstantiationAgain sends all parameters of a cluster again in a heal, as Tacker's
// clients of v2 do.
func TestHeal_takesTheParametersOfTheInstantiationAgain(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v2")
	var params map[string]any
	doc, err := json.Marshal(servertest.ClusterRequest("")["additionalParams"])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(doc, &params))
	request := map[string]any{"vnfcInstanceId": []any{"worker-1"}, "additionalParams": params}
	cluster := params[k8s.ParamsKey].(map[string]any)
	cluster["vim_name"] = "another"
	delete(cluster, "proxy") // it contains a secret, which cannot be compared
	a := b.Do("POST", instance+"/heal", request)
	a.Problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.additionalParams.k8s_cluster_installation_param.vim_name"}, a.Paths())
	delete(cluster, "vim_name")
	a = b.Do("POST", instance+"/heal", request)
	a.Want(http.StatusAccepted)
	require.NotContains(t, string(b.Operation(a.Path()).Params), servertest.Marker)
}

func TestInstantiate_nodesByTheirVdu(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v2")
	request = servertest.AsV2(t, request)
	additional := request["additionalParams"].(map[string]any)
	cluster := additional[k8s.ParamsKey].(map[string]any)
	for role, vdu := range map[string]string{"master_node": "masterNode", "worker_node": "nobody"} {
		node := cluster[role].(map[string]any)
		delete(node, "aspect_id")
		node["vdu_id"] = vdu
	}
	const path = "$.additionalParams.k8s_cluster_installation_param."
	a := b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{path + "worker_node.vdu_id"}, a.Paths())

	delete(cluster["master_node"].(map[string]any), "vdu_id")
	additional[lcm.UserDataParam], additional[lcm.UserDataClassParam] = "./UserData/x.py", lcm.StandardUserData
	a = b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusBadRequest)
	require.Subset(t, a.Paths(), []string{path + "master_node.vdu_id", path + "worker_node.vdu_id"})
	delete(additional, lcm.UserDataParam)
	delete(additional, lcm.UserDataClassParam)

	cluster["master_node"].(map[string]any)["vdu_id"], cluster["worker_node"].(map[string]any)["vdu_id"] = "masterNode",
		"workerNode"
	b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
}
