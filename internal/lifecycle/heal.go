package lifecycle

import (
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func heal(f Facts, body json.RawMessage) (lcm.Plan, error) {
	req, err := lcm.ParseHeal(body)
	if err != nil {
		return lcm.Plan{}, err
	}
	plan := lcm.Plan{
		Operation: lcm.OpHeal, ScaleStatus: f.Instance.Instantiated.ScaleStatus,
		InstantiationLevelID: f.Instance.Instantiated.InstantiationLevelID,
	}
	if len(req.VnfcInstanceID) == 0 {
		why := "the entire VNF is healed, and what belongs to its VMs is kept"
		if plan.Whole = !f.healsInPlace(req); plan.Whole {
			why = "the entire VNF is made anew"
		}
		for _, v := range f.Instance.Instantiated.VnfcResources {
			plan.Leaving = append(plan.Leaving, f.Leaving(v, why))
		}
		return plan, f.healVolumes(&plan, req)
	}
	named, err := f.named("$.vnfcInstanceId", req.VnfcInstanceID)
	if err != nil {
		return plan, err
	}
	for _, v := range named {
		plan.Leaving = append(plan.Leaving, f.Leaving(v, "the request names it"))
	}
	return plan, f.healVolumes(&plan, req)
}

// healsInPlace tells whether a heal that names no VNFC replaces all servers in the existing deployment. It does if the
// request says not to replace storages or, in version 2 of the API, does not mention them. Tacker does the same;
// version 1 of its API makes the deployment anew. A driver may say otherwise.
func (f Facts) healsInPlace(req lcm.HealRequest) bool {
	for d := range only[Healer](f.Drivers) {
		return d.HealsInPlace(req)
	}
	keep, by := req.KeepsVolumes()
	return (keep || by == "" && f.APIVersion == 2) && len(f.Instance.Instantiated.VnfcResources) > 0
}
