package lcm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// twoNodes returns a VNF with one VNFC that has its own name in the metadata, and one that has not.
func twoNodes() lcm.VnfInstance {
	place := func(id, name string, properties map[string]any) lcm.VnfcResourceInfo {
		return lcm.VnfcResourceInfo{
			ID: id, VduID: "node", Metadata: map[string]any{"parent_resource_name": name},
			ConfigurableProperties: properties,
		}
	}
	return lcm.VnfInstance{
		ID: "vnf", Metadata: map[string]any{lcm.VduVnfcMapping: map[string]any{"node": []any{"first"}}},
		Instantiated: &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{
			place("a", "node-0", map[string]any{"log": "info", "limits": map[string]any{"cpu": 1.0}}), place("b", "node-1", nil),
		}},
	}
}

func TestModify_mergesPropertiesOfVnfcs(t *testing.T) {
	t.Parallel()
	inst := twoNodes()
	after, done, err := modified(t, inst, nil, `{"vnfcInfoModifications":[
		{"id":"first","vnfcConfigurableProperties":{"log":null,"limits":{"ram":2},"token":{"$secret":"r"}}},
		{"id":"node-b","vnfcConfigurableProperties":{"log":"debug"}}]}`)
	require.NoError(t, err)
	require.Equal(t, object(t, `{"limits":{"cpu":1,"ram":2},"token":{"$secret":"r"}}`),
		after.Instantiated.VnfcResources[0].ConfigurableProperties)
	require.Equal(t, object(t, `{"log":"debug"}`), after.Instantiated.VnfcResources[1].ConfigurableProperties)
	require.Equal(t, twoNodes(), inst, "the instance itself stays")
	shown, err := json.Marshal(done.Shown(2))
	require.NoError(t, err)
	require.JSONEq(t, `{"vnfcInfoModifications":[
		{"id":"first","vnfcConfigurableProperties":{"log":null,"limits":{"ram":2},"token":"***"}},
		{"id":"node-b","vnfcConfigurableProperties":{"log":"debug"}}]}`, string(shown))
	require.Empty(t, done.Shown(1), "v2.6.1 has no VNFCs with properties")
	for _, v := range after.Instantiated.ShownVnfcResources() {
		require.Nil(t, v.ConfigurableProperties, "they are in vnfcInfo")
	}
	require.NotNil(t, after.Instantiated.VnfcResources[0].ConfigurableProperties)
}

// TestModify_namesVnfcsAsTheyWere checks that a request uses the names of VNFCs before the change. The changes that it
// reports use the new names.
func TestModify_namesVnfcsAsTheyWere(t *testing.T) {
	t.Parallel()
	after, done, err := modified(t, twoNodes(), nil, `{"metadata":{"VDU_VNFc_mapping":{"node":["one","two"]}},
		"vnfcInfoModifications":[{"id":"first","vnfcConfigurableProperties":{"log":"debug"}}]}`)
	require.NoError(t, err)
	v, ok := after.Vnfc("one")
	require.True(t, ok)
	require.Equal(t, "debug", v.ConfigurableProperties["log"])
	require.Equal(t, "one", done.Vnfcs[0].ID)
}

func TestModify_refusesVnfcsThatAreNotThere(t *testing.T) {
	t.Parallel()
	const body = `{"vnfcInfoModifications":[{"id":"first","vnfcConfigurableProperties":{}},{"id":"a","vnfcConfigurableProperties":{}}]}`
	_, _, err := modified(t, twoNodes(), nil, body)
	require.ErrorContains(t, err, `the VNF has no VNFC "a" in its vnfcInfo`, "the id of a resource is none of a VNFC")
	require.NotContains(t, err.Error(), `"first"`)
	_, _, err = modified(t, lcm.VnfInstance{ID: "vnf"}, nil, body)
	require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
	require.ErrorContains(t, err, "is not instantiated")
	_, done, err := modified(t, lcm.VnfInstance{ID: "vnf"}, nil, `{"vnfcInfoModifications":[]}`)
	require.NoError(t, err)
	require.Empty(t, done)
}

// TestKeptProperties checks that VNFCs keep their properties in a scaling and in a heal, which record the VNFCs anew.
func TestKeptProperties(t *testing.T) {
	t.Parallel()
	inst := twoNodes()
	inst.Instantiated.VnfcResources[1].ConfigurableProperties = map[string]any{"log": "debug"}
	successor := func(id, place string) map[string]any {
		return inst.KeptProperties(lcm.VnfcResourceInfo{
			ID: id, VduID: "node", Metadata: map[string]any{"parent_resource_name": place},
		})
	}
	first := inst.Instantiated.VnfcResources[0].ConfigurableProperties
	require.Equal(t, first, successor("a", "node-0"), "it is still there")
	require.Equal(t, first, successor("c", "node-0"), "its successor has its name")
	require.Equal(t, "debug", successor("b", "node-1")["log"])
	require.Nil(t, successor("d", "node-1"), "its successor has another id")
	require.Nil(t, successor("d", "node-2"))
	require.Nil(t, lcm.VnfInstance{}.KeptProperties(lcm.VnfcResourceInfo{ID: "a"}))
}
