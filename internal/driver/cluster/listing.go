package cluster

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// Listing makes the steps of a cluster in one operation that do not depend on how the cluster is installed.
type Listing struct {
	Cluster *Common
	Facts   lifecycle.Facts
	Plan    lcm.Plan
}

// Deregistered comes first in a termination: a cluster that still carries other VNFs must not lose its servers.
func (l Listing) Deregistered() []lifecycle.Step {
	return lifecycle.Join(
		lifecycle.When(l.Facts.TerminatesVnfs,
			lifecycle.Step{ID: StepTerminateVnfs, Title: "Terminate the VNFs on the cluster", Final: true}),
		[]lifecycle.Step{{ID: StepDeregisterCluster, Title: "Deregister the cluster", Final: true}},
	)
}

// Finished are the last steps that make a cluster: work that needs all nodes, storage, and the registration.
func (l Listing) Finished() []lifecycle.Step {
	return lifecycle.Join(
		[]lifecycle.Step{{ID: StepFinishNodes, Title: "Label the nodes and wait until they are Ready"}},
		l.StorageMade(),
		l.StorageUsed(),
	)
}

// Registered registers the cluster as a VIM.
func (Listing) Registered() []lifecycle.Step {
	return []lifecycle.Step{
		{ID: StepRegisterCluster, Title: "Register the cluster as a VIM", Undo: "the VIM is deregistered"},
	}
}

// Drained takes leaving nodes out of use.
func (Listing) Drained() []lifecycle.Step {
	return []lifecycle.Step{{ID: StepDrainLeaving, Title: "Drain the nodes that leave", Undo: "they take pods again"}}
}

// MountedOnNew lets new nodes mount the exports of the storage server.
func (l Listing) MountedOnNew() []lifecycle.Step {
	return lifecycle.When(l.storage(),
		lifecycle.Step{ID: StepMountOnNewNodes, Title: "Let every new node mount the exports"})
}

// Connecting lets new nodes pull from the registries of the request.
func (l Listing) Connecting(title string) []lifecycle.Step {
	return lifecycle.When(len(l.Cluster.Params.PrivateRegistries) > 0,
		lifecycle.Step{ID: StepConnectRegistries, Title: title})
}

// RegistriesChanged gives all nodes of a cluster in use the registries of a modification. It finds a dead node before
// it changes any: otherwise that node would hold the step up after the others have the new registries.
func (l Listing) RegistriesChanged() []lifecycle.Step {
	if !l.Facts.ChangesRegistries {
		return nil
	}
	return []lifecycle.Step{
		{ID: StepReachNodes, Title: "See that every node answers"},
		{
			ID: StepReconnectRegistries, Title: "Connect every node to the registries",
			Undo: "every node gets its former registries",
		},
	}
}

// ForgetReplaced is the last step of a heal.
func (Listing) ForgetReplaced() []lifecycle.Step {
	return []lifecycle.Step{{ID: StepForgetReplacedNodes, Title: "Forget the nodes that have left"}}
}

// Instead returns the steps that replace s, a step of the infrastructure. Nodes leave the cluster before their servers
// are deleted, and the other nodes forget them.
func (Listing) Instead(s lifecycle.Step) ([]lifecycle.Step, bool) {
	switch s.ID {
	case lifecycle.StepRemoveServers:
		s.ID = StepRemoveNodes
	case lifecycle.StepFindRemaining:
		s.ID, s.Title = StepForgetRemovedNodes, "Forget the nodes that have left"
	case lifecycle.StepReplaceServers, lifecycle.StepReplaceServersRevocably:
		s.ID, s.Undo, s.Final = StepReplaceNodes, "", true
	default:
		return nil, false
	}
	return []lifecycle.Step{s}, true
}
