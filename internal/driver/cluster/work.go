package cluster

import (
	"time"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Work is what the activities on the nodes of a cluster need of its driver.
type Work struct {
	// Params are those of the VNF, with what the configuration adds, and with what the operation puts in their place.
	Params k8s.Params
	// FormerRegistries are those that a modification replaces.
	FormerRegistries []k8s.PrivateRegistry
	// AptKey is the armored key of Params.AptRepository when that is not in the package.
	AptKey []byte
	// PodNetwork is the manifest of the pod network when the package has none.
	PodNetwork []byte
}

// Work is that of an operation; former is the VNF instance before a modification. An error is that of the operation's
// request.
func (c *Cluster) Work(during lcm.VnfLcmOpOcc, former lcm.VnfInstance, d k8s.Defaults) (w Work, err error) {
	w = Work{Params: c.Params, FormerRegistries: registriesOf(former)}
	if w.Params.AptRepository == nil {
		w.Params.AptRepository, w.AptKey = d.AptRepository, d.AptKey
	}
	if w.Params.CniManifestPath == "" {
		w.PodNetwork = d.PodNetwork
	}
	if during.Operation == lcm.OpOperate {
		err = stopInTime(during, &w.Params)
	}
	return w, err
}

// registriesOf are those that a VNF instance has, none before it is instantiated.
func registriesOf(inst lcm.VnfInstance) []k8s.PrivateRegistry {
	if inst.Instantiated == nil {
		return nil
	}
	params, _ := k8s.ParseParams(inst.Instantiated.AdditionalParams) // what cannot be read was refused with its request
	return params.PrivateRegistries
}

// stopInTime gives the draining of a graceful stop the time that the request gives: what has not left a node then goes
// down with it (SOL003 clause 5.5.2.10).
func stopInTime(opOcc lcm.VnfLcmOpOcc, params *k8s.Params) error {
	request, err := lcm.ParseOperate(opOcc.Params)
	if err != nil || !request.Graceful() {
		return err
	}
	limit := max(1, int(request.GracePeriod()/time.Second))
	params.Timeouts.Drain, params.Timeouts.VolumeDetach = limit, min(limit, params.Timeouts.VolumeDetach)
	params.DrainPolicy = k8s.DrainForce
	return nil
}
