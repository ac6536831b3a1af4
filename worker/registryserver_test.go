package worker

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func TestJob_showsHowClustersConnectToARegistry(t *testing.T) {
	registry := &vnfpkg.Flavour{Hooks: map[string]vnfpkg.Hook{"instantiate_end": {Driver: vnfpkg.DriverPrivateRegistry}}}
	before := lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{
		{ID: "vm", Metadata: map[string]any{lcm.RegistriesKey: "as before"}},
	}}}
	found := &k8s.PrivateRegistry{Server: "198.51.100.5:5000"}
	for name, c := range map[string]struct {
		job  job
		made activities.Outcome
		vnfc string
		want any
	}{
		"found": {
			job{&operations.Operation{Flavour: registry}},
			activities.Outcome{Registry: found},
			"vm",
			[]k8s.PrivateRegistry{*found},
		},
		"known": {
			job{&operations.Operation{Flavour: registry, Instance: before}},
			activities.Outcome{},
			"vm",
			"as before",
		},
		"another machine": {
			job{&operations.Operation{Flavour: registry, Instance: before}},
			activities.Outcome{},
			"vm-2", nil,
		},
		"not known": {job{&operations.Operation{Flavour: registry}}, activities.Outcome{}, "vm", nil},
		"with another address": {job{&operations.Operation{
			Flavour: registry, Instance: before,
			OpOcc: lcm.VnfLcmOpOcc{Operation: lcm.OpChangeExtConn},
		}}, activities.Outcome{}, "vm", nil},
		"no registry of images": {
			job{&operations.Operation{Flavour: &vnfpkg.Flavour{}, Instance: before}},
			activities.Outcome{Registry: found},
			"vm", nil,
		},
	} {
		info := lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{{ID: c.vnfc, Metadata: map[string]any{}}}}
		c.job.showRegistry(&info, c.made)
		assert.Equal(t, c.want, info.VnfcResources[0].Metadata[lcm.RegistriesKey], name)
	}
}
