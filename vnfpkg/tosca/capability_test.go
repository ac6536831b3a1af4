package tosca_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

const capableTypes = `tosca_definitions_version: tosca_simple_yaml_1_2
capability_types:
  someone.Compute:
    derived_from: tosca.capabilities.nfv.VirtualCompute
    properties:
      virtual_cpu: { type: tosca.datatypes.nfv.VirtualCpu, default: { num_virtual_cpu: 2 } }
      virtual_memory: { type: tosca.datatypes.nfv.VirtualMemory, default: { virtual_mem_size: 1 GiB } }
node_types:
  someone.Base:
    derived_from: tosca.nodes.nfv.Vdu.Compute
    capabilities:
      virtual_compute:
        type: someone.Compute
  someone.Node:
    derived_from: someone.Base
    capabilities:
      virtual_compute:
        type: someone.Compute
        properties:
          virtual_memory: { type: tosca.datatypes.nfv.VirtualMemory, default: { virtual_mem_size: 4 GiB } }
`

// TestOpen_readsDefaultsOfCapabilities checks the precedence of values: the node's own value, then the refinement of
// its type, then the default of the capability type.
func TestOpen_readsDefaultsOfCapabilities(t *testing.T) {
	f := vnfpkgtest.Minimal().With("Definitions/types.yaml", capableTypes).
		ReplaceVnfd(t, "topology_template:\n", "imports: [ types.yaml ]\ntopology_template:\n")
	vdu := func(f vnfpkgtest.Files) *descriptor.Vdu {
		v, known := f.Open(t).Vnfd.Flavours[0].Vdu("node")
		require.True(t, known)
		return v
	}
	inherits := f.ReplaceVnfd(t, "type: tosca.nodes.nfv.Vdu.Compute", "type: someone.Node")
	require.Equal(t, 2, vdu(inherits).VirtualCpus)
	require.Equal(t, "4 GiB", vdu(inherits).VirtualMemory)
	require.Equal(t, "m1.small", vdu(inherits).ComputeFlavour)

	base := f.ReplaceVnfd(t, "type: tosca.nodes.nfv.Vdu.Compute", "type: someone.Base")
	require.Equal(t, "1 GiB", vdu(base).VirtualMemory)

	own := inherits.ReplaceVnfd(t, "            requested_additional_capabilities:\n",
		"            virtual_cpu: { num_virtual_cpu: 8 }\n            requested_additional_capabilities:\n")
	require.Equal(t, 8, vdu(own).VirtualCpus)
	require.Equal(t, "4 GiB", vdu(own).VirtualMemory)

	none := inherits.ReplaceVnfd(t, "type: someone.Node", "type: tosca.nodes.nfv.Vdu.Compute")
	require.Zero(t, vdu(none).VirtualCpus)
}
