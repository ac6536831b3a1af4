package vnfd_test

import (
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
