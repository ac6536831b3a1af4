package worker

import (
	"context"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/deployments"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Surveyor asks VIMs about operations that have not begun. The API server has its own, so that a plan does not wait for
// a worker.
type Surveyor struct {
	deployments *deployments.Deployments
	vims        *connections
	python      bool
}

// NewSurveyor makes a Surveyor with a worker's options. python tells whether workers run user data classes of packages.
func NewSurveyor(o Options, python bool) *Surveyor {
	ops := &operations.Resolver{
		Store: o.Store, Vault: o.Vault, Scripts: o.Scripts.Policy,
	}
	o.UserData = nil
	return &Surveyor{
		deployments: &deployments.Deployments{Operations: ops, Definers: definers(o.VimKinds, ops, o)},
		vims:        &connections{operations: ops, to: connectors(o.VimKinds, o.reach()), open: map[string]*login{}},
		python:      python,
	}
}

const (
	decidedByClass = "The user data class of the package decides what Windlass sends to the VIM, so Windlass did not " +
		"look for networks, images and flavours."
	comesLater = "Images of the package are not in the VIM yet, so Windlass did not check the resources that use them."
)

// Survey says what the VIMs would refuse of an operation, and for what they have no room. For an instantiation it asks
// about all new resources; for another operation it asks only about room. unasked says what it could not ask, and why.
func (s *Surveyor) Survey(
	ctx context.Context, op *operations.Operation, q *lifecycle.Quota,
) (problems []string, unasked string, err error) {
	given, err := secrets.Clear(op.OpOcc.Params) // nobody has sealed the secrets
	if err != nil {
		return nil, "", err
	}
	to, err := s.deployments.Operations.Vims(ctx, op)
	if err != nil {
		return nil, "", err
	}
	on, err := s.vims.connectAll(ctx, to)
	if err != nil {
		return nil, "", err
	}
	surveyor, err := vim.As[vim.Surveyor](on, "say in advance what it would refuse")
	if err != nil {
		return nil, "", err
	}
	var d vim.Deployment
	switch whole := op.OpOcc.Operation.Makes(); {
	case whole && !lcm.ParseUserData(op.Request.AdditionalParams).BuiltIn(s.python):
		unasked = decidedByClass
	case whole:
		if d, err = s.deployments.Of(ctx, op); err != nil {
			return nil, "", err
		}
	}
	d.Secrets = append(d.Secrets, given...)
	problems, err = surveyor.Survey(ctx, d, roomOf(q))
	if left := slices.DeleteFunc(slices.Clone(problems), func(p string) bool { return namesImage(p, op) }); len(left) <
		len(problems) {
		problems, unasked = left, comesLater
	}
	return problems, unasked, err
}

// namesImage tells whether a problem is about an image that the operation uploads to the VIM.
func namesImage(problem string, op *operations.Operation) bool {
	for _, image := range op.Flavour.PackagedImages() {
		if strings.Contains(problem, image.Name) {
			return true
		}
	}
	return false
}

func roomOf(q *lifecycle.Quota) (room vim.Room) {
	if q == nil {
		return room
	}
	room = vim.Room{Servers: q.Instances, Ports: q.Ports, Volumes: q.Volumes}
	if q.Cores != nil {
		room.Cores = *q.Cores
	}
	if q.RAM != nil {
		room.RAM = *q.RAM
	}
	return room
}
