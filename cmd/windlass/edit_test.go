package main

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVnfInstantiate_changesTheRequestOnItsWay(t *testing.T) {
	file := written(t, "request.json", `{"flavourId":"simple","extVirtualLinks":[{"id":"l","resourceId":"n"}],"serial":12345678901234567890}`)
	password := written(t, "password", "s3cret\n")
	api := resources()
	got := windlass(t, api, "vnf", "instantiate", "edge-1", file, "--vim", "north", "--set", "extVirtualLinks[0].resourceId=net1",
		"--set", "additionalParams.workers=3", "--set", "additionalParams.iccid=8949017203456789012", "--set", "additionalParams.name=a=b", "--set-file",
		"additionalParams.node.password="+password)
	require.Equal(t, 0, got.code, got.err)
	assert.JSONEq(t, `{"flavourId":"simple","extVirtualLinks":[{"id":"l","resourceId":"net1"}],
		"vimConnectionInfo":[{"id":"vim","vimId":"7d1c","vimType":"openstack"}],
		"serial":12345678901234567890,"additionalParams":{"workers":3,"iccid":8949017203456789012,"name":"a=b","node":{"password":"s3cret"}}}`, api.last("POST").body)
	assert.Contains(t, api.last("POST").body, "12345678901234567890", "JSONEq rounds")
	assert.Contains(t, api.last("POST").body, "8949017203456789012")
	assert.NotContains(t, got.out+got.err, "s3cret")
}

func TestVnfInstantiate_takesNamesOfVims(t *testing.T) {
	for form, want := range map[string]string{
		`[{"id":"v","vimId":"north"}]`: `[{"id":"v","vimId":"7d1c"}]`, `{"v":{"vimId":"north"}}`: `{"v":{"vimId":"7d1c"}}`,
	} {
		api := resources()
		got := windlass(t, api, "vnf", "instantiate", vnfID, written(t, "r.json", `{"vimConnectionInfo":`+form+`}`))
		require.Equal(t, 0, got.code, got.err)
		assert.JSONEq(t, `{"vimConnectionInfo":`+want+`}`, api.last("POST").body)
	}
	got := windlass(t, resources(), "vnf", "instantiate", vnfID, written(t, "r.json", `{"vimConnectionInfo":[{"vimId":"south"}]}`))
	assert.Equal(t, "windlass: There is no VIM \"south\"; 'windlass vim list' shows them all.\n", got.err)
}

func TestVnfInstantiate_refusesWhatIsToBeReplaced(t *testing.T) {
	api := resources()
	got := windlass(t, api, "vnf", "instantiate", vnfID, written(t, "r.json",
		`{"a":[{"password":"REPLACE-WITH-THE-PASSWORD"}],"b":"REPLACE-THIS"}`))
	assert.Equal(t, result{1, "", "windlass: The request has values that you must replace:\n  $.a[0].password is " +
		"REPLACE-WITH-THE-PASSWORD\n  $.b is REPLACE-THIS\n"}, got)
	assert.Empty(t, api.last("POST"))
}

func TestSet_saysWhereItDoesNotFit(t *testing.T) {
	for assignment, want := range map[string]string{
		"novalue": "--set must be path=value", "=5": "--set must be path=value",
		"list[3]=5": "no element 3 in a list of 1", "text.a=5": "the value before a is not an object",
	} {
		request := map[string]any{"list": []any{"x"}, "text": "y"}
		err := assign(request, assignment, "--set", func(text string) (any, error) { return valueOf(text), nil })
		assert.ErrorContains(t, err, want, assignment)
	}
}

func TestWait_isSilentAndHasAnEnd(t *testing.T) {
	file := written(t, "request.json", `{}`)
	completed := func() *fakeAPI {
		api := resources()
		api.answers["GET /vnflcm/v1/vnf_lcm_op_occs/"+opID] = ok(200, `{"id":"`+opID+`","operationState":"COMPLETED"}`)
		return api
	}
	got := windlass(t, completed(), "vnf", "instantiate", vnfID, file, "--wait")
	assert.Equal(t, result{0, "Operation " + opID + " has completed.\n", ""}, got)
	assert.Equal(t, exitWaiting, windlass(t, resources(), "vnf", "instantiate", vnfID, file, "--wait").code)

	api := resources()
	api.answers["GET /vnflcm/v1/vnf_lcm_op_occs/"+opID] = ok(200, `{"id":"`+opID+`","operationState":"PROCESSING"}`)
	got = windlass(t, api, "vnf", "instantiate", vnfID, file, "--wait", "--timeout", "300ms")
	assert.Equal(t, result{1, "", "windlass: The operation has not ended within 300ms; it goes on. Follow it with: windlass op " +
		"watch " + opID + ".\n"}, got)
	assert.Equal(t, exitUsage, windlass(t, api, "vnf", "instantiate", vnfID, file, "--timeout", "5m").code)
}

func TestDryRun_printsTheRequestAndSendsNothing(t *testing.T) {
	for want, args := range map[string][]string{
		`{"vnfdId":"k8s-ha-1.0","vnfInstanceName":"edge-2"}`: {"create", "k8s-ha", "--name", "edge-2", "--dry-run"},
		`{"vnfInstanceName":"edge-2"}`:                       {"modify", vnfID, "--name", "edge-2", "--dry-run"},
	} {
		api := resources()
		got := windlass(t, api, append([]string{"vnf"}, args...)...)
		require.True(t, json.Valid([]byte(got.out)), got.err)
		assert.JSONEq(t, want, got.out)
		assert.Empty(t, api.last(http.MethodPost))
		assert.Empty(t, api.last(http.MethodPatch))
	}
}

func TestVersion_tellsTheServersToo(t *testing.T) {
	api := &fakeAPI{answers: map[string]http.HandlerFunc{
		"GET /windlass/v1/version": ok(200, `{"version":"1.2.3","goVersion":"go1.26.8"}`),
	}}
	assert.Contains(t, windlass(t, api, "version").out, "server   1.2.3 (go1.26.8) at http://127.0.0.1:")
	assert.Equal(t, "1.2.3\n", windlass(t, api, "version", "-o", "jsonpath={.server.version}").out)
	assert.NotContains(t, windlass(t, &fakeAPI{}, "version", "-o", "json").out, "server")
	got := windlass(t, &fakeAPI{}, "version")
	assert.Zero(t, got.code)
	assert.Contains(t, got.out, "server   no answer at http://127.0.0.1:")
	assert.NotContains(t, windlass(t, api, "version", "--client").out, "server")
}

func TestProfileUse_choosesTheOneThatIsUsed(t *testing.T) {
	withProfiles(t, "north:\n  api: http://127.0.0.1:1\nsouth:\n  api: http://127.0.0.1:2\n")
	assert.Equal(t, result{0, "Commands now use the profile south.\n", ""}, command(t, "", "profile", "use", "south"))
	assert.Contains(t, command(t, "", "vnf", "list").err, "127.0.0.1:2")
	assert.Contains(t, command(t, "", "vnf", "list", "--profile", "north").err, "127.0.0.1:1")
	assert.Regexp(t, `south +http://127.0.0.1:2 +1 +yes`, command(t, "", "profile", "list").out)
	assert.Contains(t, command(t, "", "profile", "use", "west").err, `There is no profile "west"`)
	require.Zero(t, command(t, "", "profile", "use", "--none").code)
	assert.NotContains(t, command(t, "", "vnf", "list").err, "127.0.0.1:2")
}

// TestRequests_areFilledInOfEveryOperation checks that the request of every operation is filled in, also with names of
// VIMs where it may contain a connection.
func TestRequests_areFilledInOfEveryOperation(t *testing.T) {
	for _, args := range [][]string{
		{"change-ext-conn", vnfID, ""},
		{"change-package", vnfID, ""},
		{"modify", vnfID, "--patch", ""},
		{"heal", vnfID, "--all", "--params", ""},
	} {
		api := resources()
		args[len(args)-1] = written(t, "r.json", `{"a":{"password":"REPLACE-WITH-THE-PASSWORD"}}`)
		got := windlass(t, api, append([]string{"vnf"}, args...)...)
		assert.Equal(t, "windlass: The request has values that you must replace:\n  $.a.password is REPLACE-WITH-THE-PASSWORD\n",
			got.err, args[0])
		assert.Empty(t, api.last("POST"))
		assert.Empty(t, api.last("PATCH"))
	}
	api := resources()
	windlass(t, api, "vnf", "change-ext-conn", vnfID, written(t, "r.json", `{"vimConnectionInfo":[{"vimId":"north"}]}`))
	assert.JSONEq(t, `{"vimConnectionInfo":[{"vimId":"7d1c"}]}`, api.last("POST").body)
	windlass(t, api, "vnf", "heal", vnfID, "--all", "--params", written(t, "r.json", `{"a":1}`), "--keep-volumes")
	assert.Contains(t, api.last("POST").body, `"a":1`, "both count")
}
