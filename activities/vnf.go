package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// Vnfs returns the VNF of an operation.
type Vnfs interface {
	Vnf(ctx context.Context, id lcm.OpOccID) (VnfContext, error)
}

// VnfContext is what the activities on all VNFs' nodes need in addition to their input. It stays in the worker and
// never enters the history. Activities of one driver get further data from that driver.
type VnfContext struct {
	// OpOcc is the operation, and Instance the VNF.
	OpOcc    lcm.VnfLcmOpOcc
	Instance lcm.VnfInstance
	// Own is the operation's own request.
	Own lcm.Request
	// Former is the VNF instance before a modification; empty for any other operation.
	Former lcm.VnfInstance
	// Drivers are the VNF's drivers, with its parameters.
	Drivers []lifecycle.VnfDriver
	// PackageFile reads a file of the VNF package.
	PackageFile func(ctx context.Context, path string) ([]byte, error)
}

// Access is the access data for servers of a role.
func (v VnfContext) Access(role lcm.Role) lifecycle.Access {
	access, _ := lifecycle.AccessTo(v.Drivers, role)
	return access
}

// OptionalFile reads an optional file of the package, nil when the request names none.
func (v VnfContext) OptionalFile(ctx context.Context, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	return v.PackageFile(ctx, path)
}
