package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func described() *fakeAPI {
	api := resources()
	api.answers["GET /vnflcm/v1/vnf_lcm_op_occs/"+opID] = ok(http.StatusOK, strings.Replace(op, `"isCancelPending"`,
		`"operationParams":{"flavourId":"simple","additionalParams":{"node_password":"***","workers":[1,2]}},"isCancelPending"`, 1))
	return api
}

func TestVnfDescribe_tellsAllThatIsKnown(t *testing.T) {
	got := windlass(t, described(), "vnf", "describe", "edge-1")
	require.Zero(t, got.code, got.err)
	golden(t, "vnf-describe", got.out)

	var doc map[string]any
	got = windlass(t, described(), "vnf", "describe", vnfID, "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(got.out), &doc))
	for _, member := range []string{"vnfInstance", "topology", "operations", "instantiationParams", "steps"} {
		assert.NotEmpty(t, doc[member], member)
	}
}

func TestVnfDescribe_leavesOutWhatCannotBeHad(t *testing.T) {
	api := &fakeAPI{answers: map[string]http.HandlerFunc{"GET /vnflcm/v1/vnf_instances/" + vnfID: ok(http.StatusOK, vnf)}}
	got := windlass(t, api, "vnf", "describe", vnfID)
	require.Zero(t, got.code, got.err)
	assert.Contains(t, got.out, "edge-1")
	assert.NotContains(t, got.out, "OPERATION")
}

func TestVnfTerminate_cleansUpWhatIsLeft(t *testing.T) {
	api := resources()
	api.answers["POST /windlass/v1/vnf_instances/"+vnfID+"/clean_up"] = accepted("http://api/vnflcm/v1/vnf_lcm_op_occs/" + opID)
	got := windlass(t, api, "vnf", "terminate", "edge-1", "--leftovers")
	require.Zero(t, got.code, got.err)
	assert.Contains(t, got.out, "windlass op watch "+opID)
	assert.Equal(t, exitUsage, windlass(t, api, "vnf", "terminate", "edge-1", "--leftovers", "--graceful", "5").code)
	api.answers["POST /windlass/v1/vnf_instances/"+vnfID+"/plan"] = ok(http.StatusOK, `{"operation":"TERMINATE"}`)
	assert.Contains(t, windlass(t, api, "vnf", "terminate", "edge-1", "--leftovers", "--plan").out, "TERMINATE")
	assert.JSONEq(t, `{"operation":"TERMINATE","request":{},"leftovers":true}`, api.last("POST").body)

	api.answers["GET /vnflcm/v1/vnf_instances/"+vnfID] = ok(http.StatusOK,
		`{"id":"`+vnfID+`","vnfInstanceName":"edge-1","instantiationState":"NOT_INSTANTIATED"}`)
	api.answers["GET /windlass/v1/vnf_instances"] = ok(http.StatusOK, "["+strings.ReplaceAll(about, "FAILED_TEMP", "FAILED")+"]")
	api.answers["GET /vnflcm/v1/vnf_lcm_op_occs"] = ok(http.StatusOK, "[]")
	assert.Contains(t, windlass(t, api, "vnf", "show", vnfID).out, "windlass vnf terminate edge-1 --leftovers --watch")
}
