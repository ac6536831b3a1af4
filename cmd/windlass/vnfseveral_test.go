package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const otherVnfID = "2c41f0aa-7c54-4b0e-9e53-0f3a8d1b7e21"

// twoInstances is an API with a second instance, which -l site=south finds.
func twoInstances() *fakeAPI {
	api := resources()
	other := strings.NewReplacer(vnfID, otherVnfID, "edge-1", "edge-2", "north", "south").Replace(vnf)
	api.answers["GET /vnflcm/v1/vnf_instances/"+otherVnfID] = ok(200, other)
	api.answers["GET /windlass/v1/vnf_instances/"+otherVnfID+"/topology"] = ok(200, parts)
	api.answers["DELETE /vnflcm/v1/vnf_instances/"+otherVnfID] = ok(204, "")
	api.answers["GET /vnflcm/v1/vnf_instances"] = func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("filter") {
		case "(eq,metadata/site,south)":
			ok(200, "["+other+"]")(w, r)
		case "(eq,metadata/site,nowhere)":
			ok(200, "[]")(w, r)
		default:
			ok(200, "["+vnf+","+other+"]")(w, r)
		}
	}
	return api
}

func TestVnfShow_takesSeveralInstances(t *testing.T) {
	got := windlass(t, twoInstances(), "vnf", "show", "edge-1", "edge-2")
	require.Zero(t, got.code, got.err)
	first, second := strings.Index(got.out, "edge-1"), strings.Index(got.out, "edge-2")
	assert.True(t, 0 <= first && first < second, got.out)
	assert.Contains(t, got.out, "\n\n")

	assert.Equal(t, "vnf/"+vnfID+"\nvnf/"+otherVnfID+"\n",
		windlass(t, twoInstances(), "vnf", "show", vnfID, otherVnfID, "-o", "name").out)
	assert.Equal(t, "edge-1 edge-2", strings.TrimSpace(windlass(t, twoInstances(), "vnf", "show", vnfID, otherVnfID, "-o",
		"jsonpath={.items[*].vnfInstanceName}").out))
	assert.True(t, strings.HasPrefix(windlass(t, twoInstances(), "vnf", "show", vnfID, otherVnfID, "-o", "json").out, "["))
	assert.True(t, strings.HasPrefix(windlass(t, twoInstances(), "vnf", "show", vnfID, "-o", "json").out, "{"))
	assert.Equal(t, exitUsage, windlass(t, twoInstances(), "vnf", "show").code)
}

func TestVnfDelete_choosesByMetadata(t *testing.T) {
	api := twoInstances()
	got := windlass(t, api, "vnf", "delete", "-l", "site=south")
	require.Zero(t, got.code, got.err)
	assert.Equal(t, "VNF instance "+otherVnfID+" is deleted.\n", got.out)

	got = windlass(t, twoInstances(), "vnf", "delete", "-l", "site=nowhere")
	assert.Zero(t, got.code)
	assert.Contains(t, got.err, "No VNF instance has such metadata.")
	for _, nothing := range []string{"", " ", ","} {
		got = windlass(t, twoInstances(), "vnf", "delete", "-l", nothing)
		assert.Equal(t, exitUsage, got.code, "%q must not choose all instances: %s", nothing, got.out+got.err)
	}
	got = windlass(t, twoInstances(), "vnf", "delete", "edge-1", "-l", "site=south")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.err, "Give either ids or -l.")
	assert.Equal(t, exitUsage, windlass(t, twoInstances(), "vnf", "delete", "-l", "site>3").code)
	assert.Equal(t, exitUsage, windlass(t, twoInstances(), "vnf", "delete").code)
}
