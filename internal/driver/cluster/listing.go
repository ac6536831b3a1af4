package cluster

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// Listing makes those steps of a cluster in one operation that do not depend on how it is installed.
type Listing struct {
	Cluster *Cluster
	Facts   lifecycle.Facts
	Plan    lcm.Plan
}

// Deregistered is first of all at a termination: a cluster that still carries other VNFs must not lose its servers.
func (l Listing) Deregistered() []lifecycle.Step {
	return lifecycle.Join(
		lifecycle.When(l.Facts.TerminatesVnfs,
			lifecycle.Step{ID: "terminate-vnfs", Title: "Terminate the VNFs on the cluster", Final: true}),
		[]lifecycle.Step{{ID: "deregister-cluster", Title: "Deregister the cluster", Final: true}},
	)
}

// Finished are the last steps that make a cluster: what needs all nodes, storage, and the registration.
func (l Listing) Finished() []lifecycle.Step {
	return lifecycle.Join(
		[]lifecycle.Step{{ID: "finish-nodes", Title: "Label the nodes and wait until they are Ready"}},
		l.StorageMade(),
		l.StorageUsed(),
	)
}

// Registered makes the cluster known to others.
func (Listing) Registered() []lifecycle.Step {
	return []lifecycle.Step{
		{ID: "register-cluster", Title: "Register the cluster as a VIM", Undo: "the VIM is deregistered"},
	}
}

// Drained takes nodes that leave out of use.
func (Listing) Drained() []lifecycle.Step {
	return []lifecycle.Step{{ID: "drain-leaving", Title: "Drain the nodes that leave", Undo: "they take pods again"}}
}

// MountedOnNew lets new nodes mount what the storage server exports.
func (l Listing) MountedOnNew() []lifecycle.Step {
	return lifecycle.When(l.storage(),
		lifecycle.Step{ID: "mount-on-new-nodes", Title: "Let every new node mount the exports"})
}

// Connecting lets new nodes pull from the registries of the request.
func (l Listing) Connecting(title string) []lifecycle.Step {
	return lifecycle.When(len(l.Cluster.Params.PrivateRegistries) > 0,
		lifecycle.Step{ID: "connect-registries", Title: title})
}

// RegistriesChanged gives all nodes of a cluster that is in use the registries of a modification. A node that is dead
// is found before any is changed: it would hold the step up when the others have the new registries.
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

// Instead are the steps in the place of s, one of the infrastructure: nodes leave the cluster before their servers are
// deleted, and the others forget them.
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
