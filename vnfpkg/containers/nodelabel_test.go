package containers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// unit returns a package with additional properties of its VDU of containers, and of the container.
func unit(t testing.TB, ofVdu, ofContainer string) vnfpkgtest.Files {
	t.Helper()
	return vnfpkgtest.MinimalContainers().
		ReplaceVnfd(t, "        name: web\n        mcio", ofVdu+"        name: web\n        mcio").
		ReplaceVnfd(t, "        requested_cpu_resources: 500\n", "        requested_cpu_resources: 500\n"+ofContainer)
}

func TestNodeLabels(t *testing.T) {
	p := unit(t, `        logical_node:
          one: { logical_node_requirements: { disktype: ssd, "example.com/numa": 2 } }
        mcio_constraint_params: [ local_anti_affinity_cis_node, local_affinity_zoneGroup, node_additional_capability_ssd ]
`, `        requested_additional_capabilities:
          must: { requested_additional_capability_name: example.com/avx, support_mandatory: true }
          may:
            requested_additional_capability_name: example.com/quick
            support_mandatory: false
            target_performance_parameters: { example.com/speed: '7' }
`).Open(t)
	require.Empty(t, p.Warnings)
	f := p.Vnfd.Flavours[0]
	require.ElementsMatch(t, []descriptor.NodeLabel{
		{Key: "disktype", Value: "ssd"},
		{Key: "example.com/numa", Value: "2"},
		{Key: "example.com/avx"},
		{Key: "example.com/quick", Preferred: true},
		{Key: "example.com/speed", Value: "7", Preferred: true},
	}, f.Vdus[0].Pod.Nodes)
	require.Equal(t, []descriptor.AffinityRule{
		{ID: "web local_anti_affinity_cis_node", Anti: true, Scope: "cis_node", Vdus: []string{"web"}},
		{ID: "web local_affinity_zoneGroup", Scope: "zone_group", Vdus: []string{"web"}},
	}, f.AffinityRules)
}

func TestNodeLabels_warnings(t *testing.T) {
	p := unit(t, `        logical_node:
          one: { logical_node_requirements: { number of cores: 7 } }
        mcio_constraint_params: [ anti_affinity_zone, node_pool ]
`, `        requested_additional_capabilities:
          a: { requested_additional_capability_name: SR-IOV, support_mandatory: true }
          b:
            requested_additional_capability_name: example.com/b
            target_performance_parameters: { speed: very quick }
`).Open(t)
	told := strings.Join(vnfpkgtest.Sentences(p.Warnings), "; ")
	require.Len(t, p.Warnings, 4)
	for _, says := range []string{
		`have "number of cores", which is not a valid node label`,
		`the capability "SR-IOV", which is not a node label with a domain`,
		`target_performance_parameters have "speed"`, `"anti_affinity_zone" of the VDU web belongs to no policy`,
	} {
		require.Contains(t, told, says)
	}
	p = unit(t, "        mcio_constraint_params: [ node_pool ]\n", "").Open(t)
	require.Len(t, p.Warnings, 1, "there is no label that it may mean")
	require.Contains(t, p.Warnings[0].Detail, `Windlass ignores the constraint "node_pool" of the VDU web`)
}

func TestNodeLabels_mistakes(t *testing.T) {
	for says, properties := range map[string]string{
		`the VDU web requires two values of the node label a at the same time: "1" and "2"`: "        logical_node:\n" +
			"          one: { logical_node_requirements: { a: '1' } }\n          two: { logical_node_requirements: { a: '2' } }\n",
		`SOL001 does not define the constraint "local_affinity_rack" of the VDU web`: "        mcio_constraint_params: [ local_affinity_rack ]\n",
		`SOL001 does not define the constraint "local_nothing" of the VDU web`:       "        mcio_constraint_params: [ local_nothing ]\n",
	} {
		_, err := unit(t, properties, "").TryOpen()
		require.ErrorContains(t, err, says)
	}
}

func TestCp_ofContainers(t *testing.T) {
	p := vnfpkgtest.MinimalContainers().ReplaceVnfd(t, "    cp:\n", `    media:
      type: tosca.nodes.nfv.VduCp
      properties: { layer_protocols: [ ipv4 ] }
      requirements:
        - virtual_binding: web
    cp:
`).Open(t)
	require.Equal(
		t, []descriptor.VduCp{{ID: "media", VduID: "web", External: true, LayerProtocols: []string{"ipv4"}}},
		p.Vnfd.Flavours[0].Cps,
	)
}
