package openstack

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// replug gives a server the ports for the requested networks. Ports in both sets stay unchanged.
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
		return errors.Join(unsettle(tx, left, id, c.now()), settle(tx, s.PortIDs, id, s.Host, "ACTIVE", c.now()),
			servers.Put(tx, id, s))
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
	return hypervisorError(c.hypervisor.Replug(ctx, id, list))
}

// ownPortOn finds a port that Nova has made for the network of n and that is not in taken.
func ownPortOn(tx *state.Tx, own []string, n nic, taken []string) string {
	for _, id := range own {
		if p, found := ports.Get(tx, id); found && n.Port == "" && p.NetworkID == n.Network && !slices.Contains(taken, id) {
			return id
		}
	}
	return ""
}

type attachmentRequest struct {
	Port    string `json:"port_id"`
	Network string `json:"net_id"`
}

// attachInterface plugs a port into a server.
func (c *Cloud) attachInterface(r *request, s Server, q attachmentRequest) (reply, error) {
	if s.Status == statusError || s.Deleting {
		return reply{}, conflict("Conflict", "Cannot 'attach_interface' instance %s while it is in vm_state %s", s.ID,
			strings.ToLower(s.Status))
	}
	if slices.Contains(s.PortIDs, q.Port) {
		return reply{}, badRequest("Port %s is attached to this server already.", q.Port)
	}
	if err := c.replug(r.Context(), s.ID, append(c.nicsOf(s, ""), nic{Port: q.Port, Network: q.Network})); err != nil {
		return reply{}, err
	}
	p, _ := state.Load(c.store, ports, q.Port)
	return ok(object{"interfaceAttachment": interfaceOf(p)})
}

// detachInterface unplugs a port from a server.
func (c *Cloud) detachInterface(r *request, s Server) (reply, error) {
	port := r.PathValue("port")
	if !slices.Contains(s.PortIDs, port) {
		return reply{}, notFound("NotFound", "Instance %s does not have interface %s", s.ID, port)
	}
	return empty(http.StatusAccepted, c.replug(r.Context(), s.ID, c.nicsOf(s, port)))
}

// nicsOf returns the server's present ports as a request, without one port.
func (c *Cloud) nicsOf(s Server, without string) (out []nic) {
	for _, id := range s.PortIDs {
		p, found := state.Load(c.store, ports, id)
		switch {
		case !found || id == without:
		case slices.Contains(s.OwnPorts, id):
			out = append(out, nic{Network: p.NetworkID})
		default:
			out = append(out, nic{Port: id})
		}
	}
	return out
}
