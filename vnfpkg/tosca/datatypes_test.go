package tosca_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

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
