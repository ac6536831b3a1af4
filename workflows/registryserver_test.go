package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/plan"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func TestOutline_isWhatTheWorkflowsDoWithARegistry(t *testing.T) {
	for i, body := range []string{
		`{}`, `{"vnfcInstanceId":["registry-0"]}`, `{}`, `{"vnfcInstanceId":["registry-0"]}`, `{"additionalParams":{"keep_volumes":false}}`,
	} {
		f := plan.Facts{
			RegistryServer: &lcm.RegistryServerParams{},
			Flavour:        &vnfpkg.Flavour{Hooks: map[string]vnfpkg.Hook{"instantiate_end": {Driver: vnfpkg.DriverPrivateRegistry}}, Vdus: []vnfpkg.Vdu{{ID: "registry"}}},
			Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{
				{ID: "registry-0", VduID: "registry", ComputeResource: lcm.ResourceHandle{ResourceID: "registry-0"}},
			}}},
		}
		if i >= 2 {
			f.RegistryServer.Volume = &lcm.CinderVolumeParams{}
		}
		p, err := planOf(f, lcm.OpHeal, body)
		require.NoError(t, err)
		require.Equal(t, i == 0 || i == 4, p.Whole)
		requireSameSteps(t, p, f)
		for _, op := range []lcm.Operation{lcm.OpScale, lcm.OpScaleToLevel} {
			_, err = planOf(f, op, `{}`)
			require.True(t, lcm.Is(err, lcm.KindConflict), err)
		}
		if p.Whole { // it makes the VNF anew, as an instantiation does
			f.Instance.Instantiated = nil
			p.Operation = lcm.OpInstantiate
			list := plan.Outline(p, f)
			require.Equal(t, "Install the registry", list[len(list)-1].Title)
			require.Equal(t, i == 4, list[len(list)-2].Title == "Mount the volume of the registry")
		}
	}
}
