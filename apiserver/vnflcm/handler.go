// Package vnflcm is VNF lifecycle management of SOL003: instances, operations and snapshots in /vnflcm/v1 and v2, and
// Windlass's additions about plans and grants. Both versions share one domain model.
package vnflcm

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// Handler serves VNF lifecycle management.
type Handler struct {
	*rest.Backend
	Starter Starter
	// Operations reads the instance and the package of a request.
	Operations *operations.Resolver
	// Surveyor asks VIMs about plans; nil asks none.
	Surveyor Surveyor
	// GrantedByNFVO tells that an NFVO grants operations: it may have the networks and the VIM that a request lacks.
	GrantedByNFVO bool
	// Python tells whether workers run the user data classes of packages.
	Python bool
	// Ansible tells whether workers run playbooks of packages.
	Ansible bool
	// PodNetwork tells that the operator has a pod network for clusters whose request names none.
	PodNetwork bool
	// SkipTackerV1 tells that workers skip management drivers of Tacker's v1.
	SkipTackerV1 bool
	// NFVOPackages asks the NFVO for VNFDs that are not on board here; nil asks nobody. FetchPatience is how long a
	// request waits for such a package.
	NFVOPackages  NFVOPackages
	FetchPatience time.Duration
	// Files fetches manifests and charts that are not in VNF packages; nil fetches none.
	Files Files
}

// Files fetches the manifests and charts that requests name by URLs.
type Files interface {
	// Fetch reads a source. A source that the operator does not allow is Denied; a faulty one is Invalid.
	Fetch(ctx context.Context, s cnf.Source) ([]byte, error)
}

// Surveyor asks the VIMs about an operation that has not begun: what they would refuse, and what they have no room for.
type Surveyor interface {
	// Survey returns one sentence for each problem. unasked names the checks that were left out, and why. An error says
	// why the VIM could not tell. The quota is nil if it is not known.
	Survey(ctx context.Context, op *operations.Operation, q *lifecycle.Quota) (problems []string, unasked string, err error)
}

// Starter is the way from here to the workflows.
type Starter interface {
	// Start starts the operation's workflow. It is no error if the workflow runs already.
	Start(ctx context.Context, in lcm.OperationInput) error
	// Act asks a running workflow for a retry, rollback, fail or cancel. A refusal is a Conflict, a
	// workflow that cannot be reached Unavailable.
	Act(ctx context.Context, id lcm.OpOccID, action lcm.Action, cancel lcm.CancelRequest) error
}

// api is one version of /vnflcm.
type api struct {
	*Handler
	*dialect
}

// Routes are the routes of one version of /vnflcm, below its prefix.
func (h *Handler) Routes(root rest.Root) []rest.Route {
	a := h.version(root)
	routes := append(a.routes(), a.taskRoutes()...)
	if a.Number == 2 {
		routes = append(routes, a.snapshotRoutes()...)
	}
	return routes
}

func (h *Handler) version(root rest.Root) *api {
	if root.Number == dialectV1.Number {
		return &api{h, &dialectV1}
	}
	return &api{h, &dialectV2}
}

// Extensions are the routes of plans and grants below /windlass/v1.
func (h *Handler) Extensions() []rest.Route {
	const opOcc = "/vnf_lcm_op_occs/:vnfLcmOpOccId"
	return []rest.Route{
		rest.Post("/vnf_instances/:vnfInstanceId/plan", h.planOperation),
		rest.Post("/vnf_instances/:vnfInstanceId/clean_up", h.cleanUp),
		rest.Get(opOcc+"/plan", h.keptPlan),
		rest.Get(opOcc+"/grant", h.operationGrant),
	}
}

// NFVOPackages are the VNF packages that an NFVO has.
type NFVOPackages interface {
	// HasPackage tells whether a usable package of that VNFD exists.
	HasPackage(ctx context.Context, id lcm.VnfdID) (bool, error)
}
