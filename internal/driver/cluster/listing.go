package cluster

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// Listing makes the steps of a cluster in one operation that do not depend on how the cluster is installed.
type Listing struct {
	Cluster *Cluster
	Facts   lifecycle.Facts
	Plan    lcm.Plan
}

// Deregistered comes first in a termination: a cluster that still carries other VNFs must not lose its servers.
func (l Listing) Deregistered() []lifecycle.Step {
	return lifecycle.Join(
		lifecycle.When(l.Facts.TerminatesVnfs,
			lifecycle.Step{ID: "terminate-vnfs", Title: "Terminate the VNFs on the cluster", Final: true}),
		[]lifecycle.Step{{ID: "deregister-cluster", Title: "Deregister the cluster", Final: true}},
	)
}

// Finished are the last steps that make a cluster: work that needs all nodes, storage, and the registration.
func (l Listing) Finished() []lifecycle.Step {
	return lifecycle.Join(
		[]lifecycle.Step{{ID: "finish-nodes", Title: "Label the nodes and wait until they are Ready"}},
		l.StorageMade(),
		l.StorageUsed(),
	)
}

// Registered registers the cluster as a VIM.
func (Listing) Registered() []lifecycle.Step {
	return []lifecycle.Step{
		{ID: "register-cluster", Title: "Register the cluster as a VIM", Undo: "the VIM is deregistered"},
	}
}

// Drained takes leaving nodes out of use.
func (Listing) Drained() []lifecycle.Step {
	return []lifecycle.Step{{ID: "drain-leaving", Title: "Drain the nodes that leave", Undo: "they take pods again"}}
}

// MountedOnNew lets new nodes mount the exports of the storage server.
func (l Listing) MountedOnNew() []lifecycle.Step {
	return lifecycle.When(l.storage(),
		lifecycle.Step{ID: "mount-on-new-nodes", Title: "Let every new node mount the exports"})
}

// Connecting lets new nodes pull from the registries of the request.
func (l Listing) Connecting(title string) []lifecycle.Step {
	return lifecycle.When(len(l.Cluster.Params.PrivateRegistries) > 0,
		lifecycle.Step{ID: "connect-registries", Title: title})
}

// RegistriesChanged gives all nodes of a cluster in use the registries of a modification. It finds a dead node before
// it changes any: otherwise that node would hold the step up after the others have the new registries.
func (l Listing) RegistriesChanged() []lifecycle.Step {
	if !l.Facts.ChangesRegistries {
		return nil
	}
	return []lifecycle.Step{
		{ID: "reach-nodes", Title: "See that every node answers"},
		{
			ID: "reconnect-registries", Title: "Connect every node to the registries",
			Undo: "every node gets its former registries",
		},
	}
}

// ForgetReplaced is the last step of a heal.
func (Listing) ForgetReplaced() []lifecycle.Step {
	return []lifecycle.Step{{ID: "forget-replaced-nodes", Title: "Forget the nodes that have left"}}
}

// Instead returns the steps that replace s, a step of the infrastructure. Nodes leave the cluster before their servers
// are deleted, and the other nodes forget them.
func (Listing) Instead(s lifecycle.Step) ([]lifecycle.Step, bool) {
	switch s.ID {
	case lifecycle.RemoveServers:
		s.ID = "remove-nodes"
	case lifecycle.FindRemaining:
		s.ID, s.Title = "forget-removed-nodes", "Forget the nodes that have left"
	case lifecycle.ReplaceServers, lifecycle.ReplaceServersRevocably:
		s.ID, s.Undo, s.Final = "replace-nodes", "", true
	default:
		return nil, false
	}
	return []lifecycle.Step{s}, true
}
