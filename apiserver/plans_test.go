package apiserver

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// planPath returns the path for plans of an instance.
func planPath(instance string) string {
	return "/windlass/v1/vnf_instances/" + instance[strings.LastIndexByte(instance, '/')+1:] + "/plan"
}

func TestPlan_tellsWhatAnOperationWouldDo(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	for name, c := range map[string]string{
		"plan_scale_out":      `{"operation":"SCALE","request":{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":"2"}}`,
		"plan_scale_in":       `{"operation":"SCALE","request":{"type":"SCALE_IN","aspectId":"worker_instance","additionalParams":{"vnfc_instance_ids":"node-worker-1"}}}`,
		"plan_scale_to_level": `{"operation":"SCALE_TO_LEVEL","request":{"scaleInfo":[{"aspectId":"master_instance","scaleLevel":0},{"aspectId":"worker_instance","scaleLevel":4}]}}`,
		"plan_heal":           `{"operation":"HEAL","request":{"vnfcInstanceId":["masterNode-cp-1"]}}`,
		"plan_heal_all":       `{"operation":"HEAL","request":{}}`,
		"plan_terminate":      `{"operation":"TERMINATE","request":{"terminationType":"GRACEFUL"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			instance := b.runs("/vnflcm/v1", vnfdID, "ha", 3, 3)
			if name == "plan_scale_to_level" {
				instance = b.runs("/vnflcm/v1", vnfdID, "ha", 5, 3)
			}
			before := b.instance(instance)
			doc := b.do("POST", planPath(instance), c).want(http.StatusOK)
			apitest.Golden(t, name, doc)
			require.Equal(t, before, b.instance(instance), "nothing is changed")
		})
	}
	require.Empty(t, b.starter.starts)
	require.Empty(t, b.do("GET", "/vnflcm/v1/vnf_lcm_op_occs", nil).list())
}

func TestPlan_ofAnInstantiationTakesEitherForm(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	kept := len(sealed(b))
	request["instantiationLevelId"] = "instantiation_level_2"
	doc := b.do("POST", planPath(instance), map[string]any{
		"operation": "INSTANTIATE",
		"request":   request,
	}).want(http.StatusOK)
	apitest.Golden(t, "plan_instantiate", doc)
	require.Equal(t, doc, b.do("POST", planPath(instance),
		map[string]any{"operation": "INSTANTIATE", "request": asV2(t, request)}).want(http.StatusOK))
	require.Len(t, sealed(b), kept, "nothing is sealed")

	v2 := asV2(t, request)
	v2["flavourId"] = 7
	a := b.do("POST", planPath(instance), map[string]any{"operation": "INSTANTIATE", "request": v2})
	a.problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.request.flavourId"}, a.paths())
	request["flavourId"] = "tiny"
	a = b.do("POST", planPath(instance), map[string]any{"operation": "INSTANTIATE", "request": request})
	a.problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{"$.request.flavourId"}, a.paths())
}

func TestPlan_refusesWhatTheOperationWouldRefuse(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v1")
	a := b.do("POST", planPath(instance), `{"operation":"CHANGE_FLAVOUR"}`)
	a.problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.operation", "$.request"}, a.paths())
	a = b.do("POST", planPath(instance), `{"operation":"HEAL","request":{"vnfcInstanceId":["nobody"]}}`)
	a.problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.request.vnfcInstanceId[0]"}, a.paths())
	b.do("POST", planPath(instance), `{"operation":"HEAL","request":null}`).problem(http.StatusBadRequest)
	b.do("POST", planPath(instance), `{"operation":"TERMINATE","request":{}}`).problem(http.StatusBadRequest)
	require.Contains(t, b.do("POST", planPath(instance),
		`{"operation":"HEAL","request":{"vnfcInstanceId":["cp-0","cp-1","cp-2"]}}`).
		problem(http.StatusConflict), "no quorum")
	b.do("POST", planPath(instance), map[string]any{
		"operation": "INSTANTIATE",
		"request":   clusterRequest(""),
	}).problem(http.StatusConflict)
	b.do("POST", planPath("/5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30"),
		`{"operation":"HEAL","request":{}}`).problem(http.StatusNotFound)

	b.do("POST", instance+"/heal", `{}`).want(http.StatusAccepted)
	for _, body := range []string{
		`{"operation":"HEAL","request":{}}`,
		`{"operation":"TERMINATE","request":{"terminationType":"FORCEFUL"}}`,
	} {
		require.Contains(t, b.do("POST", planPath(instance), body).problem(http.StatusConflict), "under way")
	}
}

func TestPlan_thatAnOperationKeepsIsShownOnceItIsDecided(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v2")
	a := b.do("POST", instance+"/scale", `{"type":"SCALE_IN","aspectId":"worker_instance"}`)
	a.want(http.StatusAccepted)
	o := b.operation(a.path())
	path := "/windlass/v1/vnf_lcm_op_occs/" + string(o.ID) + "/plan"
	require.Contains(t, b.do("GET", path, nil).problem(http.StatusNotFound), "no plan yet")
	_, err := b.store.KeepPlan(t.Context(), o.ID, lcm.Plan{
		Operation: lcm.OpScale, ScaleStatus: []lcm.ScaleInfo{{AspectID: "worker_instance", ScaleLevel: 1}},
		Groups: []lcm.GroupChange{{AspectID: "worker_instance", VduID: "workerNode", From: 4, To: 3}},
		Leaving: []lcm.LeavingVnfc{{
			VnfcID: "worker-1", VduID: "workerNode", ServerID: "worker-1", Node: "node-worker-1",
			Why: "it is not Ready",
		}},
	})
	require.NoError(t, err)
	apitest.Golden(t, "plan_kept", b.do("GET", path, nil).want(http.StatusOK))
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		doc := b.do("GET", root+a.path()[len("/vnflcm/v2"):], nil).want(http.StatusOK)
		require.NotContains(t, doc, "plan", "SOL003 has none")
	}

	b.enter(a.path(), lcm.Processing)
	b.enter(a.path(), lcm.Completed)
	end := b.do("POST", instance+"/terminate", `{"terminationType":"FORCEFUL"}`)
	end.want(http.StatusAccepted)
	require.Contains(t, b.do("GET", "/windlass/v1/vnf_lcm_op_occs/"+string(b.operation(end.path()).ID)+"/plan",
		nil).problem(http.StatusNotFound), "has no plan")
}

// TestPlan_isOfTheVersionThatTheHeaderSays checks the version of the request for a plan. It matters because a heal
// without parameters keeps different resources in v1 and v2.
func TestPlan_isOfTheVersionThatTheHeaderSays(t *testing.T) {
	b := newBench(t)
	instance := b.plainServer("/vnflcm/v2")
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
		doc := b.do("POST", planPath(instance), `{"operation":"HEAL","request":`+c.params+`}`, headers...).want(http.StatusOK)
		require.Equal(t, c.whole, doc["whole"] == true, c)
		require.Equal(t, !c.whole, doc["within"] == true, c)
	}
	b.do("POST", planPath(instance), `{"operation":"HEAL","request":{}}`,
		"Version: 3.0.0").problem(http.StatusNotAcceptable)
	for root, version := range map[string]int{"/vnflcm/v1": 1, "/vnflcm/v2": 2} { // the operation keeps the version
		b := newBench(t)
		a := b.do("POST", b.plainServer(root)+"/heal", `{}`)
		a.want(http.StatusAccepted)
		require.Equal(t, version, b.operation(a.path()).APIVersion)
	}
}
