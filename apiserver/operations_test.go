package apiserver

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func escape(s string) string { return url.QueryEscape(s) }

func TestInstantiateStartsOneWorkflowAndAnswersWithItsOperation(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	a := b.do("POST", instance+"/instantiate", request)
	a.want(http.StatusAccepted)
	require.Empty(t, a.Body)

	o := b.operation(a.path())
	require.Equal(t, []lcm.OperationInput{{OpOccID: o.ID, VnfInstanceID: o.VnfInstanceID, Operation: lcm.OpInstantiate}},
		b.starter.starts)
	require.NotContains(t, string(o.Params), marker)
	require.Equal(t, 1, o.APIVersion)
	require.Len(t, sealed(b), 4, "the VIM's password and three of the request")

	doc := b.do("GET", a.path(), nil).want(http.StatusOK)
	require.Equal(t, "STARTING", doc["operationState"])
	require.Equal(t, "INSTANTIATE", doc["operation"])
	require.Equal(t, false, doc["isAutomaticInvocation"])
	require.Equal(t, []string{"cancel", "self", "vnfInstance"}, keysOf(doc["_links"]))
	params := doc["operationParams"].(map[string]any)
	require.Equal(t, "vim1", params["vimConnectionInfo"].([]any)[0].(map[string]any)["id"])
	require.Contains(t, string(b.do("GET", a.path(), nil).Body), `"password":"***"`)

	v2 := b.do("GET", strings.Replace(a.path(), "v1", "v2", 1), nil).want(http.StatusOK)
	require.Contains(t, v2["operationParams"].(map[string]any)["vimConnectionInfo"], "vim1", "v1's list is a map in v2")

	require.Contains(t, b.do("GET", "/vnflcm/v1/vnf_lcm_op_occs", nil).list()[0], "operationParams")
	require.NotContains(t, b.do("GET", "/vnflcm/v2/vnf_lcm_op_occs", nil).list()[0], "operationParams")
	b.do("GET", "/vnflcm/v2/vnf_lcm_op_occs?all_fields", nil).list()
}

func TestInstantiateThroughV2TakesAMapOfVims(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v2")
	request["vimConnectionInfo"].([]any)[0].(map[string]any)["vimType"] = "ETSINFV.OPENSTACK_KEYSTONE.V_3"
	b.do("POST", instance+"/instantiate", request).problem(http.StatusBadRequest)
	a := b.do("POST", instance+"/instantiate", asV2(t, request))
	a.want(http.StatusAccepted)
	b.do("GET", a.path(), nil).want(http.StatusOK)
	v1 := b.do("GET", strings.Replace(a.path(), "v2", "v1", 1), nil).want(http.StatusOK)
	require.Equal(t, "vim1", v1["operationParams"].(map[string]any)["vimConnectionInfo"].([]any)[0].(map[string]any)["id"])
}

func TestInstantiateWithoutVimUsesTheDefaultOne(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	instance := b.create("/vnflcm/v1", vnfdID)
	request := clusterRequest("")
	delete(request, "vimConnectionInfo")
	a := b.do("POST", instance+"/instantiate", request)
	a.problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{"$.vimConnectionInfo"}, a.paths())
	b.registerVim("lab", true)
	b.do("POST", instance+"/instantiate", request).want(http.StatusAccepted)
}

func TestInstantiateReportsEveryMistakeAtOnce(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	cluster := request["additionalParams"].(map[string]any)[lcm.ClusterParamsKey].(map[string]any)
	cluster["master_node"].(map[string]any)["pod_cidr"] = "192.168.0.0/99"
	cluster["cni_manifest_path"] = "../../etc/passwd"
	delete(cluster["worker_node"].(map[string]any), "username")
	request["vimConnectionInfo"].([]any)[0].(map[string]any)["vimId"] = "4f0c0d63-0c0e-4c0f-8a57-0a8e5b1d2f11"
	request["instantiationLevelId"] = "gigantic"
	a := b.do("POST", instance+"/instantiate", request)
	a.problem(http.StatusBadRequest)
	prefix := "$.additionalParams." + lcm.ClusterParamsKey
	require.ElementsMatch(t, []string{
		"$.vimConnectionInfo[0].vimId", "$.instantiationLevelId", prefix + ".worker_node.username", prefix +
			".master_node.pod_cidr",
		prefix + ".cni_manifest_path",
	}, a.paths())
	require.Empty(t, b.starter.starts)
	require.Empty(t, b.do("GET", "/vnflcm/v1/vnf_lcm_op_occs", nil).list())
	require.Len(t, sealed(b), 1, "only the VIM's password is kept")

	a = b.do("POST", instance+"/instantiate", `{"instantiationLevelId":1,"vimConnectionInfo":{},"additionalParams":"x",
		"extVirtualLinks":[{"id":"a","extCps":[{"cpdId":"c","cpConfig":{}}]}]}`)
	a.problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{
		"$.flavourId", "$.instantiationLevelId", "$.vimConnectionInfo", "$.additionalParams",
		"$.extVirtualLinks[0].resourceId",
		"$.extVirtualLinks[0].extCps[0].cpConfig",
	}, a.paths())
}

func TestInstantiateTellsWhatTheTemplatesMiss(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	delete(request, "extVirtualLinks")
	a := b.do("POST", instance+"/instantiate", request)
	require.Contains(t, a.problem(http.StatusBadRequest), "masterNode_CP1 needs a network")
	require.Equal(t, "$.extVirtualLinks", a.paths()[0])
}

func TestInstantiateWithUnknownNamesIsUnprocessable(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	request["flavourId"] = "tiny"
	a := b.do("POST", instance+"/instantiate", request)
	require.Contains(t, a.problem(http.StatusUnprocessableEntity), "ha")
	require.Equal(t, []string{"$.flavourId"}, a.paths())

	request["flavourId"] = "ha"
	request["additionalParams"].(map[string]any)[lcm.ClusterParamsKey].(map[string]any)["cni_manifest_path"] = "Files/none.yaml"
	a = b.do("POST", instance+"/instantiate", request)
	a.problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{"$.additionalParams." + lcm.ClusterParamsKey + ".cni_manifest_path"}, a.paths())

	b.do("POST", "/vnflcm/v1/vnf_instances/5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30/instantiate",
		request).problem(http.StatusNotFound)
	b.do("POST", "/vnflcm/v1/vnf_instances/nothing/instantiate", request).problem(http.StatusNotFound)
}

// TestInstantiateWithoutAPodNetworkIsRefused checks that a request says in time that nodes would never become Ready, in
// the plan, too.
func TestInstantiateWithoutAPodNetworkIsRefused(t *testing.T) {
	const path = "$.additionalParams." + lcm.ClusterParamsKey + ".cni_manifest_path"
	unnamed := func(request map[string]any) map[string]any {
		delete(request["additionalParams"].(map[string]any)[lcm.ClusterParamsKey].(map[string]any), "cni_manifest_path")
		return request
	}
	b := newBench(t, func(o *Options) { o.PodNetwork = false })
	instance, request := b.ready("/vnflcm/v1")
	a := b.do("POST", instance+"/instantiate", unnamed(request))
	require.Contains(t, a.problem(http.StatusUnprocessableEntity), "kubernetes.podNetwork")
	require.Equal(t, []string{path}, a.paths())
	plan := "/windlass/v1" + strings.TrimPrefix(instance, "/vnflcm/v1") + "/plan"
	a = b.do("POST", plan, map[string]any{"operation": "INSTANTIATE", "request": request})
	a.problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{"$.request" + strings.TrimPrefix(path, "$")}, a.paths())

	b = newBench(t)
	instance, request = b.ready("/vnflcm/v1")
	b.do("POST", instance+"/instantiate", unnamed(request)).want(http.StatusAccepted)
}

func TestRequestMayNotNameSealedSecrets(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	node := request["additionalParams"].(map[string]any)[lcm.ClusterParamsKey].(map[string]any)["worker_node"].(map[string]any)
	node["password"] = map[string]any{lcm.SecretKey: "vim/other/password"}
	b.do("POST", instance+"/instantiate", request).problem(http.StatusBadRequest)
	require.Len(t, sealed(b), 1)
}

func TestOfTwoInstantiatesAtTheSameTimeOneIsRefused(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	var group sync.WaitGroup
	answers := make([]answer, 2)
	for i := range answers {
		group.Go(func() { answers[i] = b.do("POST", instance+"/instantiate", request) })
	}
	group.Wait()
	require.ElementsMatch(t, []int{http.StatusAccepted, http.StatusConflict}, []int{answers[0].Status, answers[1].Status})
	require.Len(t, b.starter.starts, 1)
	require.Len(t, sealed(b), 4, "the secrets of the refused request are deleted")
	b.do("DELETE", instance, nil).problem(http.StatusConflict)
}

func TestOperationIsAcceptedWhileTemporalIsDown(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	b.starter.down = lcm.Errorf(lcm.KindUnavailable, "Temporal is away.")
	a := b.do("POST", instance+"/instantiate", request)
	a.want(http.StatusAccepted)
	b.starter.refuse = b.starter.down
	refused := b.do("POST", a.path()+"/cancel", map[string]any{"cancelMode": "FORCEFUL"})
	refused.problem(http.StatusServiceUnavailable)
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
}

// TestActionIsTakenWhereTheWorkflowIsBehindItsRecord simulates a worker that ends after it has recorded a state, but
// before Temporal has got the result. The workflow is then in the state before, while the client has read the new
// state.
func TestActionIsTakenWhereTheWorkflowIsBehindItsRecord(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	a := b.do("POST", instance+"/instantiate", request)
	b.enter(a.path(), lcm.Processing)
	b.enter(a.path(), lcm.FailedTemp)
	behind := lcm.Errorf(lcm.KindConflict, "The operation is PROCESSING: fail is not possible.")
	b.starter.behind = behind
	b.do("POST", a.path()+"/fail", nil).want(http.StatusOK)
	require.Equal(t, []lcm.Action{lcm.Fail}, b.starter.acts)

	a = b.do("POST", instance+"/instantiate", request)
	b.enter(a.path(), lcm.Processing)
	b.enter(a.path(), lcm.FailedTemp)
	b.starter.refuse = behind
	b.do("POST", a.path()+"/fail", nil).problem(http.StatusConflict)
}

func TestTerminateWantsAnInstantiatedInstanceAndAType(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v2")
	request = asV2(t, request)
	b.do("POST", instance+"/terminate", map[string]any{"terminationType": "FORCEFUL"}).problem(http.StatusConflict)
	for _, bad := range []string{
		`{}`, `{"terminationType":"SOFT"}`,
		`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":0}`,
		`{"terminationType":"FORCEFUL","additionalParams":{"patience":0}}`,
	} {
		b.do("POST", instance+"/terminate", bad).problem(http.StatusBadRequest)
	}
	instantiated(b, instance, b.do("POST", instance+"/instantiate", request))
	b.do("POST", instance+"/instantiate", request).problem(http.StatusConflict)

	a := b.do("POST", instance+"/terminate", map[string]any{
		"terminationType":            "GRACEFUL",
		"gracefulTerminationTimeout": 5,
	})
	a.want(http.StatusAccepted)
	require.Equal(t, lcm.OpTerminate, b.starter.starts[1].Operation)
	b.do("POST", instance+"/terminate", map[string]any{"terminationType": "FORCEFUL"}).problem(http.StatusConflict)
	b.enter(a.path(), lcm.Processing)
	b.enter(a.path(), lcm.Completed, func(r *lcm.OperationRecord) {
		inst, err := b.store.Instance(t.Context(), b.operation(a.path()).VnfInstanceID)
		require.NoError(t, err)
		inst.InstantiationState, inst.Instantiated = lcm.NotInstantiated, nil
		r.Instance = &inst
	})
	b.do("DELETE", instance, nil).want(http.StatusNoContent)
	require.Len(t, sealed(b), 1, "the instance's secrets go with it")
}

// instantiated completes the instantiation of an answer.
func instantiated(b *bench, instance string, a answer) {
	b.Helper()
	a.want(http.StatusAccepted)
	b.enter(a.path(), lcm.Processing)
	b.enter(a.path(), lcm.Completed, func(r *lcm.OperationRecord) {
		inst, err := b.store.Instance(b.Context(), lcm.VnfInstanceID(instance[strings.LastIndexByte(instance, '/')+1:]))
		require.NoError(b, err)
		inst.InstantiationState = lcm.Instantiated
		inst.Instantiated = &lcm.InstantiatedVnfInfo{FlavourID: "ha", VnfState: "STARTED"}
		r.Instance = &inst
		r.ResourceChanges = &lcm.ResourceChanges{AffectedVnfcs: []lcm.AffectedVnfc{{
			ID: "a", VduID: "workerNode", ChangeType: "ADDED",
			ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: "server-1"},
		}}}
	})
	b.do("GET", a.path(), nil).want(http.StatusOK)
}

func keysOf(v any) []string {
	var out []string
	doc, _ := json.Marshal(v)
	var m map[string]any
	_ = json.Unmarshal(doc, &m)
	for k := range m {
		out = append(out, k)
	}
	return sorted(out)
}
