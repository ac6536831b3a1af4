package vnfpkg_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// withLcm adds a lcm_operations_configuration to the VNF node of the minimal package.
func withLcm(t *testing.T, configuration string) vnfpkgtest.Files {
	return vnfpkgtest.Minimal().ReplaceVnfd(t, "        product_name: Something\n",
		"        product_name: Something\n        lcm_operations_configuration: "+configuration+"\n")
}

func TestLcmOperations_areReadWithTheirDefaults(t *testing.T) {
	for configuration, want := range map[string]*descriptor.LcmOperations{
		"{}":            {},
		"{ scale: {} }": {SeveralSteps: new(false)},
		"{ scale: { scaling_by_more_than_one_step_supported: true }, scale_to_level: { arbitrary_target_levels_supported: " +
			"false } }": {SeveralSteps: new(true), AnyLevels: new(false)},
		"{ heal: { causes: [ power, disk ] } }":                                {HealCauses: []string{"power", "disk"}},
		"{ terminate: { min_graceful_termination_timeout: 2 m } }":             {MinTermination: 120},
		"{ operate: { min_graceful_stop_timeout: 1500 ms } }":                  {MinStop: 2},
		"{ operate: { min_graceful_stop_timeout: 20 }, change_flavour: null }": {MinStop: 20},
	} {
		require.Equal(t, want, withLcm(t, configuration).Open(t).Vnfd.Flavours[0].LcmOperations, configuration)
	}
	require.Nil(t, vnfpkgtest.Minimal().Open(t).Vnfd.Flavours[0].LcmOperations)
}

func TestLcmOperations_refusesWhatIsNone(t *testing.T) {
	for configuration, want := range map[string]string{
		"{ scale: { scaling_by_more_than_one_step_supported: perhaps } }": `scaling_by_more_than_one_step_supported is "perhaps", neither true nor false`,
		"{ instantiate: { target_scale_levels_supported: 2 } }":           `target_scale_levels_supported is "2", neither true nor false`,
		"{ terminate: { min_graceful_termination_timeout: soon } }": `"soon" is not a time such as 30 s, ` +
			`one year at most`,
		"{ terminate: { min_graceful_termination_timeout: 3 fortnights } }":     "is not a time such as 30 s",
		"{ terminate: { min_graceful_termination_timeout: 99999999999999 d } }": "is not a time such as 30 s",
	} {
		_, err := withLcm(t, configuration).TryOpen()
		require.Contains(t, vnfpkgtest.Problems(t, err)[0], want)
	}
}

func TestLcmOperations_mayBeTheDefaultOfTheType(t *testing.T) {
	f := vnfpkgtest.Minimal().
		ReplaceVnfd(t, "      type: tosca.nodes.nfv.VNF\n", "      type: own.VNF\n").
		With("Definitions/types.yaml", "tosca_definitions_version: tosca_simple_yaml_1_2\nnode_types:\n  base.VNF:\n    "+
			"derived_from: tosca.nodes.nfv.VNF\n    properties:\n"+
			"      lcm_operations_configuration: { type: tosca.datatypes.nfv.VnfLcmOperationsConfiguration, default: { "+
			"terminate: { min_graceful_termination_timeout: 90 s } } }\n"+
			"  own.VNF: { derived_from: base.VNF }\n")
	f = f.With(vnfpkgtest.TopVnfd, "imports: [ types.yaml ]\n"+f[vnfpkgtest.TopVnfd])
	fl := f.Open(t).Vnfd.Flavours[0]
	require.Equal(t, &descriptor.LcmOperations{MinTermination: 90}, fl.LcmOperations)
	require.Equal(t, 90*time.Second, fl.LeastGrace())
	require.Zero(t, (&descriptor.Flavour{}).LeastGrace())
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

// TestOpen_takesPackagesThatCarryTheTypesOfTheStandard uses the types of the standard, which are beside the repository
// and not part of it.
func TestOpen_takesPackagesThatCarryTheTypesOfTheStandard(t *testing.T) {
	for _, version := range []string{"2.6.1", "3.3.1", "4.4.1"} {
		t.Run(version, func(t *testing.T) {
			f, imports := vnfpkgtest.Minimal(), "imports:\n"
			for _, name := range []string{"etsi_nfv_sol001_common_types.yaml", "etsi_nfv_sol001_vnfd_types.yaml"} {
				text, err := os.ReadFile(filepath.Join("..", "..", "shared", "sol001-types", version, name))
				if err != nil {
					t.Skip("The types of SOL001 are not at hand: packages with them are NOT tested.")
				}
				f, imports = f.With("Definitions/"+name, string(text)), imports+"  - "+name+"\n"
			}
			p := f.With(vnfpkgtest.TopVnfd, imports+f[vnfpkgtest.TopVnfd]).Open(t)
			require.Empty(t, p.Warnings)
			require.Equal(t, vnfpkgtest.Minimal().Open(t).Vnfd, p.Vnfd)
		})
	}
}
