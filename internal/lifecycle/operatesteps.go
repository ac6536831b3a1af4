package lifecycle

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// operating lists the steps of an OPERATE. A VNF is stopped from its edge inwards, and started the other way round.
// Containers are in front of servers. Servers that are no nodes stop last.
func (l listing) operating() []Step {
	if l.plan.ChangeStateTo == lcm.VnfStopped {
		return Join(
			l.granted(Step{ID: "decide-operate", Title: "Decide what is stopped"}),
			l.driversAt(OperateBegin),
			When(l.containers(), Step{ID: "stop-containers", Title: "Stop the containers", Undo: "they are started"}),
			l.driversAt(OperateStart),
			When(l.others(), Step{ID: "stop-others", Title: "Stop " + l.nameOthers(), Undo: "they are started"}),
			l.driversAt(OperateDone),
		)
	}
	return Join(
		l.granted(Step{ID: "decide-operate", Title: "Decide what is started"}),
		l.driversAt(OperateBegin),
		When(l.others(), Step{ID: "start-others", Title: "Start " + l.nameOthers(), Undo: StopAgain}),
		l.driversAt(OperateEnd),
		When(l.containers(), Step{ID: "start-containers", Title: "Start the containers", Undo: "they are stopped"}),
		When(l.containers(), Step{ID: "find-started", Title: "Find the VNFCs"}), // Pods are made anew
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
