package descriptor_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestProblems(t *testing.T) {
	d := vnfpkgtest.Declared(t)
	for name, c := range map[string]struct {
		attributes string
		complete   bool
		want       []lcm.Problem
	}{
		"all right": {`{"Metadata": {"site": "north", "rack": 7, "own": {"a": 1}}, "Extensions": {"level": "info", "ratio": 1, "quiet": true, "port": 443,
			"elsewhere": [1], "hosts": ["a"], "limits": {"x": 3}, "peers": [{"name": "a", "port": 1}]},
			"ConfigurableProperties": {"proxy": "p", "isAutohealEnabled": false, "private_registry_connection_info": [{"server": "r:5000"}]}}`, true, nil},
		"what is not there yet": {`{}`, false, nil},
		"what must be there": {
			`{"Extensions": {"peers": [{}]}}`, true,
			[]lcm.Problem{{Path: "$.extensions.level", Detail: "is missing: the VNFD requires it"}},
		},
		"null is none": {
			`{"Extensions": {"level": null}}`, true,
			[]lcm.Problem{{Path: "$.extensions.level", Detail: "is missing: the VNFD requires it"}},
		},
		"types": {`{"Metadata": {"rack": "7", "site": 1}, "Extensions": {"ratio": "x", "quiet": 0, "port": 80.5, "hosts": {"a": 1}, "limits": {"a b": "3"}, "peers": [1]}}`, false, []lcm.Problem{
			{Path: "$.metadata.rack", Detail: "must be an integer, not a string"},
			{Path: "$.metadata.site", Detail: "must be a string, not an integer"},
			{Path: "$.extensions.hosts", Detail: "must be a list, not an object"},
			{Path: "$.extensions.limits['a b']", Detail: "must be an integer, not a string"},
			{Path: "$.extensions.peers[0]", Detail: "must be an object, not an integer"},
			{Path: "$.extensions.port", Detail: "must be an integer, not a float"},
			{Path: "$.extensions.quiet", Detail: "must be a boolean, not an integer"},
			{Path: "$.extensions.ratio", Detail: "must be a float, not a string"},
		}},
		"values": {`{"Metadata": {"site": "west"}, "Extensions": {"level": "loud", "port": 81}}`, false, []lcm.Problem{
			{Path: "$.metadata.site", Detail: "must be one of north, south"},
			{Path: "$.extensions.level", Detail: "must be one of info, debug"},
			{Path: "$.extensions.port", Detail: "must be one of 80, 443"},
		}},
		"what is not declared": {`{"Extensions": {"other": 1, "peers": [{"name": "a", "x": 1}]}, "ConfigurableProperties": {"other": 1, "isAutohealEnabled": "no"}}`, false, []lcm.Problem{
			{Path: "$.extensions.other", Detail: "is not declared in the VNFD, which has elsewhere, hosts, itself, level, " +
				"limits, peers, port, quiet, ratio, since"},
			{Path: "$.extensions.peers[0].x", Detail: "is not declared in the VNFD, which has name, port"},
			{Path: "$.vnfConfigurableProperties.isAutohealEnabled", Detail: "must be a boolean, not a string"},
			{
				Path:   "$.vnfConfigurableProperties.other",
				Detail: "is not declared in the VNFD, which has isAutohealEnabled, isAutoscaleEnabled, proxy, secret",
			},
		}},
		"a sealed secret is a text that nobody knows": {`{"Extensions": {"hosts": [{"$secret": "vnf/x"}], "ratio": {"$secret": "vnf/y"}}, "ConfigurableProperties": {"secret": {"$secret": "vnf/z"}}}`, false, []lcm.Problem{
			{Path: "$.extensions.ratio", Detail: "must be a float, not a string"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var a descriptor.Attributes
			require.NoError(t, json.Unmarshal([]byte(c.attributes), &a))
			require.Equal(t, c.want, d.Problems(a, c.complete))
			require.Empty(t, descriptor.Declared{}.Problems(a, c.complete), "a VNFD that declares nothing refuses nothing")
		})
	}
}

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
