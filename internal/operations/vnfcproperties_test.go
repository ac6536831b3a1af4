package operations

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func scaledVnf() *Operation {
	j := beginning(``)
	j.OpOcc.Operation = lcm.OpScale
	j.Instance.Metadata = map[string]any{lcm.VduVnfcMapping: map[string]any{"node": []any{"first"}}}
	j.Instance.Instantiated = &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{
		{
			ID: "a", VduID: "node", Metadata: map[string]any{"parent_resource_name": "node-0"},
			ConfigurableProperties: map[string]any{"level": "info"},
		},
		{
			ID: "b", VduID: "node", Metadata: map[string]any{"parent_resource_name": "node-1"},
			ConfigurableProperties: map[string]any{"level": "debug"},
		},
	}}
	return j
}

func TestRefused_holdsPropertiesOfVnfcsAgainstTheirVdu(t *testing.T) {
	j := scaledVnf()
	j.Former, j.Vnfd = j.Instance, &descriptor.Vnfd{}
	j.Flavour.Vdus[0].ConfigurableProperties = map[string]descriptor.Member{"level": {Type: descriptor.TypeString}}
	j.OpOcc = lcm.VnfLcmOpOcc{Operation: lcm.OpModifyInfo, Params: json.RawMessage(`{"vnfcInfoModifications":[
		{"id":"first","vnfcConfigurableProperties":{"level":"debug"}},{"id":"node-b","vnfcConfigurableProperties":{"level":3,"color":"red"}}]}`)}
	j.Own = lcmtest.Own(j.OpOcc)
	refused := j.Refused()
	require.NotNil(t, refused)
	var paths []string
	for _, p := range refused.Problems {
		paths = append(paths, p.Path)
	}
	require.Equal(t, []string{
		"$.vnfcInfoModifications[1].vnfcConfigurableProperties.color",
		"$.vnfcInfoModifications[1].vnfcConfigurableProperties.level",
	}, paths)
	j.Flavour.Vdus[0].ConfigurableProperties = nil
	require.Nil(t, j.Refused())
}
