package record

import (
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// showRegistry records, for the machine of a registry of images, how clusters connect to it. An earlier record stays
// true unless the address changed.
func (v vnf) showRegistry(info *lcm.InstantiatedVnfInfo, made Outcome) {
	if !v.IsRegistryServer() {
		return
	}
	for i, c := range info.VnfcResources {
		switch {
		case made.Registry != nil:
			info.VnfcResources[i].Metadata[lcm.RegistriesKey] = []k8s.PrivateRegistry{*made.Registry}
		case v.ChangesLinks() || v.Instance.Instantiated == nil:
		default:
			for _, before := range v.Instance.Instantiated.VnfcResources {
				if told, known := before.Metadata[lcm.RegistriesKey]; known && before.ID == c.ID {
					info.VnfcResources[i].Metadata[lcm.RegistriesKey] = told
				}
			}
		}
	}
}
