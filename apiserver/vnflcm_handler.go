package apiserver

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Starter is the way from here to the workflows.
type Starter interface {
	// Start starts the operation's workflow. Starting one that runs already is no error.
	Start(ctx context.Context, in lcm.OperationInput, title string) error
	// Act asks a running workflow for a retry, rollback, fail or cancel. A refusal is a Conflict, a
	// workflow that cannot be reached Unavailable.
	Act(ctx context.Context, id lcm.OpOccID, action lcm.Action, cancel lcm.CancelRequest) error
}

// NFVOPackages are the VNF packages that an NFVO has.
type NFVOPackages interface {
	// HasPackage tells whether there is one of that VNFD that may be used.
	HasPackage(ctx context.Context, id lcm.VnfdID) (bool, error)
}
