package tosca_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// TestOpen_countsTheValuesOfAllDefinitionsTogether checks that the limit is for all definitions together, so that a
// small archive with many definitions does not cost more than one with few.
func TestOpen_countsTheValuesOfAllDefinitionsTogether(t *testing.T) {
	sources, imports := vnfpkgtest.Minimal(), "imports:\n"
	for i := range 10 {
		name := fmt.Sprintf("d%d.yaml", i)
		imports += "  - " + name + "\n"
		sources = sources.With("Definitions/"+name,
			"tosca_definitions_version: tosca_simple_yaml_1_2\nx: ["+strings.Repeat("x, ", 900)+"]\n")
	}
	sources = sources.With(vnfpkgtest.TopVnfd, vnfpkgtest.MinimalVnfd+imports)

	_, err := vnfpkgtest.OpenBytes(sources.Zip(), archive.Limits{YAML: document.Limits{MaxNodes: 1000}})

	require.Contains(t, strings.Join(vnfpkgtest.Problems(t, err), "\n"), "values allowed")
}

func TestNodes_haveTheDefaultsOfTheirTypesAndInputs(t *testing.T) {
	f := vnfpkgtest.Minimal().
		ReplaceVnfd(t, "      type: tosca.nodes.nfv.Vdu.Compute\n      properties:\n        sw_image_data: { name: "+
			"image-1 }\n",
			"      type: own.Vdu\n      properties:\n        name: { get_input: what }\n").
		ReplaceVnfd(t, "  substitution_mappings:\n", "  inputs:\n    what: { type: string, default: the node }\n    "+
			"most: { type: integer, default: 8 }\n  substitution_mappings:\n")
	f = f.With(vnfpkgtest.TopVnfd, `node_types:
  own.Vdu:
    derived_from: tosca.nodes.nfv.Vdu.Compute
    properties:
      sw_image_data: { type: tosca.datatypes.nfv.SwImageData, default: { name: image-of-the-type } }
      vdu_profile: { type: tosca.datatypes.nfv.VduProfile, default: { min_number_of_instances: 1, max_number_of_instances: { get_input: most } } }
`+f[vnfpkgtest.TopVnfd])
	vdu := f.Open(t).Vnfd.Flavours[0].Vdus[0]
	require.Equal(t, []any{"the node", "image-of-the-type", 1, 8},
		[]any{vdu.Name, vdu.Image.Name, vdu.MinInstances, vdu.MaxInstances})
}
