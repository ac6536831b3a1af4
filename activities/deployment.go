package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// vnfDeployment is the deployment of an operation's VNF in its cloud. The deployment may not exist.
type vnfDeployment struct {
	cloud       vim.VIM
	name, owner string
	show        func(line string) // writes to the step's output
}

func (i *Infrastructure) deploymentOf(ctx context.Context, id lcm.OpOccID, step lcm.StepRef) (s vnfDeployment, err error) {
	if s.cloud, err = i.VIMs.VIM(ctx, id); err != nil {
		return s, err
	}
	if s.name, s.owner, err = i.Deployments.DeploymentName(ctx, id); err != nil {
		return s, err
	}
	s.show = i.Output.Lines(ctx, step)
	return s, nil
}

// settle waits until the VIM has finished its work on the deployment.
func (s vnfDeployment) settle(ctx context.Context) error {
	return s.cloud.Settle(ctx, s.name, s.owner, s.show)
}
