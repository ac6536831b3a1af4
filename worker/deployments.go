package worker

import (
	"cmp"
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// defaultDeployTimeout is how long the VIM may take for a deployment; Tacker's is 10 to 20 minutes, too short for a
// slow cloud.
const defaultDeployTimeout = 30 * time.Minute

// DeploymentName implements activities.Deployments. The name and the owner depend on the instance only, so that every
// operation, retry and rollback finds the same deployment.
func (o *resolver) DeploymentName(ctx context.Context, id lcm.OpOccID) (name, owner string, err error) {
	opOcc, err := o.Store.Operation(ctx, id)
	if err != nil {
		return "", "", err
	}
	return deploymentName(opOcc.VnfInstanceID), "windlass-vnf-" + string(opOcc.VnfInstanceID), nil
}

func deploymentName(id lcm.VnfInstanceID) string { return "vnf-" + string(id) }

// GracePeriod implements activities.Deployments.
func (o *resolver) GracePeriod(ctx context.Context, id lcm.OpOccID) (time.Duration, error) {
	opOcc, err := o.Store.Operation(ctx, id)
	if err != nil {
		return 0, err
	}
	request, err := lcm.ParseTerminate(opOcc.Params)
	if err != nil || request.GracefulTerminationTimeout != nil {
		return request.GracePeriod(), err
	}
	j, err := o.loadOf(ctx, opOcc)
	if err != nil || j.Flavour == nil {
		return request.GracePeriod(), err
	}
	return max(request.GracePeriod(), j.Flavour.LeastGrace()), nil
}

// Deployment implements activities.Deployments.
func (o *resolver) Deployment(ctx context.Context, id lcm.OpOccID) (vim.Deployment, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return vim.Deployment{}, err
	}
	name, owner, err := o.DeploymentName(ctx, id)
	if err != nil {
		return vim.Deployment{}, err
	}
	definer, err := o.definerOf(ctx, j)
	if err != nil {
		return vim.Deployment{}, err
	}
	definition, opened, err := definer.Whole(ctx, j.Operation)
	return vim.Deployment{
		Name: name, Owner: owner, Operation: deploymentTag(id), Definition: definition, Timeout: o.deployTimeout(j),
		Secrets: opened,
	}, err
}

// Change implements activities.Deployments.
func (o *resolver) Change(
	ctx context.Context, id lcm.OpOccID, sizes vim.Sizes,
) (vim.Change, []string, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return vim.Change{}, nil, err
	}
	name, owner, err := o.DeploymentName(ctx, id)
	if err != nil {
		return vim.Change{}, nil, err
	}
	if sizes == vim.SizesRecorded { // also the parameters
		j.Request.ExtVirtualLinks, j.Request.AdditionalParams = j.Instance.Instantiated.ExtVirtualLinks,
			j.Instance.Instantiated.AdditionalParams
	}
	definer, err := o.definerOf(ctx, j)
	if err != nil {
		return vim.Change{}, nil, err
	}
	definition, opened, err := definer.Sized(ctx, j.Operation, sizes)
	return vim.Change{
		Name: name, Owner: owner, Operation: deploymentTag(id), Definition: definition, Timeout: o.deployTimeout(j),
		Secrets: opened,
	}, j.Servers(), err
}

// Reconnection implements activities.Deployments.
func (o *resolver) Reconnection(ctx context.Context, id lcm.OpOccID, asBefore bool) (vim.Change, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return vim.Change{}, err
	}
	if asBefore {
		j.Request.ExtVirtualLinks, j.Request.AdditionalParams = j.Instance.Instantiated.ExtVirtualLinks,
			j.Instance.Instantiated.AdditionalParams
	}
	name, owner, err := o.DeploymentName(ctx, id)
	if err != nil {
		return vim.Change{}, err
	}
	definer, err := o.definerOf(ctx, j)
	if err != nil {
		return vim.Change{}, err
	}
	direction := map[bool]string{false: "", true: " taken back"}[asBefore]
	definition, opened, err := definer.Renewed(ctx, j.Operation, string(id)+direction)
	return vim.Change{
		Name: name, Owner: owner, Operation: deploymentTag(id), Definition: definition, Timeout: o.deployTimeout(j),
		Secrets: opened,
	}, err
}

// definer makes definitions for VIMs of one type, each with the secrets in it.
type definer interface {
	// Whole defines a VNF as it is, or as it is instantiated.
	Whole(ctx context.Context, of *operations.Operation) (vim.Definition, []string, error)
	// Sized defines a change of a VNF to those sizes.
	Sized(ctx context.Context, of *operations.Operation, sizes vim.Sizes) (vim.Definition, []string, error)
	// Renewed defines a change of a VNF's connections; the mark tells it from other changes.
	Renewed(ctx context.Context, of *operations.Operation, mark string) (vim.Definition, []string, error)
}

func (o *resolver) definerOf(ctx context.Context, j *job) (definer, error) {
	connections, err := o.Connections(ctx, j.Operation)
	if err != nil {
		return nil, err
	}
	var parts hybridDefiner
	for _, connection := range connections {
		d, ok := o.definers[connection.Kind()]
		if !ok {
			return nil, lcm.Errorf(lcm.KindInvalid, "Windlass puts no VNFs on a VIM of type %q.", connection.Kind())
		}
		parts = append(parts, definerPart{lcm.KindOfVim(connection.Kind()), d})
	}
	if len(parts) == 1 {
		return parts[0].definer, nil
	}
	return parts, nil
}

func deploymentTag(id lcm.OpOccID) string { return "windlass-op-" + string(id) }

func (o *resolver) deployTimeout(j *job) time.Duration {
	drivers, _ := j.Drivers() // what cannot be read is told elsewhere
	return cmp.Or(lifecycle.DeployTimeout(drivers), defaultDeployTimeout)
}
