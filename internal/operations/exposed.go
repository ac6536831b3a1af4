package operations

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// exposedOn returns the ports of a cluster's VNFs that its load balancers serve.
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

// Exposed implements activities.Exposures.
func (r *Resolver) Exposed(ctx context.Context, id lcm.OpOccID) ([]lcm.ExposedPorts, error) {
	o, err := r.Load(ctx, id)
	if err != nil || o.Instance.Instantiated == nil {
		return nil, err
	}
	return r.exposedOn(ctx, o.Instance.Instantiated.ClusterVimID)
}

// Gone implements activities.Exposures.
func (r *Resolver) Gone(ctx context.Context, id lcm.VnfInstanceID) (bool, error) {
	return r.Store.Gone(ctx, id)
}

// BalancersBefore implements activities.Exposures.
func (r *Resolver) BalancersBefore(ctx context.Context, id lcm.OpOccID) (lcm.Nodes, error) {
	inst, err := r.clusterBelow(ctx, id)
	if err != nil || inst == nil {
		return nil, err
	}
	return inst.Instantiated.Balancers, nil
}

// ClusterBelow returns the cluster that the operation's VNF runs on; NotFound if the cluster is not a VNF.
func (r *Resolver) ClusterBelow(ctx context.Context, id lcm.OpOccID) (*Operation, error) {
	inst, err := r.clusterBelow(ctx, id)
	if err != nil {
		return nil, err
	}
	if inst == nil {
		return nil, lcm.Errorf(lcm.KindNotFound, "The cluster of the VNF has been terminated meanwhile.")
	}
	return r.Present(ctx, inst.ID)
}

func (r *Resolver) clusterBelow(ctx context.Context, id lcm.OpOccID) (*lcm.VnfInstance, error) {
	o, err := r.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	connections, err := r.Connections(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, c := range connections {
		inst, err := r.clusterAt(ctx, c.Registered())
		if err != nil {
			return nil, err
		}
		if inst != nil && inst.ProjectID == o.Instance.ProjectID {
			return inst, nil
		}
	}
	return nil, nil
}

// clusterAt returns the VNF instance whose cluster is registered as that VIM, nil for another VIM. VIM and instance
// must refer to each other, because clients can write the VIM's extra data.
func (r *Resolver) clusterAt(ctx context.Context, id lcm.VimID) (*lcm.VnfInstance, error) {
	if id == "" {
		return nil, nil
	}
	vim, err := r.Store.Vim(ctx, id)
	if err != nil {
		return nil, absent(err)
	}
	cluster, is := vim.Extra[lcm.ClusterOfParam].(string)
	if !is {
		return nil, nil
	}
	inst, err := r.Store.Instance(ctx, lcm.VnfInstanceID(cluster))
	if err != nil {
		return nil, absent(err)
	}
	if inst.Instantiated == nil || inst.Instantiated.ClusterVimID != id {
		return nil, nil
	}
	return &inst, nil
}

// absent turns NotFound into nil.
func absent(err error) error {
	if lcm.Is(err, lcm.KindNotFound) {
		return nil
	}
	return err
}
