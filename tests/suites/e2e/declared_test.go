package e2e

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	declaringPackage = "tests/suites/model/servers"
	declaringVnfdID  = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e31"
)

// declaredAttributes sends attributes that contradict the VNFD. Windlass refuses a creation, and rolls a modification
// and an instantiation back by itself. The error names every mistake, and the VnfInstance does not change.
func declaredAttributes(t *testing.T, b *bed) {
	b.Onboard(t, declaringPackage)
	create := func(metadata map[string]any) testbed.Answer {
		return b.Call(t, http.MethodPost, "/vnflcm/v2/vnf_instances",
			map[string]any{"vnfdId": declaringVnfdID, "metadata": metadata})
	}
	a := create(map[string]any{"rack": "seven"})
	require.Equal(t, http.StatusUnprocessableEntity, a.Status)
	require.Contains(t, testbed.Problem(t, a), "$.metadata.rack: must be an integer, not a string")
	a = create(map[string]any{"rack": 7, "own": "anything"})
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	vnf := filepath.Base(a.Header.Get("Location"))
	instance := "/vnflcm/v2/vnf_instances/" + vnf
	rolledBack := func(op string, problems ...string) {
		t.Helper()
		got := b.Await(t, op, quick, "ROLLED_BACK")
		for _, p := range problems {
			require.Contains(t, got["error"].(map[string]any)["detail"], p)
		}
		require.Equal(t, 422.0, got["error"].(map[string]any)["status"])
	}

	before := b.Get(t, instance)
	op := b.Modify(t, vnf, map[string]any{
		"vnfInstanceName": "never", "metadata": map[string]any{"rack": "eight"},
		"extensions":                map[string]any{"logLevel": "loud", "other": 1},
		"vnfConfigurableProperties": map[string]any{"proxy": map[string]any{"port": "80"}},
	})
	rolledBack(op, "$.metadata.rack: must be an integer", "$.extensions.logLevel: must be one of info, debug",
		"$.extensions.other: is not declared in the VNFD",
		"$.vnfConfigurableProperties.proxy.port: must be an integer, not a string")
	b.record(t, op, "modify-refused")
	require.Equal(t, before, b.Get(t, instance), "nothing of it counts")

	// A required attribute may be missing only while the VNF is not instantiated.
	b.Await(t, b.Modify(t, vnf, map[string]any{"extensions": map[string]any{"logLevel": nil, "mirrors": []any{"a"}}}),
		quick, "COMPLETED")
	request := testbed.LinksTo("net0")
	request["flavourId"] = "simple"
	request["vimConnectionInfo"] = b.OnOpenStack()
	op = b.Begin(t, vnf, "instantiate", request)
	rolledBack(op, "$.extensions.logLevel: is missing: the VNFD requires it")
	b.record(t, op, "instantiate-refused")
	require.Equal(t, "NOT_INSTANTIATED", b.Get(t, instance)["instantiationState"])

	b.Await(t, b.Modify(t, vnf, map[string]any{"extensions": map[string]any{"logLevel": "debug"}}), quick, "COMPLETED")
	b.Await(t, b.Begin(t, vnf, "instantiate", request), quick, "COMPLETED")
	rolledBack(b.Modify(t, vnf, map[string]any{"extensions": nil}), "$.extensions.logLevel: is missing")
	require.Equal(t, map[string]any{"logLevel": "debug", "mirrors": []any{"a"}}, b.Get(t, instance)["extensions"])
	b.Await(t, b.Modify(t, vnf, map[string]any{"vnfInstanceName": "renamed"}), quick, "COMPLETED")
	b.Remove(t, vnf)
	b.RequireNothingLeft(t)
}
