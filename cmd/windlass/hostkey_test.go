package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestForgetHostKey_isOfOneNode(t *testing.T) {
	const path = "/windlass/v1/vnf_instances/" + vnfID + "/host_keys/worker-3f2a91c0"
	api := resources()
	api.answers["DELETE "+path] = ok(http.StatusNoContent, "")
	got := windlass(t, api, "vnf", "forget-host-key", vnfID, "worker-3f2a91c0")
	assert.Equal(t, result{
		0, "Windlass has forgotten the host key of worker-3f2a91c0, and keeps the key that it shows at the next contact.\n", "",
	}, got)
	assert.Equal(t, path, api.last("DELETE").path)
	assert.Equal(t, 1, windlass(t, resources(), "vnf", "forget-host-key", vnfID, "cp-9").code)
}
