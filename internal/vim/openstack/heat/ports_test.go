package heat

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestInstantiation_tellsUserDataClassesOfPorts(t *testing.T) {
	port := &lcm.LinkPort{ID: "p", ResourceID: "port-1"}
	j := &job{&operations.Operation{Flavour: &descriptor.Flavour{}, Request: lcm.InstantiateRequest{
		ExtVirtualLinks: []lcm.ExtVirtualLink{
			{ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{
				{CpdID: "cp", LinkPort: port, Configs: []lcm.CpConfig{{Key: "k", LinkPort: port}}}, {CpdID: "other"},
			}},
			{ID: "b", ResourceID: "net-b"},
		},
	}}}
	doc, err := json.Marshal(j.instantiation(nil)["extVirtualLinks"])
	require.NoError(t, err)
	const data = `"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET","ipOverEthernet":{"ipAddresses":[]}}]`
	require.JSONEq(t, `[{"id":"a","resourceId":"net-a","extCps":[{"cpdId":"cp","cpConfig":{"k":{"linkPortId":"p",`+data+`}}},{"cpdId":"other","cpConfig":{"other":{`+data+`}}}],
		"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"port-1"}}]},{"id":"b","resourceId":"net-b","extCps":[]}]`, string(doc))
}

// TestHeat_takesThePortsOfNfv uses a request of Tacker's functional tests in which nfv overrides a dummy port.
// Windlass's own class does the same as Tacker's.
func TestHeat_takesThePortsOfNfv(t *testing.T) {
	o := withVault(t, pgtest.URL(t))
	j := packageJob(t, o, "../../../../tests/suites/e2e/testdata/overriddenport")
	for _, class := range []string{
		"",
		`,"lcm-operation-user-data":"./UserData/ports.py","lcm-operation-user-data-class":"Ports"`,
	} {
		t.Run("class "+class, func(t *testing.T) {
			var err error
			j.Request, err = lcmtest.Read[lcm.InstantiateRequest](json.RawMessage(`{"flavourId":"simple","extVirtualLinks":[{"id":"net","resourceId":"n","extCps":[
				{"cpdId":"VDU1_CP1-1","cpConfig":{"VDU1_CP1-1":{"linkPortId":"p"}}},{"cpdId":"VDU1_CP1-2","cpConfig":{"VDU1_CP1-2":{"linkPortId":"q"}}}],
				"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"port-1"}},{"id":"q","resourceHandle":{"resourceId":"dummy-id"}}]}],
				"additionalParams":{"nfv":{"CP":{"VDU1_CP1-2":{"port":"port-2"}}}` + class + `}}`))
			require.NoError(t, err)
			if class != "" {
				o.runScripts(t)
			}
			_, parameters, _, err := o.heat(t.Context(), j, shape{capacity: map[string]int{"VDU1": 1}})
			require.NoError(t, err)
			require.Equal(t, map[string]any{
				"VDU1_CP1-1": map[string]any{"port": "port-1"},
				"VDU1_CP1-2": map[string]any{"port": "port-2"},
			},
				parameters["nfv"].(map[string]any)["CP"])
		})
	}
}

func TestInstantiation_tellsUserDataClassesOfManagedNetworks(t *testing.T) {
	j := &job{&operations.Operation{Flavour: &descriptor.Flavour{}, Request: lcm.InstantiateRequest{
		ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{{ID: "m", VnfVirtualLinkDescID: "inner", ResourceID: "granted"}},
	}}}
	require.Equal(t, []any{map[string]any{"id": "m", "vnfVirtualLinkDescId": "inner", "resourceId": "granted"}},
		j.instantiation(nil)["extManagedVirtualLinks"])
}
