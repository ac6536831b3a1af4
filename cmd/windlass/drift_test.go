package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	driftReport = `{"vnfInstanceId":"` + vnfID + `","id":"run-1","trigger":"REQUEST","checkedAt":"2026-11-21T11:59:00Z","findings":[
		{"kind":"NODE_NOT_READY","vnfcInstanceId":"a","node":"worker-3f2a91c0","detail":"worker-3f2a91c0 is not Ready (Kubelet stopped).",
		"remedy":"HEAL_VNFC","automatic":true,"checks":2}],"decision":{"action":"HEALS","reason":"One is healed.","vnfLcmOpOccId":"` + opID + `"}}`
	driftPolicy = `{"check":false,"interval":300,"autoHeal":false,"agreeingChecks":2,"maxHeals":3,"maxHealsPeriod":3600}`
)

func drifting() *fakeAPI {
	api := resources()
	path := "/windlass/v1/vnf_instances/" + vnfID + "/drift"
	checked := false
	api.answers["GET "+path] = func(w http.ResponseWriter, r *http.Request) {
		if !checked {
			problem(http.StatusNotFound, `{"status":404,"detail":"The VNF instance was not checked yet."}`)(w, r)
			return
		}
		ok(http.StatusOK, driftReport)(w, r)
	}
	api.answers["POST "+path] = func(w http.ResponseWriter, r *http.Request) {
		checked = true
		ok(http.StatusAccepted, `{"checkId":"run"}`)(w, r)
	}
	api.answers["GET "+path+"_policy"] = ok(http.StatusOK, driftPolicy)
	api.answers["PUT "+path+"_policy"] = ok(http.StatusOK, driftPolicy)
	return api
}

func TestDrift_showsAndChecks(t *testing.T) {
	api := drifting()
	assert.Equal(t, result{1, "", "windlass: There was no check yet; 'windlass vnf drift " + vnfID + " --check' checks the VNF instance now.\n"},
		windlass(t, api, "vnf", "drift", vnfID))
	got := windlass(t, api, "vnf", "drift", vnfID, "--check")
	require.Equal(t, 0, got.code, got.err)
	for _, text := range []string{
		"NODE_NOT_READY", "HEAL_VNFC (automatic, if the policy allows it)", "Decision  HEALS: One is healed.", "Trigger ", opID,
		"worker-3f2a91c0 is not Ready",
	} {
		assert.Contains(t, got.out, text)
	}
	assert.JSONEq(t, driftReport, windlass(t, api, "vnf", "drift", vnfID, "--json").out)
}

func TestDriftPolicy_changesWhatIsNamedOnly(t *testing.T) {
	for args, want := range map[string]string{
		"--every=1m":            `{"check":true,"interval":60,"autoHeal":false,"agreeingChecks":2,"maxHeals":3,"maxHealsPeriod":3600}`,
		"--auto-heal":           `{"check":false,"interval":300,"autoHeal":true,"agreeingChecks":2,"maxHeals":3,"maxHealsPeriod":3600}`,
		"--agreeing-checks=4":   `{"check":false,"interval":300,"autoHeal":false,"agreeingChecks":4,"maxHeals":3,"maxHealsPeriod":3600}`,
		"--max-heals=9":         `{"check":false,"interval":300,"autoHeal":false,"agreeingChecks":2,"maxHeals":9,"maxHealsPeriod":3600}`,
		"--max-heals-period=2h": `{"check":false,"interval":300,"autoHeal":false,"agreeingChecks":2,"maxHeals":3,"maxHealsPeriod":7200}`,
	} {
		api := drifting()
		got := windlass(t, api, "vnf", "drift-policy", vnfID, args)
		require.Equal(t, 0, got.code, got.err)
		assert.JSONEq(t, want, api.last("PUT").body)
	}
	const on = `{"check":true,"interval":300,"autoHeal":true,"agreeingChecks":2,"maxHeals":3,"maxHealsPeriod":3600}`
	for want, args := range map[string][]string{
		`{"check":false,"interval":300,"autoHeal":false,"agreeingChecks":2,"maxHeals":3,"maxHealsPeriod":3600}`: {"--off"},
		`{"check":false,"interval":300,"autoHeal":true,"agreeingChecks":2,"maxHeals":3,"maxHealsPeriod":3600}`: {
			"--off", "--auto-heal",
		},
	} {
		api := drifting()
		api.answers["GET /windlass/v1/vnf_instances/"+vnfID+"/drift_policy"] = ok(http.StatusOK, on)
		got := windlass(t, api, append([]string{"vnf", "drift-policy", vnfID}, args...)...)
		require.Equal(t, 0, got.code, got.err)
		assert.JSONEq(t, want, api.last("PUT").body)
	}
	api := drifting()
	got := windlass(t, api, "vnf", "drift-policy", vnfID)
	require.Equal(t, 0, got.code, got.err)
	assert.Contains(t, got.out, "on request and by notification")
	assert.Contains(t, got.out, "3 within 1h0m0s")
	for _, sent := range api.got {
		assert.Equal(t, http.MethodGet, sent.method)
	}
	assert.Equal(t, exitUsage, windlass(t, drifting(), "vnf", "drift-policy", vnfID, "--every=1m", "--off").code)
}
