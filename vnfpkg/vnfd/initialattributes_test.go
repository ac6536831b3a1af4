package vnfd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestOpen_readsDeclarations(t *testing.T) {
	d := vnfpkgtest.Declared(t)
	require.Equal(
		t, descriptor.Member{Type: descriptor.TypeString, Required: true, ValidValues: []any{"info", "debug"}},
		d.Extensions["level"], "over that of the type below",
	)
	require.Equal(
		t, descriptor.Member{Type: descriptor.TypeInteger, ValidValues: []any{80.0, 443.0}}, d.Extensions["port"],
		"a data type that is a number",
	)
	require.Equal(t, descriptor.Member{Type: descriptor.TypeString}, d.Extensions["since"])
	require.Equal(t, descriptor.Member{}, d.Extensions["elsewhere"], "a type that the package does not have says nothing")
	require.Equal(t, descriptor.Member{}, d.Extensions["itself"])
	require.Equal(
		t, descriptor.Member{Type: descriptor.TypeMap, Entry: &descriptor.Member{Type: descriptor.TypeInteger}},
		d.Extensions["limits"],
	)
	require.Equal(t, descriptor.TypeObject, d.Extensions["peers"].Entry.Type)
	require.False(t, d.Extensions["peers"].Entry.Members["port"].Required)

	require.Zero(t, vnfpkgtest.Minimal().Open(t).Vnfd.Declared)
}

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
