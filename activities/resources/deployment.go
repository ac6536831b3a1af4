package resources

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Deployment is the deployment of an operation's VNF in its cloud. The deployment may not exist.
type Deployment struct {
	Cloud       vim.VIM
	Name, Owner string
	Show        func(line string) // writes to the step's output
}

// DeploymentOf opens the deployment of an operation.
func (i Cloud) DeploymentOf(ctx context.Context, id lcm.OpOccID, step lcm.StepRef) (s Deployment, err error) {
	if s.Cloud, err = i.VIMs.VIM(ctx, id); err != nil {
		return s, err
	}
	if s.Name, s.Owner, err = i.Deployments.DeploymentName(ctx, id); err != nil {
		return s, err
	}
	s.Show = i.Output.Lines(ctx, step)
	return s, nil
}

// Settle waits until the VIM has finished its work on the deployment.
func (s Deployment) Settle(ctx context.Context) error {
	return s.Cloud.Settle(ctx, s.Name, s.Owner, s.Show)
}
