package worker

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Repackaging implements activities.Deployments.
func (o *resolver) Repackaging(ctx context.Context, id lcm.OpOccID, asBefore bool) (vim.Change, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return vim.Change{}, err
	}
	name, owner, err := o.DeploymentName(ctx, id)
	if err != nil {
		return vim.Change{}, err
	}
	if asBefore && j.Before != nil {
		j = &job{j.Before}
	}
	definer, err := o.definerOf(ctx, j)
	if err != nil {
		return vim.Change{}, err
	}
	definition, opened, err := definer.Whole(ctx, j.Operation)
	definition = repackaged(definition)
	return vim.Change{
		Name: name, Owner: owner, Operation: deploymentTag(id), Definition: definition, Timeout: o.deployTimeout(j),
		Secrets: opened,
	}, err
}
