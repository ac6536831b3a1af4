package resources

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Operations that only some VIMs can do, and the errors for VIMs that cannot.

func powerOf(v vim.VIM) (vim.Power, error) { return vim.As[vim.Power](v, "start and stop servers") }

func halterOf(v vim.VIM) (vim.Halter, error) {
	return vim.As[vim.Halter](v, "stop and start deployments as a whole")
}

func portsOf(v vim.VIM) (vim.Reconnector, error) {
	return vim.As[vim.Reconnector](v, "show the ports of servers, or change them")
}

func restorerOf(v vim.VIM) (vim.Restorer, error) {
	return vim.As[vim.Restorer](v, "replace single servers of a deployment")
}

func volumesOfVIM(v vim.VIM) (vim.VolumeKeeper, error) {
	return vim.As[vim.VolumeKeeper](v, "keep volumes without their servers")
}

// powerAt returns the power interface of the operation's VIM.
func (i *Activities) powerAt(ctx context.Context, id lcm.OpOccID) (vim.Power, error) {
	v, err := i.Cloud.VIMs.VIM(ctx, id)
	if err != nil {
		return nil, err
	}
	return powerOf(v)
}
