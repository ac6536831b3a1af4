package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

func TestModify_takesPropertiesOfVnfcs(t *testing.T) {
	b := servertest.New(t)
	instance := b.Named("/vnflcm/v2")
	before := len(b.Sealed())
	a := b.Do(
		"PATCH",
		instance,
		`{"vnfcInfoModifications":[{"id":"w-010","vnfcConfigurableProperties":{"log":"debug","password":"`+servertest.Marker+`-vnfc"}},
		{"id":"workerNode-worker-2","vnfcConfigurableProperties":{"log":null}}]}`,
		servertest.AsMergePatch,
	)
	a.Want(http.StatusAccepted)
	require.Len(t, b.Sealed(), before+1)
	require.NotContains(t, string(b.Operation(a.Path()).Params), servertest.Marker)

	inst := b.Instance(instance)
	request, err := lcmtest.Read[lcm.ModifyRequest](b.Operation(a.Path()).Params)
	require.NoError(t, err)
	after, done, err := request.Apply(inst, nil)
	require.NoError(t, err)
	b.Enter(a.Path(), lcm.Completed, func(r *lcm.OperationRecord) { r.Instance, r.ChangedInfo = &after, &done })
	changed := b.Do("GET", a.Path(), nil).Want(http.StatusOK)["changedInfo"].(map[string]any)
	require.Equal(t, []any{
		map[string]any{"id": "w-010", "vnfcConfigurableProperties": map[string]any{"log": "debug", "password": "***"}},
		map[string]any{"id": "workerNode-worker-2", "vnfcConfigurableProperties": map[string]any{"log": nil}},
	}, changed["vnfcInfoModifications"])

	shown := map[string]any{}
	info := b.Do("GET", instance, nil).Want(http.StatusOK)["instantiatedVnfInfo"].(map[string]any)
	for _, v := range info["vnfcInfo"].([]any) {
		vnfc := v.(map[string]any)
		shown[vnfc["id"].(string)] = vnfc["vnfcConfigurableProperties"]
	}
	require.Equal(t, map[string]any{"log": "debug", "password": "***"}, shown["w-010"])
	require.Nil(t, shown["w-020"])
	require.Nil(t, shown["workerNode-worker-2"])
	for _, doc := range []any{
		info["vnfcResourceInfo"],
		b.Do("GET", strings.Replace(instance, "v2", "v1", 1), nil).Want(http.StatusOK),
	} {
		require.NotContains(t, jsonOf(t, doc), "vnfcConfigurableProperties", "it is an attribute of VnfcInfo only")
	}
	require.NotContains(t, b.Do("GET", strings.Replace(a.Path(), "v2", "v1", 1), nil).Want(http.StatusOK), "changedInfo",
		"v1 has no such change")
}

func TestModify_refusesPropertiesOfVnfcs(t *testing.T) {
	b := servertest.New(t)
	instance := b.Named("/vnflcm/v2")
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
		a := b.Do("PATCH", instance, list+body+`}`, servertest.AsMergePatch)
		a.Problem(http.StatusBadRequest)
		require.Len(t, a.Paths(), len(want), body)
		if !strings.Contains(body, "$secret") { // another test checks how its path is written
			require.ElementsMatch(t, want, a.Paths(), body)
		}
	}
	a := b.Do(
		"PATCH",
		instance,
		list+`[{"id":"w-010","vnfcConfigurableProperties":{}},{"id":"worker-1","vnfcConfigurableProperties":{}}]}`,
		servertest.AsMergePatch,
	)
	require.Contains(t, a.Problem(http.StatusUnprocessableEntity), `no VNFC "worker-1"`)
	require.Equal(t, []string{"$.vnfcInfoModifications[1].id"}, a.Paths())

	inV1 := strings.Replace(instance, "v2", "v1", 1)
	a = b.Do("PATCH", inV1, list+`[{"id":"w-010","vnfcConfigurableProperties":{}}]}`, servertest.AsMergePatch)
	require.Contains(t, a.Problem(http.StatusBadRequest), "cannot be modified")

	fresh := b.Create("/vnflcm/v2", string(b.Instance(instance).VnfdID))
	a = b.Do("PATCH", fresh, list+`[{"id":"w-010","vnfcConfigurableProperties":{}}]}`, servertest.AsMergePatch)
	require.Contains(t, a.Problem(http.StatusConflict), "is not instantiated")
	require.Empty(t, b.Starter.Starts)
	b.Do("PATCH", fresh, list+`[]}`, servertest.AsMergePatch).Want(http.StatusAccepted)
}

func jsonOf(t *testing.T, doc any) string {
	t.Helper()
	out, err := json.Marshal(doc)
	require.NoError(t, err)
	return string(out)
}
