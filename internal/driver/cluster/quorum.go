package cluster

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// KeepsQuorumRunning refuses to stop control planes if etcd would lose its majority while the cluster goes on. A
// cluster that stops as a whole needs none.
func (c *Common) KeepsQuorumRunning(f lifecycle.Facts, plan lcm.Plan) error {
	vdus := c.ControlPlaneVdus(f)
	isControlPlane := func(vdu string) bool { return slices.Contains(vdus, vdu) }
	stops := slices.ContainsFunc(plan.Operated, func(o lcm.OperatedVnfc) bool { return isControlPlane(o.VduID) })
	if plan.ChangeStateTo != lcm.VnfStopped || plan.Whole || !stops {
		return nil
	}
	all, left := 0, 0
	for _, v := range f.Instance.Instantiated.VnfcResources {
		if isControlPlane(v.VduID) {
			all++
		}
	}
	for _, v := range f.Remaining(plan) {
		if _, bad := f.Unhealthy[f.Leaving(v, "").Node]; isControlPlane(v.VduID) && !bad {
			left++
		}
	}
	if left >= all/2+1 {
		return nil
	}
	return lcm.Errorf(lcm.KindConflict, "The cluster would lose the quorum of etcd: %d of %d control planes would "+
		"run, but etcd needs %d. Stop fewer of them, or the entire VNF (without vnfcInstanceId).", left, all, all/2+1)
}
