package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const registryVnf = `{"id":"` + vnfID + `","instantiationState":"INSTANTIATED","instantiatedVnfInfo":{"flavourId":"volume","vnfState":"STARTED",
	"vnfcResourceInfo":[{"id":"a","vduId":"PrivateRegistryVDU","computeResource":{"resourceId":"0f1e"},"metadata":{"creation_time":"x",
	"private_registry_connection_info":[{"connection_type":"1","server":"registry.example.com:5000","ca_certificate":"PEM","hosts_string":"10.0.0.5 registry.example.com"}]}}]}}`

func registryAPI(vnf string) *fakeAPI {
	api := resources()
	api.answers["GET /vnflcm/v1/vnf_instances/"+vnfID] = ok(http.StatusOK, vnf)
	return api
}

func TestVnfRegistry_tellsClustersHowToConnect(t *testing.T) {
	got := windlass(t, registryAPI(registryVnf), "vnf", "registry", vnfID)
	require.Zero(t, got.code, got.err)
	assert.Contains(t, got.out, "registry.example.com:5000")
	assert.Contains(t, got.out, "HTTPS")
	assert.Contains(t, got.out, "\nPEM\n")
	assert.Equal(t, "PEM\n", windlass(t, registryAPI(registryVnf), "vnf", "registry", vnfID, "--ca").out)
	assert.JSONEq(t, `{"private_registry_connection_info":[{"connection_type":"1","server":"registry.example.com:5000","ca_certificate":"PEM",
		"hosts_string":"10.0.0.5 registry.example.com"}]}`, windlass(t, registryAPI(registryVnf), "vnf", "registry", vnfID, "--json").out)
	assert.Contains(t, windlass(t, registryAPI(registryVnf), "vnf", "show", vnfID).out,
		"https://registry.example.com:5000 (windlass vnf registry "+vnfID+")")

	got = windlass(t, registryAPI(vnf), "vnf", "registry", vnfID)
	assert.NotZero(t, got.code)
	assert.Contains(t, got.err, "no registry of images")
}
