package vnflcm_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// planPath returns the path for plans of an instance.
func planPath(instance string) string {
	return "/windlass/v1/vnf_instances/" + instance[strings.LastIndexByte(instance, '/')+1:] + "/plan"
}

func TestPlan_tellsWhatAnOperationWouldDo(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	for name, c := range map[string]string{
		"plan_scale_out":      `{"operation":"SCALE","request":{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":"2"}}`,
		"plan_scale_in":       `{"operation":"SCALE","request":{"type":"SCALE_IN","aspectId":"worker_instance","additionalParams":{"vnfc_instance_ids":"node-worker-1"}}}`,
		"plan_scale_to_level": `{"operation":"SCALE_TO_LEVEL","request":{"scaleInfo":[{"aspectId":"master_instance","scaleLevel":0},{"aspectId":"worker_instance","scaleLevel":4}]}}`,
		"plan_heal":           `{"operation":"HEAL","request":{"vnfcInstanceId":["masterNode-cp-1"]}}`,
		"plan_heal_all":       `{"operation":"HEAL","request":{}}`,
		"plan_terminate":      `{"operation":"TERMINATE","request":{"terminationType":"GRACEFUL"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			instance := b.Runs("/vnflcm/v1", vnfdID, "ha", 3, 3)
			if name == "plan_scale_to_level" {
				instance = b.Runs("/vnflcm/v1", vnfdID, "ha", 5, 3)
			}
			before := b.Instance(instance)
			doc := b.Do("POST", planPath(instance), c).Want(http.StatusOK)
			apitest.Golden(t, name, doc)
			require.Equal(t, before, b.Instance(instance), "nothing is changed")
		})
	}
	require.Empty(t, b.Starter.Starts)
	require.Empty(t, b.Do("GET", "/vnflcm/v1/vnf_lcm_op_occs", nil).List())
}

func TestPlan_ofAnInstantiationTakesEitherForm(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	kept := len(b.Sealed())
	request["instantiationLevelId"] = "instantiation_level_2"
	doc := b.Do("POST", planPath(instance), map[string]any{
		"operation": "INSTANTIATE",
		"request":   request,
	}).Want(http.StatusOK)
	apitest.Golden(t, "plan_instantiate", doc)
	require.Equal(t, doc, b.Do("POST", planPath(instance),
		map[string]any{"operation": "INSTANTIATE", "request": servertest.AsV2(t, request)}).Want(http.StatusOK))
	require.Len(t, b.Sealed(), kept, "nothing is sealed")

	v2 := servertest.AsV2(t, request)
	v2["flavourId"] = 7
	a := b.Do("POST", planPath(instance), map[string]any{"operation": "INSTANTIATE", "request": v2})
	a.Problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.request.flavourId"}, a.Paths())
	request["flavourId"] = "tiny"
	a = b.Do("POST", planPath(instance), map[string]any{"operation": "INSTANTIATE", "request": request})
	a.Problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{"$.request.flavourId"}, a.Paths())
}

func TestPlan_refusesWhatTheOperationWouldRefuse(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v1")
	a := b.Do("POST", planPath(instance), `{"operation":"CREATE_SNAPSHOT"}`)
	a.Problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.operation", "$.request"}, a.Paths())
	a = b.Do("POST", planPath(instance), `{"operation":"HEAL","request":{"vnfcInstanceId":["nobody"]}}`)
	a.Problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.request.vnfcInstanceId[0]"}, a.Paths())
	b.Do("POST", planPath(instance), `{"operation":"HEAL","request":null}`).Problem(http.StatusBadRequest)
	b.Do("POST", planPath(instance), `{"operation":"TERMINATE","request":{}}`).Problem(http.StatusBadRequest)
	require.Contains(t, b.Do("POST", planPath(instance),
		`{"operation":"HEAL","request":{"vnfcInstanceId":["cp-0","cp-1","cp-2"]}}`).
		Problem(http.StatusConflict), "no quorum")
	b.Do("POST", planPath(instance), map[string]any{
		"operation": "INSTANTIATE",
		"request":   servertest.ClusterRequest(""),
	}).Problem(http.StatusConflict)
	b.Do("POST", planPath("/5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30"),
		`{"operation":"HEAL","request":{}}`).Problem(http.StatusNotFound)

	b.Do("POST", instance+"/heal", `{}`).Want(http.StatusAccepted)
	for _, body := range []string{
		`{"operation":"HEAL","request":{}}`,
		`{"operation":"TERMINATE","request":{"terminationType":"FORCEFUL"}}`,
	} {
		require.Contains(t, b.Do("POST", planPath(instance), body).Problem(http.StatusConflict), "under way")
	}
}

func TestPlan_thatAnOperationKeepsIsShownOnceItIsDecided(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v2")
	a := b.Do("POST", instance+"/scale", `{"type":"SCALE_IN","aspectId":"worker_instance"}`)
	a.Want(http.StatusAccepted)
	o := b.Operation(a.Path())
	path := "/windlass/v1/vnf_lcm_op_occs/" + string(o.ID) + "/plan"
	require.Contains(t, b.Do("GET", path, nil).Problem(http.StatusNotFound), "no plan yet")
	_, err := b.Store.KeepPlan(t.Context(), o.ID, lcm.Plan{
		Operation: lcm.OpScale, ScaleStatus: []lcm.ScaleInfo{{AspectID: "worker_instance", ScaleLevel: 1}},
		Groups: []lcm.GroupChange{{AspectID: "worker_instance", VduID: "workerNode", From: 4, To: 3}},
		Leaving: []lcm.LeavingVnfc{{
			VnfcID: "worker-1", VduID: "workerNode", ServerID: "worker-1", Node: "node-worker-1",
			Why: "it is not Ready",
		}},
	})
	require.NoError(t, err)
	apitest.Golden(t, "plan_kept", b.Do("GET", path, nil).Want(http.StatusOK))
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		doc := b.Do("GET", root+a.Path()[len("/vnflcm/v2"):], nil).Want(http.StatusOK)
		require.NotContains(t, doc, "plan", "SOL003 has none")
	}

	b.Enter(a.Path(), lcm.Processing)
	b.Enter(a.Path(), lcm.Completed)
	end := b.Do("POST", instance+"/terminate", `{"terminationType":"FORCEFUL"}`)
	end.Want(http.StatusAccepted)
	require.Contains(t, b.Do("GET", "/windlass/v1/vnf_lcm_op_occs/"+string(b.Operation(end.Path()).ID)+"/plan",
		nil).Problem(http.StatusNotFound), "has no plan")
}

// TestPlan_isOfTheVersionThatTheHeaderSays checks the version of the request for a plan. It matters because a heal
// without parameters keeps different resources in v1 and v2.
func TestPlan_isOfTheVersionThatTheHeaderSays(t *testing.T) {
	b := servertest.New(t)
	instance := b.PlainServer("/vnflcm/v2")
	for _, c := range []struct {
		params, version string
		whole           bool
	}{
		{`{}`, "", true},
		{`{}`, "Version: 1.3.0", true},
		{`{}`, "Version: 2.0.0", false},
		{`{}`, "Version: 2.0.0-impl:x:1", false},
		{`{"additionalParams":{"all":true}}`, "Version: 2.0.0", true},
		{`{"additionalParams":{"all":false}}`, "", false},
	} {
		var headers []string
		if c.version != "" {
			headers = append(headers, c.version)
		}
		doc := b.Do("POST", planPath(instance), `{"operation":"HEAL","request":`+c.params+`}`, headers...).Want(http.StatusOK)
		require.Equal(t, c.whole, doc["whole"] == true, c)
		require.Equal(t, !c.whole, doc["within"] == true, c)
	}
	b.Do("POST", planPath(instance), `{"operation":"HEAL","request":{}}`,
		"Version: 3.0.0").Problem(http.StatusNotAcceptable)
	for root, version := range map[string]int{"/vnflcm/v1": 1, "/vnflcm/v2": 2} { // the operation keeps the version
		b := servertest.New(t)
		a := b.Do("POST", b.PlainServer(root)+"/heal", `{}`)
		a.Want(http.StatusAccepted)
		require.Equal(t, version, b.Operation(a.Path()).APIVersion)
	}
}
