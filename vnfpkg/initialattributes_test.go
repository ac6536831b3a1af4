package vnfpkg_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

const modifiableTypes = `tosca_definitions_version: tosca_simple_yaml_1_2
node_types:
  someone.VNF:
    derived_from: tosca.nodes.nfv.VNF
    properties:
      modifiable_attributes: { type: someone.Modifiable }
      configurable_properties:
        type: someone.Configurable
        default: { additional_configurable_properties: { proxy: { port: 3128 } } }
  someone.Derived:
    derived_from: someone.VNF
data_types:
  someone.Modifiable:
    derived_from: tosca.datatypes.nfv.VnfInfoModifiableAttributes
    properties:
      metadata: { type: someone.Metadata, required: false }
      extensions: { type: someone.Extensions, required: false }
  someone.Metadata:
    derived_from: tosca.datatypes.nfv.VnfInfoModifiableAttributesMetadata
    properties:
      site: { type: string, default: north }
      rack: { type: integer, required: false }
  someone.Extensions:
    derived_from: someone.BasicExtensions
    properties:
      level: { type: string, default: info }
      itself: { type: someone.Extensions, required: false }
  someone.BasicExtensions:
    derived_from: tosca.datatypes.nfv.VnfInfoModifiableAttributesExtensions
    properties:
      level: { type: string, default: debug }
      retries: { type: integer, default: 3 }
      hosts: { type: list, entry_schema: { type: string }, default: [ a, b ] }
  someone.Configurable:
    derived_from: tosca.datatypes.nfv.VnfConfigurableProperties
    properties:
      is_autoheal_enabled: { type: boolean, default: true }
      additional_configurable_properties: { type: someone.Additional, required: false }
  someone.Additional:
    derived_from: tosca.datatypes.nfv.VnfAdditionalConfigurableProperties
    properties:
      proxy: { type: someone.Proxy, required: false }
  someone.Proxy:
    properties:
      host: { type: string, default: proxy.example }
      port: { type: integer, default: 80 }
`

func TestOpen_readsInitialValues(t *testing.T) {
	f := vnfpkgtest.Minimal().With("Definitions/types.yaml", modifiableTypes).
		ReplaceVnfd(t, "topology_template:\n", "imports: [ types.yaml ]\ntopology_template:\n  "+
			"inputs:\n    where: { type: string, default: south }\n    unknown: { type: string }\n").
		ReplaceVnfd(t, "      type: tosca.nodes.nfv.VNF\n      properties:\n",
			"      type: someone.Derived\n      properties:\n"+
				"        modifiable_attributes: { metadata: { rack: 7, site: { get_input: where } }, extensions: { level: { "+
				"get_input: unknown } } }\n")
	v := f.Open(t).Vnfd
	require.Equal(t, map[string]any{"site": "south", "rack": int64(7)}, v.Metadata)
	require.Equal(t, map[string]any{"level": "info", "retries": int64(3), "hosts": []any{"a", "b"}}, v.Extensions,
		"an input without a value says nothing")
	require.Equal(t, map[string]any{"proxy": map[string]any{"host": "proxy.example", "port": int64(3128)}},
		v.ConfigurableProperties,
		"those of the standard would promise what Windlass does not do")

	v = vnfpkgtest.Minimal().Open(t).Vnfd
	require.Nil(t, v.Metadata)
	require.Nil(t, v.Extensions)
	require.Nil(t, v.ConfigurableProperties)
}

func TestOpen_readsInitialValuesOfTheNodeWithoutTypes(t *testing.T) {
	v := vnfpkgtest.Minimal().ReplaceVnfd(t, "        provider: Someone\n",
		"        provider: Someone\n        modifiable_attributes: { metadata: { site: north }, extensions: }\n        "+
			"configurable_properties: { is_autoscale_enabled: true }\n").Open(t).Vnfd
	require.Equal(t, map[string]any{"site": "north"}, v.Metadata)
	require.Nil(t, v.Extensions)
	require.Nil(t, v.ConfigurableProperties)
}

func TestOpen_boundsDataTypesThatMultiply(t *testing.T) {
	var types strings.Builder
	types.WriteString("tosca_definitions_version: tosca_simple_yaml_1_2\ndata_types:\n")
	for depth := range 12 {
		fmt.Fprintf(&types, "  t%d:\n    properties:\n", depth)
		for member := range 10 {
			fmt.Fprintf(&types, "      m%d: { type: t%d, default: { a: b } }\n", member, depth+1)
		}
	}
	types.WriteString("node_types:\n  someone.VNF:\n    derived_from: tosca.nodes.nfv.VNF\n    properties:\n      " +
		"modifiable_attributes: { type: t0 }\n")
	f := vnfpkgtest.Minimal().With("Definitions/types.yaml", types.String()).
		ReplaceVnfd(t, "topology_template:\n", "imports: [ types.yaml ]\ntopology_template:\n").
		ReplaceVnfd(t, "      type: tosca.nodes.nfv.VNF\n", "      type: someone.VNF\n")
	_, err := f.TryOpen()
	require.Len(t, vnfpkgtest.Problems(t, err), 1)
	require.ErrorContains(t, err, "more than 10000 members")
}
