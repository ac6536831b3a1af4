package lifecycle_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestHeal_ofARegistryKeepsItsVolumeUnlessTheRequestSaysOtherwise(t *testing.T) {
	onVolume := &registry.Params{Volume: &k8s.CinderVolumeParams{VolumeResourceID: "registry_volume"}}
	for name, c := range map[string]struct {
		params  *registry.Params
		body    string
		whole   bool
		keeps   bool
		volumes []string
	}{
		"the VNFC": {onVolume, `{"vnfcInstanceId":["vm"]}`, false, true, nil},
		"the VNFC, kept": {
			onVolume, `{"vnfcInstanceId":["vm"],"additionalParams":{"keep_volumes":true}}`, false, true,
			nil,
		},
		"the VNFC, replaced": {
			onVolume, `{"vnfcInstanceId":["vm"],"additionalParams":{"keep_volumes":false}}`, false,
			false,
			[]string{"volume-1"},
		},
		"the VNFC, not all": {onVolume, `{"vnfcInstanceId":["vm"],"additionalParams":{"all":false}}`, false, true, nil},
		"the VNFC, all": {
			onVolume, `{"vnfcInstanceId":["vm"],"additionalParams":{"all":true}}`, false, false,
			[]string{"volume-1"},
		},
		"everything, not all":  {onVolume, `{"additionalParams":{"all":false}}`, false, true, nil},
		"everything, all":      {onVolume, `{"additionalParams":{"all":true}}`, true, false, nil},
		"everything":           {onVolume, `{"cause":"as the standard has it"}`, false, true, nil},
		"everything, replaced": {onVolume, `{"additionalParams":{"keep_volumes":"false"}}`, true, false, nil},
		"without a volume":     {&registry.Params{}, `{}`, true, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := lifecycle.Facts{
				Drivers: []lifecycle.VnfDriver{&registry.Server{Params: *c.params}},
				Flavour: &descriptor.Flavour{},
				Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{
					{
						ID: "vm", VduID: "registry", ComputeResource: lcm.ResourceHandle{ResourceID: "vm"},
						StorageIDs: []string{"volume-1"},
					},
				}}},
			}
			p, err := planOf(f, lcm.OpHeal, json.RawMessage(c.body))
			require.NoError(t, err)
			require.Equal(t, c.whole, p.Whole)
			require.Equal(t, c.keeps, p.KeepVolumes)
			require.Equal(t, c.volumes, p.LeavingVolumes)
			require.Equal(t, []string{"vm"}, p.LeavingServers())
		})
	}
}
