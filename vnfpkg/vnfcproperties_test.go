package vnfpkg_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

const vnfcTypes = `tosca_definitions_version: tosca_simple_yaml_1_2
node_types:
  someone.Node:
    derived_from: tosca.nodes.nfv.Vdu.Compute
    properties:
      configurable_properties: { type: someone.Configurable, required: false }
data_types:
  someone.Configurable:
    derived_from: tosca.datatypes.nfv.VnfcConfigurableProperties
    properties:
      additional_vnfc_configurable_properties: { type: someone.Additional, required: false }
  someone.Additional:
    derived_from: tosca.datatypes.nfv.VnfcAdditionalConfigurableProperties
    properties:
      level: { type: string, constraints: [ valid_values: [ info, debug ] ] }
      workers: { type: integer, required: false }
`

func TestVnfcProblems(t *testing.T) {
	v := vnfpkgtest.Minimal().With("Definitions/types.yaml", vnfcTypes).
		ReplaceVnfd(t, "topology_template:\n", "imports: [ types.yaml ]\ntopology_template:\n").
		ReplaceVnfd(t, "      type: tosca.nodes.nfv.Vdu.Compute\n",
			"      type: someone.Node\n").Open(t).Vnfd
	vdu, ok := vnfpkgtest.Stored(t, v).Flavours[0].Vdu("node")
	require.True(t, ok)
	properties := func(doc string) (out map[string]any) {
		require.NoError(t, json.Unmarshal([]byte(doc), &out))
		return out
	}
	require.Empty(t, vdu.VnfcProblems("$", properties(`{"workers":3}`)), "nothing is required")
	require.Empty(t, vdu.VnfcProblems("$", properties(`{"level":{"$secret":"vnf/x"}}`)))
	wrong := properties(`{"level":"loud","workers":"3","other":1}`)
	require.Equal(t, []lcm.Problem{
		{Path: "$.a.level", Detail: "must be one of info, debug"},
		{Path: "$.a.other", Detail: "is not declared in the VNFD, which has level, workers"},
		{Path: "$.a.workers", Detail: "must be an integer, not a string"},
	}, vdu.VnfcProblems("$.a", wrong))

	vdu, _ = vnfpkgtest.Minimal().Open(t).Vnfd.Flavours[0].Vdu("node")
	require.Empty(t, vdu.VnfcProblems("$", wrong), "a VDU that declares nothing refuses nothing")
}
