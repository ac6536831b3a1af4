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
