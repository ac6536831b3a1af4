package cluster

import (
	"time"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Work holds what activities on the nodes of a cluster need from its driver.
type Work struct {
	// Params are those of the VNF, completed from the configuration. The operation may replace some of them.
	Params k8s.Params
	// FormerRegistries are the registries that a modification replaces.
	FormerRegistries []k8s.PrivateRegistry
	// AptKey is the armored key of Params.AptRepository when the package does not have the key.
	AptKey []byte
	// PodNetwork is the operator's default; it is empty when the request names the pod network.
	PodNetwork k8s.PodNetwork
}

// Work returns the Work of an operation. former is the VNF instance before a modification. An error comes from the
// operation's request.
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

// registriesOf are the registries of a VNF instance; none before its instantiation.
func registriesOf(inst lcm.VnfInstance) []k8s.PrivateRegistry {
	if inst.Instantiated == nil {
		return nil
	}
	params, _ := k8s.ParseParams(inst.Instantiated.AdditionalParams) // unreadable ones were refused with the request
	return params.PrivateRegistries
}

// stopInTime limits the draining of a graceful stop to the request's time. Pods that have not left a node then stop
// with it (SOL003 clause 5.5.2.10).
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
