package vnfd_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// TestOpen_isQuickWithAsManyItemsAsAllowed uses the greatest allowed numbers of VDUs, aspects, levels and steps, which
// multiply. Open must still be fast.
func TestOpen_isQuickWithAsManyItemsAsAllowed(t *testing.T) {
	var b strings.Builder
	b.WriteString(`tosca_definitions_version: tosca_simple_yaml_1_2
topology_template:
  substitution_mappings: { properties: { flavour_id: small } }
  node_templates:
    VNF: { type: tosca.nodes.nfv.VNF, properties: { descriptor_id: a } }
`)
	vdus := strings.Repeat("v%d,", tosca.MaxItems)
	numbers := make([]any, tosca.MaxItems)
	for i := range tosca.MaxItems {
		numbers[i] = i
		fmt.Fprintf(&b, "    v%d: { type: tosca.nodes.nfv.Vdu.Compute }\n", i)
	}
	vdus = fmt.Sprintf(vdus, numbers...)
	b.WriteString("  policies:\n    - s: { type: tosca.policies.nfv.ScalingAspects, properties: { aspects: {\n")
	for i := range tosca.MaxItems {
		fmt.Fprintf(
			&b, "        a%d: { max_scale_level: 100, step_deltas: [ %s ] },\n", i, strings.Repeat("d,", tosca.MaxItems),
		)
	}
	b.WriteString("      } } }\n")
	for i := range tosca.MaxItems {
		fmt.Fprintf(&b, "    - d: { type: tosca.policies.nfv.VduScalingAspectDeltas, targets: [ %s ], properties: { aspect: "+
			"a%d, deltas: { d: { number_of_instances: 1 } } } }\n", vdus, i)
	}
	b.WriteString("    - l: { type: tosca.policies.nfv.InstantiationLevels, properties: { default_level: l1, levels: {\n")
	scale := fmt.Sprintf(strings.Repeat("a%d: { scale_level: 100 },", tosca.MaxItems), numbers...)
	for i := range tosca.MaxItems {
		fmt.Fprintf(&b, "        l%d: { scale_info: { %s } },\n", i, scale)
	}
	b.WriteString("      } } }\n")
	started := time.Now()

	p := vnfpkgtest.Minimal().With(vnfpkgtest.TopVnfd, b.String()).Open(t)

	require.Less(t, time.Since(started), 30*time.Second)
	capacity, err := p.Vnfd.Flavours[0].Capacity("l7")
	require.NoError(t, err)
	require.Equal(t, 1+tosca.MaxItems*tosca.MaxItems, capacity["v7"])
}

func TestOpen_refusesMoreItemsThanAllowed(t *testing.T) {
	var more strings.Builder
	for i := range tosca.MaxItems {
		fmt.Fprintf(&more, "    v%d: { type: tosca.nodes.nfv.Vdu.Compute }\n", i)
	}
	sources := vnfpkgtest.Minimal().ReplaceVnfd(t, "    node_CP:\n", more.String()+"    node_CP:\n")

	_, err := sources.TryOpen()

	require.Equal(t, []string{"Definitions/top.yaml: has more than the 100 VDUs allowed"}, vnfpkgtest.Problems(t, err))
}
