// Package deployments makes the definitions that VIMs get for a VNF, from the operation's package and request: what to
// deploy, what to change and how to remove it. It calls no VIM; the definer for the VIM's type makes the definitions.
package deployments

import (
	"cmp"
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// defaultTimeout is how long the VIM may take for a deployment; Tacker's is 10 to 20 minutes, too short for a slow
// cloud.
const defaultTimeout = 30 * time.Minute

// Deployments gives activities the definitions for VIMs; it implements activities.Deployments.
type Deployments struct {
	Operations *operations.Resolver
	// Definers make definitions for VIMs, by their type.
	Definers map[string]Definer
}

// Definer makes definitions for VIMs of one type, including the secrets.
type Definer interface {
	// Whole defines a VNF as it is, or as it is instantiated.
	Whole(ctx context.Context, of *operations.Operation) (vim.Definition, []string, error)
	// Sized defines a change of a VNF to the given sizes.
	Sized(ctx context.Context, of *operations.Operation, sizes vim.Sizes) (vim.Definition, []string, error)
	// Redefined defines the change of a VNF to what its operation makes of it, at the given sizes. Grown, it also keeps
	// what the VNF has before (Operation.Before) and not afterwards. Recorded, it is the VNF as it was before.
	Redefined(ctx context.Context, of *operations.Operation, sizes vim.Sizes) (vim.Definition, []string, error)
	// Renewed defines a change of a VNF's connections; the mark tells it from other changes.
	Renewed(ctx context.Context, of *operations.Operation, mark string) (vim.Definition, []string, error)
}

// Name is the name of a VNF's deployment. It depends on the instance only, so that every operation, retry and rollback
// finds the same deployment.
func Name(id lcm.VnfInstanceID) string { return lcm.DeploymentName(id) }

// DeploymentName implements activities.Deployments.
func (d *Deployments) DeploymentName(ctx context.Context, id lcm.OpOccID) (name, owner string, err error) {
	opOcc, err := d.Operations.OpOcc(ctx, id)
	if err != nil {
		return "", "", err
	}
	return Name(opOcc.VnfInstanceID), Owner(opOcc.VnfInstanceID), nil
}

// Owner is the owner of a VNF's resources in the VIM.
func Owner(id lcm.VnfInstanceID) string { return "windlass-vnf-" + string(id) }

// Deployment implements activities.Deployments.
func (d *Deployments) Deployment(ctx context.Context, id lcm.OpOccID) (vim.Deployment, error) {
	op, definer, err := d.load(ctx, id)
	if err != nil {
		return vim.Deployment{}, err
	}
	return d.defined(ctx, op, definer)
}

// Of is the deployment of an operation that need not exist.
func (d *Deployments) Of(ctx context.Context, op *operations.Operation) (vim.Deployment, error) {
	definer, err := d.DefinerOf(ctx, op)
	if err != nil {
		return vim.Deployment{}, err
	}
	return d.defined(ctx, op, definer)
}

func (*Deployments) defined(ctx context.Context, op *operations.Operation, definer Definer) (vim.Deployment, error) {
	definition, opened, err := definer.Whole(ctx, op)
	return vim.Deployment{
		Name: Name(op.Instance.ID), Owner: Owner(op.Instance.ID), Operation: tag(op.OpOcc.ID), Definition: definition,
		Timeout: timeout(op), Secrets: opened,
	}, err
}

// Change implements activities.Deployments.
func (d *Deployments) Change(
	ctx context.Context, id lcm.OpOccID, sizes vim.Sizes,
) (ch vim.Change, servers []string, err error) {
	op, definer, err := d.load(ctx, id)
	if err != nil {
		return ch, nil, err
	}
	ch = changeOf(op)
	ch.Undo = sizes == vim.SizesRecorded
	if op.Before != nil {
		ch.Definition, ch.Secrets, err = definer.Redefined(ctx, op, sizes)
		return ch, op.Servers(), err
	}
	if sizes == vim.SizesRecorded {
		asRecorded(op)
	}
	ch.Definition, ch.Secrets, err = definer.Sized(ctx, op, sizes)
	return ch, op.Servers(), err
}

// Reconnection implements activities.Deployments.
func (d *Deployments) Reconnection(ctx context.Context, id lcm.OpOccID, asBefore bool) (ch vim.Change, err error) {
	op, definer, err := d.load(ctx, id)
	if err != nil {
		return ch, err
	}
	mark := string(id)
	if asBefore {
		asRecorded(op)
		mark += " taken back"
	}
	ch = changeOf(op)
	ch.Undo = asBefore
	ch.Definition, ch.Secrets, err = definer.Renewed(ctx, op, mark)
	return ch, err
}

// Repackaging implements activities.Deployments.
func (d *Deployments) Repackaging(ctx context.Context, id lcm.OpOccID, asBefore bool) (ch vim.Change, err error) {
	op, err := d.Operations.Load(ctx, id)
	if err != nil {
		return ch, err
	}
	if asBefore && op.Before != nil {
		op = op.Before
	}
	definer, err := d.DefinerOf(ctx, op)
	if err != nil {
		return ch, err
	}
	ch = changeOf(op)
	ch.Undo = asBefore
	ch.Definition, ch.Secrets, err = definer.Whole(ctx, op)
	ch.Definition = repackaged(ch.Definition)
	return ch, err
}

// Recorded implements activities.Deployments.
func (d *Deployments) Recorded(ctx context.Context, id lcm.OpOccID) ([]record.Vnfc, error) {
	op, err := d.Operations.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	return record.Vnfcs(op.Instance.Instantiated), nil
}

// Links implements activities.Deployments.
func (d *Deployments) Links(ctx context.Context, id lcm.OpOccID) (before, after []lcm.ExtVirtualLink, err error) {
	op, err := d.Operations.Load(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if op.Instance.Instantiated != nil {
		before = op.Instance.Instantiated.ExtVirtualLinks
	}
	return before, op.Request.ExtVirtualLinks, nil
}

func (d *Deployments) load(ctx context.Context, id lcm.OpOccID) (*operations.Operation, Definer, error) {
	op, err := d.Operations.Load(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	definer, err := d.DefinerOf(ctx, op)
	return op, definer, err
}

// DefinerOf returns the definer of an operation's VNF.
func (d *Deployments) DefinerOf(ctx context.Context, op *operations.Operation) (Definer, error) {
	connections, err := d.Operations.Connections(ctx, op)
	if err != nil {
		return nil, err
	}
	var parts hybridDefiner
	for _, connection := range connections {
		definer, ok := d.Definers[connection.Kind()]
		if !ok {
			return nil, lcm.Errorf(lcm.KindInvalid, "Windlass cannot run VNFs on a VIM of type %q.", connection.Kind())
		}
		parts = append(parts, definerPart{lcm.KindOfVim(connection.Kind()), definer})
	}
	if len(parts) == 1 {
		return parts[0].Definer, nil
	}
	return parts, nil
}

// asRecorded resets the links and the parameters of an operation to the VNF's present ones.
func asRecorded(op *operations.Operation) {
	info := op.Instance.Instantiated
	op.Request.ExtVirtualLinks, op.Request.AdditionalParams = info.ExtVirtualLinks, info.AdditionalParams
}

// changeOf is a change of an operation's deployment, but for its definition.
func changeOf(op *operations.Operation) vim.Change {
	return vim.Change{
		Name: Name(op.Instance.ID), Owner: Owner(op.Instance.ID), Operation: tag(op.OpOcc.ID), Timeout: timeout(op),
	}
}

func tag(id lcm.OpOccID) string { return "windlass-op-" + string(id) }

func timeout(op *operations.Operation) time.Duration {
	drivers, _ := op.Drivers() // another check reports unreadable parameters
	return cmp.Or(lifecycle.DeployTimeout(drivers), defaultTimeout)
}
