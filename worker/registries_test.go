package worker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func TestJob_aModificationOfTheRegistriesIsForClustersOnly(t *testing.T) {
	cluster := &vnfpkg.Flavour{Hooks: map[string]vnfpkg.Hook{"instantiate_end": {Driver: driverKubernetes}}}
	former := lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{
		AdditionalParams: json.RawMessage(`{"k8s_cluster_installation_param":{"private_registry_connection_info":[{"server":"a.example.com"}]}}`),
	}}
	change := lcm.VnfLcmOpOcc{Params: json.RawMessage(`{"vnfConfigurableProperties":{"private_registry_connection_info":[]}}`)}
	for name, c := range map[string]struct {
		job  job
		want bool
	}{
		"of a cluster":         {job{flavour: cluster, former: former, opOcc: change}, true},
		"of another VNF":       {job{flavour: &vnfpkg.Flavour{}, former: former, opOcc: change}, false},
		"of something else":    {job{flavour: cluster, former: former, opOcc: lcm.VnfLcmOpOcc{Params: json.RawMessage(`{"vnfInstanceName":"x"}`)}}, false},
		"not instantiated":     {job{flavour: cluster, opOcc: change}, false},
		"not even a flavour":   {job{former: former, opOcc: change}, false},
		"of all properties":    {job{flavour: cluster, former: withProperty(former), opOcc: lcm.VnfLcmOpOcc{Params: json.RawMessage(`{"vnfConfigurableProperties":null}`)}}, true},
		"of properties it has": {job{flavour: cluster, former: former, opOcc: lcm.VnfLcmOpOcc{Params: json.RawMessage(`{"vnfConfigurableProperties":null}`)}}, false},
	} {
		assert.Equal(t, c.want, c.job.changesRegistries(), name)
	}
	j := job{former: former}
	assert.Equal(t, "a.example.com", j.formerRegistries()[0].Server)
	assert.Empty(t, (&job{}).formerRegistries())
}

func withProperty(inst lcm.VnfInstance) lcm.VnfInstance {
	inst.ConfigurableProperties = map[string]any{lcm.RegistriesKey: []any{}}
	return inst
}
