package record

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestShowRegistry_saysHowClustersConnectToARegistry(t *testing.T) {
	registry := &descriptor.Flavour{
		Hooks: map[string]descriptor.Hook{"instantiate_end": {Driver: descriptor.DriverPrivateRegistry}},
	}
	before := lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{
		{ID: "vm", Metadata: map[string]any{lcm.RegistriesKey: "as before"}},
	}}}
	found := &k8s.PrivateRegistry{Server: "198.51.100.5:5000"}
	for name, c := range map[string]struct {
		op   *operations.Operation
		made Outcome
		vnfc string
		want any
	}{
		"found": {
			&operations.Operation{Flavour: registry},
			Outcome{Registry: found},
			"vm",
			[]k8s.PrivateRegistry{*found},
		},
		"known": {
			&operations.Operation{Flavour: registry, Instance: before},
			Outcome{},
			"vm",
			"as before",
		},
		"another machine": {
			&operations.Operation{Flavour: registry, Instance: before},
			Outcome{},
			"vm-2", nil,
		},
		"not known": {&operations.Operation{Flavour: registry}, Outcome{}, "vm", nil},
		"with another address": {&operations.Operation{
			Flavour: registry, Instance: before, Own: lcm.ChangeExtConnRequest{},
		}, Outcome{}, "vm", nil},
		"no registry of images": {
			&operations.Operation{Flavour: &descriptor.Flavour{}, Instance: before},
			Outcome{Registry: found},
			"vm", nil,
		},
	} {
		info := lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{{ID: c.vnfc, Metadata: map[string]any{}}}}
		(vnf{c.op, allOn("vim")}).showRegistry(&info, c.made)
		assert.Equal(t, c.want, info.VnfcResources[0].Metadata[lcm.RegistriesKey], name)
	}
}
