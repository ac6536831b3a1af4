package lifecycle

import (
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// operate chooses the VMs that an OPERATE starts or stops.
func operate(f Facts, body json.RawMessage) (lcm.Plan, error) {
	info := f.Instance.Instantiated
	plan := lcm.Plan{Operation: lcm.OpOperate, ScaleStatus: info.ScaleStatus, InstantiationLevelID: info.InstantiationLevelID}
	req, err := lcm.ParseOperate(body)
	if err != nil {
		return plan, err
	}
	plan.ChangeStateTo = req.ChangeStateTo
	chosen, err := f.operated(req)
	if err != nil {
		return plan, err
	}
	for _, v := range chosen {
		l := f.leaving(v, "")
		plan.Operated = append(plan.Operated, lcm.OperatedVnfc{
			VnfcID: l.VnfcID, VduID: l.VduID, ServerID: l.ServerID, Node: l.Node, Was: info.StateOf(v.ID),
		})
	}
	plan.Whole = len(f.remaining(plan)) == 0
	return plan, f.keepsQuorumRunning(plan)
}

// operated are the VMs that the request names: all of them when it names none.
func (f Facts) operated(req lcm.OperateRequest) ([]lcm.VnfcResourceInfo, error) {
	if len(req.VnfcInstanceID)+len(req.AdditionalParams.VnfcIDs) == 0 {
		return f.Instance.Instantiated.VnfcResources, nil
	}
	named, err := f.named("$.vnfcInstanceId", req.VnfcInstanceID)
	if err != nil {
		return nil, err
	}
	also, err := f.named("$.additionalParams.vnfc_instance_ids", req.AdditionalParams.VnfcIDs)
	for _, v := range also {
		if !slices.ContainsFunc(named, func(n lcm.VnfcResourceInfo) bool { return n.ID == v.ID }) {
			named = append(named, v)
		}
	}
	return named, err
}

// remaining are the VMs that are in the other state when the plan is carried out.
func (f Facts) remaining(plan lcm.Plan) (out []lcm.VnfcResourceInfo) {
	for _, v := range f.Instance.Instantiated.VnfcResources {
		changes := slices.ContainsFunc(plan.Operated, func(o lcm.OperatedVnfc) bool { return o.VnfcID == v.ID })
		if !changes && f.Instance.Instantiated.StateOf(v.ID) != plan.ChangeStateTo {
			out = append(out, v)
		}
	}
	return out
}

// keepsQuorumRunning refuses to stop so many control planes of a cluster that goes on that etcd has no majority. A
// cluster that is stopped as a whole needs none.
func (f Facts) keepsQuorumRunning(plan lcm.Plan) error {
	vdus := f.controlPlaneVdus()
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
	for _, v := range f.remaining(plan) {
		if _, bad := f.Unhealthy[f.leaving(v, "").Node]; isControlPlane(v.VduID) && !bad {
			left++
		}
	}
	if left >= all/2+1 {
		return nil
	}
	return lcm.Errorf(lcm.KindConflict, "The cluster would lose the quorum of etcd: %d of %d control planes would run, and %d must. "+
		"Stop fewer of them, or the entire VNF (without vnfcInstanceId).", left, all, all/2+1)
}
