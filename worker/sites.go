package worker

import (
	"context"

	"github.com/windlass-nfv/windlass/activities/driftcheck"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/deployments"
	"github.com/windlass-nfv/windlass/internal/drift"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// sites opens VNF instances for work outside operations.
type sites struct {
	operations *operations.Resolver
	hosts      *hosts
	vims       *connections
}

// Site implements activities.Sites. It uses the credentials of the instantiation: a heal's request replaces them for
// that heal only.
func (s *sites) Site(ctx context.Context, id lcm.VnfInstanceID) (driftcheck.Site, error) {
	op, err := s.operations.Present(ctx, id)
	if err != nil {
		return driftcheck.Site{}, err
	}
	on, err := s.operations.Vims(ctx, op)
	if err != nil {
		return driftcheck.Site{}, err
	}
	site := driftcheck.Site{
		Instance: op.Instance, DeploymentName: deployments.Name(id), Owner: deployments.Owner(id), Capacity: capacityOf(op),
		PlanHeal: op.PlanHeal,
		On:       func(ctx context.Context) (vim.VIM, error) { return s.vims.connectAll(ctx, on) },
		Vim:      s.operations.Store.Vim,
	}
	if op.Follows() && op.Instance.Instantiated != nil {
		connections, err := s.operations.Connections(ctx, op)
		if err != nil {
			return site, err
		}
		site.Follow, site.Followed = record.Following(op, connections), record.Followed(op)
		site.FollowedOn = lcm.VimKindFor(true, op.VimTypes()...).Type
	}
	if site.HealGivenUp, err = s.operations.Store.GivenUpHeal(ctx, id); err != nil {
		return site, err
	}
	drivers, err := op.Drivers()
	if err != nil {
		return site, err
	}
	site.Drivers = drivers
	site.Dial = func(ctx context.Context, node lcm.Node) (reach.Host, error) {
		return s.hosts.dial(ctx, id, drivers, on[0], node)
	}
	return site, nil
}

// capacityOf says how many VMs of each VDU there should be.
func capacityOf(op *operations.Operation) (out []drift.Count) {
	scaled := op.ScaledCapacity()
	for _, vdu := range op.Flavour.Vdus {
		if n, known := scaled[vdu.ID]; known {
			out = append(out, drift.Count{VduID: vdu.ID, VMs: n})
		}
	}
	return out
}
