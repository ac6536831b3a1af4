package operations

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestJob_aModificationOfTheRegistriesIsForClustersOnly(t *testing.T) {
	cluster := &descriptor.Flavour{
		Hooks: map[string]descriptor.Hook{"instantiate_end": {Driver: descriptor.DriverKubernetes}},
	}
	former := lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{
		AdditionalParams: json.RawMessage(`{"k8s_cluster_installation_param":{"private_registry_connection_info":[{"server":"a.example.com"}]}}`),
	}}
	change := lcm.VnfLcmOpOcc{Params: json.RawMessage(`{"vnfConfigurableProperties":{"private_registry_connection_info":[]}}`)}
	for name, c := range map[string]struct {
		Operation Operation
		want      bool
	}{
		"of a cluster":   {Operation{Flavour: cluster, Former: former, OpOcc: change}, true},
		"of another VNF": {Operation{Flavour: &descriptor.Flavour{}, Former: former, OpOcc: change}, false},
		"of something else": {Operation{
			Flavour: cluster, Former: former,
			OpOcc: lcm.VnfLcmOpOcc{Params: json.RawMessage(`{"vnfInstanceName":"x"}`)},
		}, false},
		"not instantiated":   {Operation{Flavour: cluster, OpOcc: change}, false},
		"not even a flavour": {Operation{Former: former, OpOcc: change}, false},
		"of all properties": {Operation{
			Flavour: cluster, Former: withProperty(former),
			OpOcc: lcm.VnfLcmOpOcc{Params: json.RawMessage(`{"vnfConfigurableProperties":null}`)},
		}, true},
		"of properties it has": {Operation{
			Flavour: cluster, Former: former,
			OpOcc: lcm.VnfLcmOpOcc{Params: json.RawMessage(`{"vnfConfigurableProperties":null}`)},
		}, false},
	} {
		own, err := lcmtest.Read[lcm.ModifyRequest](c.Operation.OpOcc.Params)
		require.NoError(t, err)
		c.Operation.Own = own
		assert.Equal(t, c.want, c.Operation.ChangesRegistries(), name)
	}
}

func withProperty(inst lcm.VnfInstance) lcm.VnfInstance {
	inst.ConfigurableProperties = map[string]any{lcm.RegistriesKey: []any{}}
	return inst
}
