package deployments

import (
	"cmp"
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/requests"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// removalTimeout is how long the VIM may take for a removal after VNFCs have had their time to end, unless the request
// says otherwise. If resources are still there then, the operation waits for somebody's decision.
const removalTimeout = 10 * time.Minute

// Removal implements activities.Deployments.
func (d *Deployments) Removal(ctx context.Context, id lcm.OpOccID) (vim.Removal, error) {
	opOcc, err := d.Operations.OpOcc(ctx, id)
	if err != nil {
		return vim.Removal{}, err
	}
	request, err := requests.Of(opOcc)
	return removalOf(request), err
}

// removalOf gives VNFCs no time in a FORCEFUL termination, and the requested time in a GRACEFUL one. Other removals of
// a deployment leave the time to the VNFCs. They also keep the volumes that a later deployment may want.
func removalOf(request lcm.Request) vim.Removal {
	switch r := request.(type) {
	case lcm.TerminateRequest:
		return terminationOf(r)
	case lcm.HealRequest:
		how := vim.Removal{Timeout: defaultTimeout}
		if keep, by := r.KeepsVolumes(); keep || by == "" {
			how.Volumes = vim.VolumesStay
		}
		return how
	default:
		return vim.Removal{Volumes: vim.FormerVolumesStay, Timeout: defaultTimeout}
	}
}

func terminationOf(request lcm.TerminateRequest) (how vim.Removal) {
	grace := request.GracePeriod()
	switch {
	case !request.Graceful():
		grace, how.Grace = 0, new(time.Duration)
	case request.GracefulTerminationTimeout != nil:
		how.Grace = &grace
	}
	how.Timeout = grace + cmp.Or(time.Duration(request.Patience)*time.Second, removalTimeout)
	if request.KeepsClaims {
		how.Volumes = vim.VolumesStay
	}
	return how
}
