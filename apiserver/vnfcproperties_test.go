package apiserver

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

func TestModify_takesPropertiesOfVnfcs(t *testing.T) {
	b := newBench(t)
	instance := b.named("/vnflcm/v2")
	before := len(sealed(b))
	a := b.do("PATCH", instance, `{"vnfcInfoModifications":[{"id":"w-010","vnfcConfigurableProperties":{"log":"debug","password":"`+marker+`-vnfc"}},
		{"id":"workerNode-worker-2","vnfcConfigurableProperties":{"log":null}}]}`, asMergePatch)
	a.want(http.StatusAccepted)
	require.Len(t, sealed(b), before+1)
	require.NotContains(t, string(b.operation(a.path()).Params), marker)

	inst := b.instance(instance)
	request, err := lcmtest.Read[lcm.ModifyRequest](b.operation(a.path()).Params)
	require.NoError(t, err)
	after, done, err := request.Apply(inst, nil)
	require.NoError(t, err)
	b.enter(a.path(), lcm.Completed, func(r *lcm.OperationRecord) { r.Instance, r.ChangedInfo = &after, &done })
	changed := b.do("GET", a.path(), nil).want(http.StatusOK)["changedInfo"].(map[string]any)
	require.Equal(t, []any{
		map[string]any{"id": "w-010", "vnfcConfigurableProperties": map[string]any{"log": "debug", "password": "***"}},
		map[string]any{"id": "workerNode-worker-2", "vnfcConfigurableProperties": map[string]any{"log": nil}},
	}, changed["vnfcInfoModifications"])

	shown := map[string]any{}
	info := b.do("GET", instance, nil).want(http.StatusOK)["instantiatedVnfInfo"].(map[string]any)
	for _, v := range info["vnfcInfo"].([]any) {
		vnfc := v.(map[string]any)
		shown[vnfc["id"].(string)] = vnfc["vnfcConfigurableProperties"]
	}
	require.Equal(t, map[string]any{"log": "debug", "password": "***"}, shown["w-010"])
	require.Nil(t, shown["w-020"])
	require.Nil(t, shown["workerNode-worker-2"])
	for _, doc := range []any{
		info["vnfcResourceInfo"],
		b.do("GET", strings.Replace(instance, "v2", "v1", 1), nil).want(http.StatusOK),
	} {
		require.NotContains(t, jsonOf(t, doc), "vnfcConfigurableProperties", "it is an attribute of VnfcInfo only")
	}
	require.NotContains(t, b.do("GET", strings.Replace(a.path(), "v2", "v1", 1), nil).want(http.StatusOK), "changedInfo",
		"v1 has no such change")
}

func TestModify_refusesPropertiesOfVnfcs(t *testing.T) {
	b := newBench(t)
	instance := b.named("/vnflcm/v2")
	const list = `{"vnfcInfoModifications":`
	for body, want := range map[string][]string{
		`null`: {"$.vnfcInfoModifications"},
		`{}`:   {"$.vnfcInfoModifications"},
		`[{"id":"w-010"},{},"x"]`: {
			"$.vnfcInfoModifications[0].vnfcConfigurableProperties", "$.vnfcInfoModifications[1].id",
			"$.vnfcInfoModifications[1].vnfcConfigurableProperties", "$.vnfcInfoModifications[2]",
		},
		`[{"id":"w-010","vnfcConfigurableProperties":null}]`:                                               {"$.vnfcInfoModifications[0].vnfcConfigurableProperties"},
		`[{"id":"w-010","vnfcConfigurableProperties":{}},{"id":"w-010","vnfcConfigurableProperties":{}}]`:  {"$.vnfcInfoModifications[1].id"},
		`[{"id":"w-010","vnfcConfigurableProperties":{}}],"vnfcInfoModificationsDeleteIds":["w-010"]`:      {"$.vnfcInfoModificationsDeleteIds"},
		`[{"id":"w-010","vnfcConfigurableProperties":{"$secret":"vnf/another/request/x/password"}}]`:       {"$.vnfcInfoModifications[0].vnfcConfigurableProperties['$secret']"},
		`[{"id":"w-010","vnfcConfigurableProperties":{"a":{"$secret":"vnf/another/request/x/password"}}}]`: {"$.vnfcInfoModifications[0].vnfcConfigurableProperties.a['$secret']"},
	} {
		a := b.do("PATCH", instance, list+body+`}`, asMergePatch)
		a.problem(http.StatusBadRequest)
		require.Len(t, a.paths(), len(want), body)
		if !strings.Contains(body, "$secret") { // another test checks how its path is written
			require.ElementsMatch(t, want, a.paths(), body)
		}
	}
	a := b.do("PATCH", instance, list+`[{"id":"w-010","vnfcConfigurableProperties":{}},{"id":"worker-1","vnfcConfigurableProperties":{}}]}`, asMergePatch)
	require.Contains(t, a.problem(http.StatusUnprocessableEntity), `no VNFC "worker-1"`)
	require.Equal(t, []string{"$.vnfcInfoModifications[1].id"}, a.paths())

	inV1 := strings.Replace(instance, "v2", "v1", 1)
	a = b.do("PATCH", inV1, list+`[{"id":"w-010","vnfcConfigurableProperties":{}}]}`, asMergePatch)
	require.Contains(t, a.problem(http.StatusBadRequest), "cannot be modified")

	fresh := b.create("/vnflcm/v2", string(b.instance(instance).VnfdID))
	a = b.do("PATCH", fresh, list+`[{"id":"w-010","vnfcConfigurableProperties":{}}]}`, asMergePatch)
	require.Contains(t, a.problem(http.StatusConflict), "is not instantiated")
	require.Empty(t, b.starter.starts)
	b.do("PATCH", fresh, list+`[]}`, asMergePatch).want(http.StatusAccepted)
}

func jsonOf(t *testing.T, doc any) string {
	t.Helper()
	out, err := json.Marshal(doc)
	require.NoError(t, err)
	return string(out)
}
