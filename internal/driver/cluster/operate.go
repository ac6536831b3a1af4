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
			ID: StepDrainStopping, Title: "Drain the nodes that stop", Undo: "they take pods again",
		}),
		lifecycle.When(s.workers, lifecycle.Step{
			ID: StepStopWorkers, Title: "Stop the workers", Undo: "they are started, and Ready",
		}),
		lifecycle.When(s.controlPlanes, lifecycle.Step{
			ID: StepStopControlPlanes, Title: "Stop the control planes", Undo: "they are started, and etcd works",
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
			ID: StepStartControlPlanes, Title: "Start the control planes", Undo: lifecycle.StopAgain,
		}),
		lifecycle.When(s.workers, lifecycle.Step{ID: StepStartWorkers, Title: "Start the workers", Undo: lifecycle.StopAgain}),
		[]lifecycle.Step{
			{ID: StepWaitForStarted, Title: "Wait until every node answers on SSH"},
			{ID: StepTellStarted, Title: "Make the nodes known to each other"},
			{ID: StepWaitForCluster, Title: "Wait until the cluster works"},
		},
		lifecycle.When(s.cordoned, lifecycle.Step{ID: StepUncordonStarted, Title: "Let the nodes take pods again"}),
	)
}
