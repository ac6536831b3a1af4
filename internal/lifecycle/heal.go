package lifecycle

import (
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func heal(f Facts, body json.RawMessage) (lcm.Plan, error) {
	req, err := lcm.ParseHeal(body)
	if err != nil {
		return lcm.Plan{}, err
	}
	plan := lcm.Plan{
		Operation: lcm.OpHeal, ScaleStatus: f.Instance.Instantiated.ScaleStatus, InstantiationLevelID: f.Instance.Instantiated.InstantiationLevelID,
	}
	if len(req.VnfcInstanceID) == 0 {
		why := "the entire VNF is healed, and what belongs to its VMs is kept"
		if plan.Whole = !f.keepsImages(req) && !f.healsInPlace(req); plan.Whole {
			why = "the entire VNF is made anew"
		}
		for _, v := range f.Instance.Instantiated.VnfcResources {
			plan.Leaving = append(plan.Leaving, f.leaving(v, why))
		}
		return plan, f.healStorage(&plan, req)
	}
	named, err := f.named("$.vnfcInstanceId", req.VnfcInstanceID)
	if err != nil {
		return plan, err
	}
	for _, v := range named {
		plan.Leaving = append(plan.Leaving, f.leaving(v, "the request names it"))
	}
	if err := f.healStorage(&plan, req); err != nil {
		return plan, err
	}
	return plan, f.keepsQuorum(plan)
}

// healsInPlace tells whether a heal that names no VNFC gives all of them new servers in the stack that is there: where
// the request says that storages are not replaced or, in the second version of the API, says nothing of them. So does
// Tacker, whose first version makes the stack anew. The VMs of a cluster cannot all go at once without the cluster.
func (f Facts) healsInPlace(req lcm.HealRequest) bool {
	keep, by := req.KeepsVolumes()
	return (keep || by == "" && f.APIVersion == 2) && f.Cluster == nil && f.RegistryServer == nil && len(f.Instance.Instantiated.VnfcResources) > 0
}

// keepsQuorum refuses to heal more control planes at once than etcd can miss.
func (f Facts) keepsQuorum(plan lcm.Plan) error {
	vdus := f.controlPlaneVdus()
	all, lost := 0, 0
	for _, v := range f.Instance.Instantiated.VnfcResources {
		if !slices.Contains(vdus, v.VduID) {
			continue
		}
		all++
		l := f.leaving(v, "")
		goes := slices.ContainsFunc(plan.Leaving, func(g lcm.LeavingVnfc) bool { return g.VnfcID == v.ID })
		if _, bad := f.Unhealthy[l.Node]; goes || bad {
			lost++
		}
	}
	leaves := slices.ContainsFunc(plan.Leaving, func(g lcm.LeavingVnfc) bool { return slices.Contains(vdus, g.VduID) })
	switch {
	case !leaves:
		return nil
	case all == 1:
		return lcm.Errorf(lcm.KindConflict, "The only control plane cannot be healed alone: the cluster's state is on it. Heal the entire VNF (without vnfcInstanceId).")
	case all-lost < all/2+1:
		return lcm.Errorf(lcm.KindConflict, "With %d of %d control planes gone or out of order, etcd has no quorum. "+
			"Heal fewer at once, those that are out of order first; when too many are, heal the entire VNF (without vnfcInstanceId).", lost, all)
	}
	return nil
}
