package lifecycle

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Switched tells which kinds of servers an OPERATE starts or stops.
type Switched struct {
	Workers, ControlPlanes bool
	// Others are servers that are no nodes of a cluster.
	Others bool
	// Cordoned is set when nodes among them were drained before they were stopped.
	Cordoned bool
}

// Switched tells which kinds of servers an OPERATE that carries out p starts or stops.
func (f Facts) Switched(p lcm.Plan) (s Switched) {
	nodes := f.Instance.Instantiated.Nodes
	for _, v := range p.Operated {
		at := slices.IndexFunc(nodes, func(n lcm.Node) bool { return f.Cluster != nil && n.ServerID == v.ServerID })
		switch {
		case at < 0:
			s.Others = true
		case nodes[at].Role == lcm.ControlPlane:
			s.ControlPlanes = true
		default:
			s.Workers = true
		}
		s.Cordoned = s.Cordoned || f.Instance.Instantiated.Cordoned(v.VnfcID)
	}
	return s
}

// operating is an OPERATE. A cluster is stopped from its edge inwards, and started the other way round.
func (l listing) operating() []Step {
	s := l.facts.Switched(l.plan)
	if l.plan.ChangeStateTo == lcm.VnfStopped {
		return join(l.granted(Step{ID: "decide-operate", Title: "Decide what is stopped"}), l.stopping(s))
	}
	return join(l.granted(Step{ID: "decide-operate", Title: "Decide what is started"}), l.starting(s))
}

// stopping stops workers first, then the control planes, one at a time, then what all of them stand on.
func (l listing) stopping(s Switched) []Step {
	drains := l.facts.Graceful && !l.plan.Whole && (s.Workers || s.ControlPlanes)
	return join(
		when(drains, Step{ID: "drain-stopping", Title: "Drain the nodes that stop", Undo: "they take pods again"}),
		when(s.Workers, Step{ID: "stop-workers", Title: "Stop the workers", Undo: "they are started, and Ready"}),
		when(s.ControlPlanes, Step{
			ID: "stop-control-planes", Title: "Stop the control planes", Undo: "they are started, and etcd works",
		}),
		when(s.Others, Step{ID: "stop-others", Title: l.others("Stop"), Undo: "they are started"}),
	)
}

// starting starts the control planes together: etcd answers only once a majority of its members does.
func (l listing) starting(s Switched) []Step {
	const undo = "those that were stopped before are stopped"
	list := join(
		when(s.Others, Step{ID: "start-others", Title: l.others("Start"), Undo: undo}),
		when(s.ControlPlanes, Step{ID: "start-control-planes", Title: "Start the control planes", Undo: undo}),
		when(s.Workers, Step{ID: "start-workers", Title: "Start the workers", Undo: undo}),
	)
	if !s.Workers && !s.ControlPlanes {
		return list
	}
	return join(
		list,
		[]Step{
			{ID: "wait-for-started", Title: "Wait until every node answers on SSH"},
			{ID: "tell-started", Title: "Make the nodes known to each other"},
			{ID: "wait-for-cluster", Title: "Wait until the cluster works"},
		},
		when(s.Cordoned, Step{ID: "uncordon-started", Title: "Let the nodes take pods again"}),
	)
}

// others names the step for servers that are no nodes: in a cluster they are load balancers or storage.
func (l listing) others(verb string) string {
	if l.cluster {
		return verb + " the other servers"
	}
	return verb + " the servers"
}
