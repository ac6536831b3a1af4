package lifecycle

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

var operate = kind{
	decides: true, plan: planned(planOperate), allowed: allowing(operateProblems), steps: operateSteps,
	opens: []Hook{OperateBegin}, closes: []Hook{OperateDone},
}

// planOperate chooses the VMs that an OPERATE starts or stops.
func planOperate(f Facts, req lcm.OperateRequest) (lcm.Plan, error) {
	info := f.Instance.Instantiated
	plan := lcm.Plan{
		Operation: req.Operation(), ScaleStatus: info.ScaleStatus, InstantiationLevelID: info.InstantiationLevelID,
		ChangeStateTo: req.ChangeStateTo,
	}
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
	if len(req.VnfcInstanceID)+len(req.VnfcIDs) == 0 {
		return f.Instance.Instantiated.VnfcResources, nil
	}
	named, err := f.named("$.vnfcInstanceId", req.VnfcInstanceID)
	if err != nil {
		return nil, err
	}
	also, err := f.named("$.additionalParams.vnfc_instance_ids", req.VnfcIDs)
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

func operateProblems(c descriptor.LcmOperations, req lcm.OperateRequest) []lcm.Problem {
	if req.GracefulStopTimeout != nil && *req.GracefulStopTimeout < c.MinStop {
		return refuse("$.gracefulStopTimeout", "the VNFD requires at least %d seconds (min_graceful_stop_timeout)", c.MinStop)
	}
	return nil
}

// operateSteps lists the steps of an OPERATE. A VNF is stopped from its edge inwards, and started the other way round.
// Containers are in front of servers. Servers that are no nodes stop last.
func operateSteps(l listing) []Step {
	if l.plan.ChangeStateTo == lcm.VnfStopped {
		return Join(
			l.granted(Step{ID: StepDecideOperate, Title: "Decide what is stopped"}),
			l.driversAt(OperateBegin),
			When(l.containers(), Step{ID: StepStopContainers, Title: "Stop the containers", Undo: "they are started"}),
			l.driversAt(OperateStart),
			When(l.others(), Step{ID: StepStopOthers, Title: "Stop " + l.nameOthers(), Undo: "they are started"}),
			l.driversAt(OperateDone),
		)
	}
	return Join(
		l.granted(Step{ID: StepDecideOperate, Title: "Decide what is started"}),
		l.driversAt(OperateBegin),
		When(l.others(), Step{ID: StepStartOthers, Title: "Start " + l.nameOthers(), Undo: StopAgain}),
		l.driversAt(OperateEnd),
		When(l.containers(), Step{ID: StepStartContainers, Title: "Start the containers", Undo: "they are stopped"}),
		When(l.containers(), Step{ID: StepFindStarted, Title: "Find the VNFCs"}), // Pods are made anew
		l.driversAt(OperateDone),
	)
}

// containers tells whether containers start or stop. In a VNF of containers only they do, even if it has no Pods.
func (l listing) containers() bool {
	if !l.facts.Flavour.Hybrid {
		return !l.facts.any(switchesVnfcs)
	}
	return slices.ContainsFunc(l.plan.Operated, func(v lcm.OperatedVnfc) bool { return v.Together })
}

// StopAgain says how to undo steps that start servers.
const StopAgain = "those that were stopped before are stopped"

// others tells whether servers that are not cluster nodes start or stop.
func (l listing) others() bool {
	nodes := l.facts.Instance.Instantiated.Nodes
	return slices.ContainsFunc(l.plan.Operated, func(v lcm.OperatedVnfc) bool {
		return l.facts.switched(v.VduID) && !slices.ContainsFunc(nodes, func(n lcm.Node) bool { return n.ServerID == v.ServerID })
	})
}

// nameOthers names these servers: in a cluster they are load balancers or storage.
func (l listing) nameOthers() string {
	if len(l.facts.Instance.Instantiated.Nodes) > 0 {
		return "the other servers"
	}
	return "the servers"
}
