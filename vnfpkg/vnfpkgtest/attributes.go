package vnfpkgtest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

const declaredTypes = `tosca_definitions_version: tosca_simple_yaml_1_2
node_types:
  someone.VNF:
    derived_from: tosca.nodes.nfv.VNF
    properties:
      modifiable_attributes: { type: someone.Modifiable }
      configurable_properties: { type: someone.Configurable }
data_types:
  someone.Modifiable:
    derived_from: tosca.datatypes.nfv.VnfInfoModifiableAttributes
    properties:
      metadata: { type: someone.Metadata, required: false }
      extensions: { type: someone.Extensions, required: false }
  someone.Metadata:
    derived_from: tosca.datatypes.nfv.VnfInfoModifiableAttributesMetadata
    properties:
      site: { type: string, constraints: [ valid_values: [ north, south ] ] }
      rack: { type: integer, required: false }
  someone.Basic:
    properties:
      level: { type: integer, constraints: [ valid_values: [ 1, 2 ] ] }
  someone.Port:
    derived_from: integer
    constraints: [ valid_values: [ 80, 443 ] ]
  someone.Extensions:
    derived_from: someone.Basic
    properties:
      level: { type: string, constraints: [ valid_values: [ info, debug ] ] }
      ratio: { type: float, required: false }
      quiet: { type: boolean, required: false }
      port: { type: someone.Port, required: false }
      since: { type: timestamp, required: false }
      elsewhere: { type: tosca.datatypes.json, required: false }
      itself: { type: someone.Extensions, required: false }
      hosts: { type: list, required: false, entry_schema: { type: string } }
      limits: { type: map, required: false, entry_schema: integer }
      peers: { type: list, required: false, entry_schema: { type: someone.Peer } }
  someone.Peer:
    properties:
      name: { type: string }
      port: { type: integer, required: False }
  someone.Configurable:
    derived_from: tosca.datatypes.nfv.VnfConfigurableProperties
    properties:
      additional_configurable_properties: { type: someone.Additional, required: false }
  someone.Additional:
    derived_from: tosca.datatypes.nfv.VnfAdditionalConfigurableProperties
    properties:
      proxy: { type: string, required: false }
      secret: { type: string, required: false, constraints: [ valid_values: [ a ] ] }
`

// Declared returns what a VNFD declares of attributes that requests may set, in all the forms that data types have.
func Declared(t testing.TB) descriptor.Declared {
	t.Helper()
	v := Minimal().With("Definitions/types.yaml", declaredTypes).
		ReplaceVnfd(t, "topology_template:\n", "imports: [ types.yaml ]\ntopology_template:\n").
		ReplaceVnfd(t, "      type: tosca.nodes.nfv.VNF\n", "      type: someone.VNF\n").Open(t).Vnfd
	return Stored(t, v).Declared
}

// Stored returns a VNFD after a round trip through JSON, as the store keeps it.
func Stored(t testing.TB, v descriptor.Vnfd) (read descriptor.Vnfd) {
	t.Helper()
	stored, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(stored, &read))
	return read
}
