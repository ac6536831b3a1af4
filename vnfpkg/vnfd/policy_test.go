package vnfd_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestOpen_warnsOfLevelsThatContradictThemselves(t *testing.T) {
	p := vnfpkgtest.Minimal().
		ReplaceVnfd(t, "high: { number_of_instances: 4 }", "high: { number_of_instances: 12 }").
		ReplaceVnfd(t, "        sw_image_data:",
			"        vdu_profile: { max_number_of_instances: 10 }\n        sw_image_data:").
		Open(t)

	require.Equal(t, []string{
		"Definitions/top.yaml:36: the level high has 12 instances of node, but its scale levels make 4",
		"Definitions/top.yaml:36: the level high has 12 instances of node, outside of its vdu_profile",
		"BaseHOT/small/top.yaml:6: the group workers has a max_size of 9, less than the 12 instances of node at the level " +
			"high",
	}, vnfpkgtest.Sentences(p.Warnings))
}

// TestOpen_warnsOfPoliciesForTheSame uses the slip of one of Tacker's packages: the same policy twice.
func TestOpen_warnsOfPoliciesForTheSame(t *testing.T) {
	const last = "        targets: [ node ]\n"
	p := vnfpkgtest.Minimal().ReplaceVnfd(t, "    - node_levels:", `    - node_levels_again:
        type: tosca.policies.nfv.VduInstantiationLevels
        properties:
          levels: { low: { number_of_instances: 3 } }
`+last+"    - node_levels:").Open(t)
	require.Contains(t, strings.Join(vnfpkgtest.Sentences(p.Warnings), "\n"),
		"the policies node_levels_again and node_levels both give "+
			"the number of instances of node at the level low; Windlass follows node_levels")
	require.Equal(t, 1, p.Vnfd.Flavours[0].Levels[0].Instances["node"])
}

func TestPolicies_ofTypesThatDeriveFromTheStandardsCount(t *testing.T) {
	f := vnfpkgtest.Minimal().
		ReplaceVnfd(t, "        type: tosca.policies.nfv.ScalingAspects\n", "        type: own.Aspects\n")
	f = f.With(vnfpkgtest.TopVnfd,
		"policy_types:\n  own.Aspects: { derived_from: own.Base }\n  own.Base: { derived_from: "+
			"tosca.policies.nfv.ScalingAspects }\n"+f[vnfpkgtest.TopVnfd])
	require.Equal(t, "workers", f.Open(t).Vnfd.Flavours[0].Aspects[0].ID)
}

func TestScalingAspects_withoutStepDeltasHaveTheOnlyDeltaAtEveryStep(t *testing.T) {
	f := vnfpkgtest.Minimal().
		ReplaceVnfd(t, "{ max_scale_level: 3, step_deltas: [ one, two, one ] }", "{ max_scale_level: 3 }")
	_, err := f.TryOpen()
	require.Contains(t, vnfpkgtest.Problems(t, err)[0],
		"has several deltas of the aspect workers, which has no step_deltas")

	f = f.ReplaceVnfd(t, "{ one: { number_of_instances: 1 }, two: { number_of_instances: 2 } }",
		"{ one: { number_of_instances: 2 } }")
	capacity, err := f.Open(t).Vnfd.Flavours[0].CapacityAt(map[string]int{"workers": 3})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"node": 7}, capacity)
}

func TestScalingAspects_ofSeveralVdusAndSteps(t *testing.T) {
	f := vnfpkgtest.Minimal().
		ReplaceVnfd(t, "    node_CP:\n", "    other: { type: tosca.nodes.nfv.Vdu.Compute }\n    third: { type: "+
			"tosca.nodes.nfv.Vdu.Compute }\n    node_CP:\n").
		ReplaceVnfd(t, "          deltas: { one: { number_of_instances: 1 }, two: { number_of_instances: 2 } }\n       "+
			" targets: [ node ]\n",
			"          deltas: { one: { number_of_instances: 1 }, two: { number_of_instances: 2 } }\n        targets: [ node, "+
				"other ]\n"+
				"    - third_deltas:\n        type: tosca.policies.nfv.VduScalingAspectDeltas\n        properties: { aspect: "+
				"workers, deltas: { one: { number_of_instances: 0 }, two: { number_of_instances: 5 } } }\n        targets: [ "+
				"third ]\n")
	fl := &f.Open(t).Vnfd.Flavours[0]
	for level, want := range []map[string]int{
		{"node": 1, "other": 1, "third": 1},
		{"node": 2, "other": 2, "third": 1},
		{"node": 4, "other": 4, "third": 6},
		{"node": 5, "other": 5, "third": 6},
	} {
		capacity, err := fl.CapacityAt(map[string]int{"workers": level})
		require.NoError(t, err)
		require.Equal(t, want, capacity)
	}
}
