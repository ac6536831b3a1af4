package vnfpkg_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
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

// TestOpen_boundsWhatContainersSayTogether checks the limit for all containers together: VDUs may share containers,
// which could multiply the containers' data.
func TestOpen_boundsWhatContainersSayTogether(t *testing.T) {
	var more strings.Builder
	for i := range 20 {
		fmt.Fprintf(&more, "    v%d: { type: tosca.nodes.nfv.Vdu.OsContainerDeployableUnit, requirements: [ { container: server } ] }\n", i)
	}
	long := "        env: { A: " + strings.Repeat("x", 100<<10) + " }\n"
	_, err := vnfpkgtest.MinimalContainers().ReplaceVnfd(t, "    cp:\n", more.String()+"    cp:\n").
		ReplaceVnfd(t, "        requested_cpu_resources: 500\n", long).TryOpen()
	require.Contains(t, vnfpkgtest.Problems(t, err),
		"Definitions/top.yaml: has more than the 1048576 bytes allowed for the texts of all containers")

	more.Reset()
	for i := range tosca.MaxItems {
		fmt.Fprintf(&more, "        - container: c%d\n", i)
	}
	nodes := strings.ReplaceAll(strings.ReplaceAll(more.String(), "        - container: ", "    "), "\n",
		": { type: tosca.nodes.nfv.Vdu.OsContainer, artifacts: { sw_image: x } }\n")
	_, err = vnfpkgtest.MinimalContainers().
		ReplaceVnfd(t, "        - container: server\n", "        - container: server\n"+more.String()).
		ReplaceVnfd(t, "    cp:\n", nodes+"    cp:\n").TryOpen()
	require.Contains(t, vnfpkgtest.Problems(t, err), "Definitions/top.yaml: has more than the 100 containers allowed")
}
