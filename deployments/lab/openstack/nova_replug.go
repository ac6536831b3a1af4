package openstack

import (
	"context"
	"errors"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// replug gives a server the ports that its networks ask for now: those that it has and keeps stay where they are.
func (c *Cloud) replug(ctx context.Context, id string, nics []nic) error {
	var s Server
	var gone []string
	err := c.store.Update(func(tx *state.Tx) error {
		var found bool
		if s, found = servers.Get(tx, id); !found {
			return serverNotFound(id)
		}
		before, own := s.PortIDs, s.OwnPorts
		s.PortIDs, s.OwnPorts = nil, nil
		for _, n := range nics {
			if kept := ownPortOn(tx, own, n, s.OwnPorts); kept != "" {
				s.PortIDs, s.OwnPorts = append(s.PortIDs, kept), append(s.OwnPorts, kept)
				continue
			}
			if err := c.plugServer(tx, &s, []nic{n}); err != nil {
				return err
			}
		}
		left := slices.DeleteFunc(slices.Clone(before), func(p string) bool { return slices.Contains(s.PortIDs, p) })
		gone = slices.DeleteFunc(slices.Clone(left), func(p string) bool { return !slices.Contains(own, p) })
		return errors.Join(unsettle(tx, left, id, c.now()), settle(tx, s.PortIDs, id, s.Host, "ACTIVE", c.now()), servers.Put(tx, id, s))
	})
	for _, port := range gone {
		err = errors.Join(err, c.dropPort(ctx, port))
	}
	if err != nil {
		return err
	}
	var list []machine.Port
	for _, portID := range s.PortIDs {
		if p, found := state.Load(c.store, ports, portID); found {
			list = append(list, c.machinePort(p))
		}
	}
	return driverError(c.driver.Replug(ctx, id, list))
}

// ownPortOn finds a port that Nova has made for the network of n and that is not taken yet.
func ownPortOn(tx *state.Tx, own []string, n nic, taken []string) string {
	for _, id := range own {
		if p, found := ports.Get(tx, id); found && n.Port == "" && p.NetworkID == n.Network && !slices.Contains(taken, id) {
			return id
		}
	}
	return ""
}
