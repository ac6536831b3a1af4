package lifecycle

import (
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// operate chooses the VMs that an OPERATE starts or stops.
func operate(f Facts, body json.RawMessage) (lcm.Plan, error) {
	info := f.Instance.Instantiated
	plan := lcm.Plan{
		Operation: lcm.OpOperate, ScaleStatus: info.ScaleStatus, InstantiationLevelID: info.InstantiationLevelID,
	}
	req, err := lcm.ParseOperate(body)
	if err != nil {
		return plan, err
	}
	plan.ChangeStateTo = req.ChangeStateTo
	chosen, err := f.operated(req)
	if err != nil {
		return plan, err
	}
	together := func(v lcm.VnfcResourceInfo) bool { return !f.switched(v.VduID) }
	if n := count(chosen, together); n > 0 && n < count(info.VnfcResources, together) {
		return plan, invalid("$.vnfcInstanceId", "Windlass stops and starts all containers of a VNF together: name "+
			"all of them, or none; or scale the VNF in")
	}
	for _, v := range chosen {
		l := f.Leaving(v, "")
		plan.Operated = append(plan.Operated, lcm.OperatedVnfc{
			VnfcID: l.VnfcID, VduID: l.VduID, ServerID: l.ServerID, Node: l.Node, Was: info.StateOf(v.ID),
			Together: f.Flavour.Hybrid && together(v),
		})
	}
	plan.Whole = len(f.Remaining(plan)) == 0
	return plan, nil
}

func count(of []lcm.VnfcResourceInfo, is func(lcm.VnfcResourceInfo) bool) (n int) {
	for _, v := range of {
		if is(v) {
			n++
		}
	}
	return n
}

// operated are the VMs that the request names, or all VMs when it names none.
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

// Remaining are the VMs in the other state after the plan.
func (f Facts) Remaining(plan lcm.Plan) (out []lcm.VnfcResourceInfo) {
	for _, v := range f.Instance.Instantiated.VnfcResources {
		changes := slices.ContainsFunc(plan.Operated, func(o lcm.OperatedVnfc) bool { return o.VnfcID == v.ID })
		if !changes && f.Instance.Instantiated.StateOf(v.ID) != plan.ChangeStateTo {
			out = append(out, v)
		}
	}
	return out
}
