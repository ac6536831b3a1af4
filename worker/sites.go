package worker

import (
	"context"
	"encoding/json"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/drift"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// sites opens VNF instances on which no operation works.
type sites struct {
	operations *resolver
	hosts      *hosts
	vims       *connections
}

// Site implements activities.Sites. The credentials are those of the instantiation: what a heal's request put in their
// place was for that heal.
func (s *sites) Site(ctx context.Context, id lcm.VnfInstanceID) (activities.Site, error) {
	j, err := s.operations.loadOf(ctx, lcm.VnfLcmOpOcc{VnfInstanceID: id})
	if err != nil {
		return activities.Site{}, err
	}
	on, err := s.operations.vimsOf(ctx, j)
	if err != nil {
		return activities.Site{}, err
	}
	site := activities.Site{
		Instance: j.Instance, DeploymentName: deploymentName(id), Capacity: j.driftCapacity(),
		PlanHeal: j.planHeal,
		On:       func(ctx context.Context) (vim.VIM, error) { return s.vims.connectAll(ctx, on) },
		Vim:      s.operations.Store.Vim,
	}
	if j.Follows() && j.Instance.Instantiated != nil {
		connections, err := s.operations.Connections(ctx, j.Operation)
		if err != nil {
			return site, err
		}
		site.Follow, site.Followed = j.following(j.on(connections)), j.followed()
		site.FollowedOn = lcm.VimKindFor(true).Type
	}
	if site.HealGivenUp, err = s.operations.Store.GivenUpHeal(ctx, id); err != nil {
		return site, err
	}
	drivers, err := j.Drivers()
	if err != nil {
		return site, err
	}
	site.Drivers = drivers
	site.Dial = func(ctx context.Context, node lcm.Node) (activities.Host, error) {
		return s.hosts.dial(ctx, id, drivers, on[0], node)
	}
	return site, nil
}

func (j *job) planHeal(vnfcs []string, unhealthy map[string]string) error {
	request, err := json.Marshal(map[string]any{"vnfcInstanceId": vnfcs})
	if err != nil {
		return err
	}
	_, err = j.PlanOf(lcm.OpHeal, request, unhealthy)
	return err
}

// driftCapacity is how many VMs of each VDU the scale levels ask for: those of the instantiation level, else what the
// aspects' levels make. A VNFD that does not tell is believed.
func (j *job) driftCapacity() (out []drift.Count) {
	info := j.Instance.Instantiated
	if info == nil || len(j.Flavour.Aspects) == 0 {
		return nil
	}
	levels := map[string]int{}
	for _, s := range info.ScaleStatus {
		levels[s.AspectID] = s.ScaleLevel
	}
	capacity, err := j.Flavour.CapacityAt(levels)
	if info.InstantiationLevelID != "" {
		capacity, err = j.Flavour.Capacity(info.InstantiationLevelID)
	}
	if err != nil {
		return nil
	}
	recorded := j.Recorded()
	for _, vdu := range j.Flavour.Vdus {
		// What a scaling by steps has left of an instantiation level is no drift: the instance has what the operation made.
		if capacity[vdu.ID] == recorded[vdu.ID] {
			out = append(out, drift.Count{VduID: vdu.ID, VMs: capacity[vdu.ID]})
		}
	}
	return out
}
