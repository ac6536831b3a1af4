package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func escape(s string) string { return url.QueryEscape(s) }

func TestInstantiateStartsOneWorkflowAndAnswersWithItsOperation(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	a := b.Do("POST", instance+"/instantiate", request)
	a.Want(http.StatusAccepted)
	require.Empty(t, a.Body)

	o := b.Operation(a.Path())
	require.Equal(t, []lcm.OperationInput{{OpOccID: o.ID, VnfInstanceID: o.VnfInstanceID, Operation: lcm.OpInstantiate}},
		b.Starter.Starts)
	require.NotContains(t, string(o.Params), servertest.Marker)
	require.Equal(t, 1, o.APIVersion)
	require.Len(t, b.Sealed(), 4, "the VIM's password and three of the request")

	doc := b.Do("GET", a.Path(), nil).Want(http.StatusOK)
	require.Equal(t, "STARTING", doc["operationState"])
	require.Equal(t, "INSTANTIATE", doc["operation"])
	require.Equal(t, false, doc["isAutomaticInvocation"])
	require.Equal(t, []string{"cancel", "self", "vnfInstance"}, keysOf(doc["_links"]))
	params := doc["operationParams"].(map[string]any)
	require.Equal(t, "vim1", params["vimConnectionInfo"].([]any)[0].(map[string]any)["id"])
	require.Contains(t, string(b.Do("GET", a.Path(), nil).Body), `"password":"***"`)

	v2 := b.Do("GET", strings.Replace(a.Path(), "v1", "v2", 1), nil).Want(http.StatusOK)
	require.Contains(t, v2["operationParams"].(map[string]any)["vimConnectionInfo"], "vim1", "v1's list is a map in v2")

	require.Contains(t, b.Do("GET", "/vnflcm/v1/vnf_lcm_op_occs", nil).List()[0], "operationParams")
	require.NotContains(t, b.Do("GET", "/vnflcm/v2/vnf_lcm_op_occs", nil).List()[0], "operationParams")
	b.Do("GET", "/vnflcm/v2/vnf_lcm_op_occs?all_fields", nil).List()
}

func TestInstantiateThroughV2TakesAMapOfVims(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v2")
	request["vimConnectionInfo"].([]any)[0].(map[string]any)["vimType"] = "ETSINFV.OPENSTACK_KEYSTONE.V_3"
	b.Do("POST", instance+"/instantiate", request).Problem(http.StatusBadRequest)
	a := b.Do("POST", instance+"/instantiate", servertest.AsV2(t, request))
	a.Want(http.StatusAccepted)
	b.Do("GET", a.Path(), nil).Want(http.StatusOK)
	v1 := b.Do("GET", strings.Replace(a.Path(), "v2", "v1", 1), nil).Want(http.StatusOK)
	require.Equal(t, "vim1", v1["operationParams"].(map[string]any)["vimConnectionInfo"].([]any)[0].(map[string]any)["id"])
}

func TestInstantiateWithoutVimUsesTheDefaultOne(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	instance := b.Create("/vnflcm/v1", vnfdID)
	request := servertest.ClusterRequest("")
	delete(request, "vimConnectionInfo")
	a := b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{"$.vimConnectionInfo"}, a.Paths())
	b.RegisterVim("lab", true)
	b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
}

func TestInstantiateReportsEveryMistakeAtOnce(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	cluster := request["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any)
	cluster["master_node"].(map[string]any)["pod_cidr"] = "192.168.0.0/99"
	cluster["cni_manifest_path"] = "../../etc/passwd"
	delete(cluster["worker_node"].(map[string]any), "username")
	request["vimConnectionInfo"].([]any)[0].(map[string]any)["vimId"] = "4f0c0d63-0c0e-4c0f-8a57-0a8e5b1d2f11"
	request["instantiationLevelId"] = "gigantic"
	a := b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusBadRequest)
	prefix := "$.additionalParams." + k8s.ParamsKey
	require.ElementsMatch(t, []string{
		"$.vimConnectionInfo[0].vimId", "$.instantiationLevelId", prefix + ".worker_node.username", prefix +
			".master_node.pod_cidr",
		prefix + ".cni_manifest_path",
	}, a.Paths())
	require.Empty(t, b.Starter.Starts)
	require.Empty(t, b.Do("GET", "/vnflcm/v1/vnf_lcm_op_occs", nil).List())
	require.Len(t, b.Sealed(), 1, "only the VIM's password is kept")

	a = b.Do("POST", instance+"/instantiate", `{"instantiationLevelId":1,"vimConnectionInfo":{},"additionalParams":"x",
		"extVirtualLinks":[{"id":"a","extCps":[{"cpdId":"c","cpConfig":{}}]}]}`)
	a.Problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{
		"$.flavourId", "$.instantiationLevelId", "$.vimConnectionInfo", "$.additionalParams",
		"$.extVirtualLinks[0].resourceId",
		"$.extVirtualLinks[0].extCps[0].cpConfig",
	}, a.Paths())
}

func TestInstantiateTellsWhatTheTemplatesMiss(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	delete(request, "extVirtualLinks")
	a := b.Do("POST", instance+"/instantiate", request)
	require.Contains(t, a.Problem(http.StatusBadRequest), "masterNode_CP1 needs a network")
	require.Equal(t, "$.extVirtualLinks", a.Paths()[0])
}

func TestInstantiateWithUnknownNamesIsUnprocessable(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	request["flavourId"] = "tiny"
	a := b.Do("POST", instance+"/instantiate", request)
	require.Contains(t, a.Problem(http.StatusUnprocessableEntity), "ha")
	require.Equal(t, []string{"$.flavourId"}, a.Paths())

	request["flavourId"] = "ha"
	request["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any)["cni_manifest_path"] = "Files/none.yaml"
	a = b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{"$.additionalParams." + k8s.ParamsKey + ".cni_manifest_path"}, a.Paths())

	b.Do("POST", "/vnflcm/v1/vnf_instances/5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30/instantiate",
		request).Problem(http.StatusNotFound)
	b.Do("POST", "/vnflcm/v1/vnf_instances/nothing/instantiate", request).Problem(http.StatusNotFound)
}

// TestInstantiateWithoutAPodNetworkIsRefused checks that a request says in time that nodes would never become Ready, in
// the plan, too.
func TestInstantiateWithoutAPodNetworkIsRefused(t *testing.T) {
	const path = "$.additionalParams." + k8s.ParamsKey + ".cni_manifest_path"
	unnamed := func(request map[string]any) map[string]any {
		delete(request["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any), "cni_manifest_path")
		return request
	}
	b := servertest.New(t, func(o *apiserver.Options) { o.PodNetwork = false })
	instance, request := b.Ready("/vnflcm/v1")
	a := b.Do("POST", instance+"/instantiate", unnamed(request))
	require.Contains(t, a.Problem(http.StatusUnprocessableEntity), "kubernetes.podNetwork")
	require.Equal(t, []string{path}, a.Paths())
	plan := "/windlass/v1" + strings.TrimPrefix(instance, "/vnflcm/v1") + "/plan"
	a = b.Do("POST", plan, map[string]any{"operation": "INSTANTIATE", "request": request})
	a.Problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{"$.request" + strings.TrimPrefix(path, "$")}, a.Paths())

	b = servertest.New(t)
	instance, request = b.Ready("/vnflcm/v1")
	b.Do("POST", instance+"/instantiate", unnamed(request)).Want(http.StatusAccepted)
}

func TestRequestMayNotNameSealedSecrets(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	node := request["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any)["worker_node"].(map[string]any)
	node["password"] = map[string]any{lcm.SecretKey: "vim/other/password"}
	b.Do("POST", instance+"/instantiate", request).Problem(http.StatusBadRequest)
	require.Len(t, b.Sealed(), 1)
}

func TestOfTwoInstantiatesAtTheSameTimeOneIsRefused(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	var group sync.WaitGroup
	answers := make([]servertest.Answer, 2)
	for i := range answers {
		group.Go(func() { answers[i] = b.Do("POST", instance+"/instantiate", request) })
	}
	group.Wait()
	require.ElementsMatch(t, []int{http.StatusAccepted, http.StatusConflict}, []int{answers[0].Status, answers[1].Status})
	require.Len(t, b.Starter.Starts, 1)
	require.Len(t, b.Sealed(), 4, "the secrets of the refused request are deleted")
	b.Do("DELETE", instance, nil).Problem(http.StatusConflict)
}

func TestOperationIsAcceptedWhileTemporalIsDown(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	b.Starter.Down = lcm.Errorf(lcm.KindUnavailable, "Temporal is away.")
	a := b.Do("POST", instance+"/instantiate", request)
	a.Want(http.StatusAccepted)
	b.Starter.Refuse = b.Starter.Down
	refused := b.Do("POST", a.Path()+"/cancel", map[string]any{"cancelMode": "FORCEFUL"})
	refused.Problem(http.StatusServiceUnavailable)
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
}

// TestActionIsTakenWhereTheWorkflowIsBehindItsRecord simulates a worker that ends after it has recorded a state, but
// before Temporal has got the result. The workflow is then in the state before, while the client has read the new
// state.
func TestActionIsTakenWhereTheWorkflowIsBehindItsRecord(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	a := b.Do("POST", instance+"/instantiate", request)
	b.Enter(a.Path(), lcm.Processing)
	b.Enter(a.Path(), lcm.FailedTemp)
	behind := lcm.Errorf(lcm.KindConflict, "The operation is PROCESSING: fail is not possible.")
	b.Starter.Behind = behind
	b.Do("POST", a.Path()+"/fail", nil).Want(http.StatusOK)
	require.Equal(t, []lcm.Action{lcm.Fail}, b.Starter.Acts)

	a = b.Do("POST", instance+"/instantiate", request)
	b.Enter(a.Path(), lcm.Processing)
	b.Enter(a.Path(), lcm.FailedTemp)
	b.Starter.Refuse = behind
	b.Do("POST", a.Path()+"/fail", nil).Problem(http.StatusConflict)
}

func TestTerminateWantsAnInstantiatedInstanceAndAType(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v2")
	request = servertest.AsV2(t, request)
	b.Do("POST", instance+"/terminate", map[string]any{"terminationType": "FORCEFUL"}).Problem(http.StatusConflict)
	for _, bad := range []string{
		`{}`, `{"terminationType":"SOFT"}`,
		`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":0}`,
		`{"terminationType":"FORCEFUL","additionalParams":{"patience":0}}`,
	} {
		b.Do("POST", instance+"/terminate", bad).Problem(http.StatusBadRequest)
	}
	instantiated(b, instance, b.Do("POST", instance+"/instantiate", request))
	b.Do("POST", instance+"/instantiate", request).Problem(http.StatusConflict)

	a := b.Do("POST", instance+"/terminate", map[string]any{
		"terminationType":            "GRACEFUL",
		"gracefulTerminationTimeout": 5,
	})
	a.Want(http.StatusAccepted)
	require.Equal(t, lcm.OpTerminate, b.Starter.Starts[1].Operation)
	b.Do("POST", instance+"/terminate", map[string]any{"terminationType": "FORCEFUL"}).Problem(http.StatusConflict)
	b.Enter(a.Path(), lcm.Processing)
	b.Enter(a.Path(), lcm.Completed, func(r *lcm.OperationRecord) {
		inst, err := b.Store.Instance(t.Context(), b.Operation(a.Path()).VnfInstanceID)
		require.NoError(t, err)
		inst.InstantiationState, inst.Instantiated = lcm.NotInstantiated, nil
		r.Instance = &inst
	})
	b.Do("DELETE", instance, nil).Want(http.StatusNoContent)
	require.Len(t, b.Sealed(), 1, "the instance's secrets go with it")
}

// instantiated completes the instantiation of an answer.
func instantiated(b *servertest.Bench, instance string, a servertest.Answer) {
	b.Helper()
	a.Want(http.StatusAccepted)
	b.Enter(a.Path(), lcm.Processing)
	b.Enter(a.Path(), lcm.Completed, func(r *lcm.OperationRecord) {
		inst, err := b.Store.Instance(b.Context(), lcm.VnfInstanceID(instance[strings.LastIndexByte(instance, '/')+1:]))
		require.NoError(b, err)
		inst.InstantiationState = lcm.Instantiated
		inst.Instantiated = &lcm.InstantiatedVnfInfo{FlavourID: "ha", VnfState: "STARTED"}
		r.Instance = &inst
		r.ResourceChanges = &lcm.ResourceChanges{AffectedVnfcs: []lcm.AffectedVnfc{{
			ID: "a", VduID: "workerNode", ChangeType: "ADDED",
			ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: "server-1"},
		}}}
	})
	b.Do("GET", a.Path(), nil).Want(http.StatusOK)
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
