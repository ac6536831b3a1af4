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

// Work returns the Work of an operation with this request. former is the VNF instance before a modification.
func (c *Common) Work(during lcm.Request, former lcm.VnfInstance, d k8s.Defaults) Work {
	w := Work{Params: c.Params, FormerRegistries: registriesOf(former)}
	if w.Params.AptRepository == nil {
		w.Params.AptRepository, w.AptKey = d.AptRepository, d.AptKey
	}
	if w.Params.CniManifestPath == "" {
		w.PodNetwork = d.PodNetwork
	}
	if request, ok := during.(lcm.OperateRequest); ok && request.Graceful() {
		stopInTime(request, &w.Params)
	}
	return w
}

// registriesOf are the registries of a VNF instance; none before its instantiation.
func registriesOf(inst lcm.VnfInstance) []k8s.PrivateRegistry {
	if inst.Instantiated == nil {
		return nil
	}
	params, _ := k8s.Read(inst.Instantiated.AdditionalParams) // unreadable ones were refused with the request
	return params.PrivateRegistries
}

// stopInTime limits the draining of a graceful stop to the request's time. Pods that have not left a node then stop
// with it (SOL003 clause 5.5.2.10).
func stopInTime(request lcm.OperateRequest, params *k8s.Params) {
	limit := max(1, int(request.GracePeriod()/time.Second))
	params.Timeouts.Drain, params.Timeouts.VolumeDetach = limit, min(limit, params.Timeouts.VolumeDetach)
	params.DrainPolicy = k8s.DrainForce
}
