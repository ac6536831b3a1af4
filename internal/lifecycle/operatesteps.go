package lifecycle

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// operating is an OPERATE. A VNF is stopped from its edge inwards, the servers last that are no nodes, and started the
// other way round.
func (l listing) operating() []Step {
	if !l.facts.vim().SwitchesVnfcs {
		return l.operatingContainers()
	}
	if l.plan.ChangeStateTo == lcm.VnfStopped {
		return Join(
			l.granted(Step{ID: "decide-operate", Title: "Decide what is stopped"}),
			l.driversAt(OperateStart),
			When(l.others(), Step{ID: "stop-others", Title: "Stop " + l.nameOthers(), Undo: "they are started"}),
		)
	}
	return Join(
		l.granted(Step{ID: "decide-operate", Title: "Decide what is started"}),
		When(l.others(), Step{ID: "start-others", Title: "Start " + l.nameOthers(), Undo: StopAgain}),
		l.driversAt(OperateEnd),
	)
}

// operatingContainers is an OPERATE of a VNF whose Pods are made anew when it is started.
func (l listing) operatingContainers() []Step {
	if l.plan.ChangeStateTo == lcm.VnfStopped {
		return Join(
			l.granted(Step{ID: "decide-operate", Title: "Decide what is stopped"}),
			[]Step{{ID: "stop-containers", Title: "Stop the containers", Undo: "they are started"}},
		)
	}
	return Join(
		l.granted(Step{ID: "decide-operate", Title: "Decide what is started"}),
		[]Step{
			{ID: "start-containers", Title: "Start the containers", Undo: "they are stopped"},
			{ID: "find-started", Title: "Find the VNFCs"},
		},
	)
}

// StopAgain says how steps are undone that start servers.
const StopAgain = "those that were stopped before are stopped"

// others tells whether servers start or stop that are no nodes of a cluster.
func (l listing) others() bool {
	nodes := l.facts.Instance.Instantiated.Nodes
	return slices.ContainsFunc(l.plan.Operated, func(v lcm.OperatedVnfc) bool {
		return !slices.ContainsFunc(nodes, func(n lcm.Node) bool { return n.ServerID == v.ServerID })
	})
}

// nameOthers names them: in a cluster they are load balancers or storage.
func (l listing) nameOthers() string {
	if len(l.facts.Instance.Instantiated.Nodes) > 0 {
		return "the other servers"
	}
	return "the servers"
}
