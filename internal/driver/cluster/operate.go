package cluster

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// switched tells which nodes an OPERATE starts or stops.
type switched struct {
	workers, controlPlanes bool
	// cordoned is set when nodes among them were drained before they were stopped.
	cordoned bool
}

func (l Listing) switched() (s switched) {
	info := l.Facts.Instance.Instantiated
	for _, v := range l.Plan.Operated {
		at := slices.IndexFunc(info.Nodes, func(n lcm.Node) bool { return n.ServerID == v.ServerID })
		if at >= 0 && info.Nodes[at].Role == lcm.ControlPlane {
			s.controlPlanes = true
		} else if at >= 0 {
			s.workers = true
		}
		s.cordoned = s.cordoned || info.Cordoned(v.VnfcID)
	}
	return s
}

// Stopping stops the workers first, then the control planes, one at a time.
func (l Listing) Stopping() []lifecycle.Step {
	s := l.switched()
	drains := l.Facts.Graceful && !l.Plan.Whole && (s.workers || s.controlPlanes)
	return lifecycle.Join(
		lifecycle.When(drains, lifecycle.Step{
			ID: "drain-stopping", Title: "Drain the nodes that stop", Undo: "they take pods again",
		}),
		lifecycle.When(s.workers, lifecycle.Step{
			ID: "stop-workers", Title: "Stop the workers", Undo: "they are started, and Ready",
		}),
		lifecycle.When(s.controlPlanes, lifecycle.Step{
			ID: "stop-control-planes", Title: "Stop the control planes", Undo: "they are started, and etcd works",
		}),
	)
}

// Starting starts the control planes together: etcd answers only when a majority of its members does.
func (l Listing) Starting() []lifecycle.Step {
	s := l.switched()
	if !s.workers && !s.controlPlanes {
		return nil
	}
	return lifecycle.Join(
		lifecycle.When(s.controlPlanes, lifecycle.Step{
			ID: "start-control-planes", Title: "Start the control planes", Undo: lifecycle.StopAgain,
		}),
		lifecycle.When(s.workers, lifecycle.Step{ID: "start-workers", Title: "Start the workers", Undo: lifecycle.StopAgain}),
		[]lifecycle.Step{
			{ID: "wait-for-started", Title: "Wait until every node answers on SSH"},
			{ID: "tell-started", Title: "Make the nodes known to each other"},
			{ID: "wait-for-cluster", Title: "Wait until the cluster works"},
		},
		lifecycle.When(s.cordoned, lifecycle.Step{ID: "uncordon-started", Title: "Let the nodes take pods again"}),
	)
}
