package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVnfKubeconfig_printsTheFileAsItIs(t *testing.T) {
	const path = "/windlass/v1/vnf_instances/" + vnfID + "/kubeconfig"
	api := resources()
	api.answers["POST "+path] = ok(http.StatusCreated, `{"kubeconfig":"apiVersion: v1\nkind: Config\n","expiresAt":"2026-11-25T10:00:00Z"}`)
	assert.Equal(t, result{0, "apiVersion: v1\nkind: Config\n", ""}, windlass(t, api, "vnf", "kubeconfig", "edge-1"))
	assert.JSONEq(t, `{"expirationSeconds":3600}`, api.last("POST").body)
	assert.Equal(t, "2026-11-25T10:00:00Z\n",
		windlass(t, api, "vnf", "kubeconfig", vnfID, "--duration", "10m", "-o", "jsonpath={.expiresAt}").out)
	assert.JSONEq(t, `{"expirationSeconds":600}`, api.last("POST").body)

	for _, duration := range []string{"9m", "25h", "-1h"} {
		got := windlass(t, resources(), "vnf", "kubeconfig", vnfID, "--duration", duration)
		assert.Equal(t, exitUsage, got.code)
		assert.Contains(t, got.err, "10m to 24h")
	}
	api.answers["POST "+path] = problem(http.StatusConflict, `{"status":409,"detail":"The VNF instance is no Kubernetes cluster."}`)
	got := windlass(t, api, "vnf", "kubeconfig", vnfID)
	assert.Equal(t, result{1, "", "windlass: The VNF instance is no Kubernetes cluster.\n"}, got)
}
