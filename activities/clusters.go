package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// Clusters tells what the cluster of an operation is to be.
type Clusters interface {
	Cluster(ctx context.Context, id lcm.OpOccID) (ClusterContext, error)
}

// ClusterContext is what the activities on nodes need beside their input. It stays in the worker: the
// history never sees it.
type ClusterContext struct {
	Instance lcm.VnfInstance
	Params   k8s.Params
	// FormerRegistries are those that a modification replaces.
	FormerRegistries []k8s.PrivateRegistry
	// Access is how servers of a role are reached.
	Access func(role lcm.Role) lifecycle.Access
	// RegistryServer is set when the VNF is a registry of images; Params are empty then.
	RegistryServer *registry.Params
	// AptKey is the armored key of Params.AptRepository when that is not in the package.
	AptKey []byte
	// PodNetwork is the manifest of the pod network when the package has none.
	PodNetwork []byte
	// PackageFile reads a file of the VNF package.
	PackageFile func(ctx context.Context, path string) ([]byte, error)
}
