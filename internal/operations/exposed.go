package operations

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// exposedOn are the ports of the VNFs on a cluster that its load balancers serve.
func (r *Resolver) exposedOn(ctx context.Context, vim lcm.VimID) (out []lcm.ExposedPorts, err error) {
	if vim == "" {
		return nil, nil
	}
	users, err := r.Store.VimUsers(ctx, vim)
	if err != nil {
		return nil, err
	}
	for _, id := range users {
		inst, err := r.Store.Instance(ctx, id)
		if err != nil {
			return nil, err
		}
		if info := inst.Instantiated; info != nil && len(info.ExposedPorts) > 0 {
			out = append(out, lcm.ExposedPorts{Owner: id, Ports: info.ExposedPorts})
		}
	}
	return out, nil
}
