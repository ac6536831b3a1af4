package openstack

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// schedule finds a host, or puts the server into ERROR as Nova does.
func (c *Cloud) schedule(tx *state.Tx, s *Server) {
	load := map[string]int{}
	var mates []string
	for _, other := range servers.All(tx) {
		load[other.Host]++
		if s.GroupID != "" && other.GroupID == s.GroupID && other.Host != "" {
			mates = append(mates, other.Host)
		}
	}
	hosts := c.hosts()
	group, grouped := serverGroups.Get(tx, s.GroupID)
	if s.GroupID != "" {
		switch {
		case !grouped || c.faults.noHost():
			hosts = nil
		case group.Policy == "anti-affinity":
			hosts = slices.DeleteFunc(hosts, func(h string) bool { return slices.Contains(mates, h) })
		case group.Policy == "affinity" && len(mates) > 0:
			hosts = mates[:1]
		case group.Policy == "soft-anti-affinity":
			for _, h := range mates {
				load[h] += 1000 // a host with a server of the same group is the last choice
			}
		case group.Policy == "soft-affinity" && len(mates) > 0:
			load[mates[0]] = -1
		}
	} else if c.faults.noHost() {
		hosts = nil
	}
	if len(hosts) == 0 {
		s.Status, s.Task = statusError, ""
		s.Fault = &ServerFault{
			Code: 500, Message: "No valid host was found. There are not enough hosts available.", At: c.now(),
		}
		return
	}
	s.Host = slices.MinFunc(hosts, func(a, b string) int { return load[a] - load[b] })
}

// boot boots a server's machine and attaches its volumes.
func (c *Cloud) boot(ctx context.Context, id string) {
	s, found := state.Load(c.store, servers, id)
	if !found || s.Deleting {
		return
	}
	m := machine.Machine{
		ID: s.ID, Name: hostname(s.Name), Image: s.BootImage, UserData: s.UserData, AuthorizedKeys: s.AuthorizedKeys,
		AdminPass: cmp.Or(s.AdminPass, c.cfg.ImagePassword),
	}
	for _, portID := range s.PortIDs {
		if p, found := state.Load(c.store, ports, portID); found {
			m.Ports = append(m.Ports, c.machinePort(p))
		}
	}
	err := c.segments(ctx, m.Ports)
	if err == nil {
		err = c.hypervisor.Create(ctx, m)
	}
	for i := range s.Volumes {
		if err != nil || s.Volumes[i].Boot {
			continue
		}
		v, _ := state.Load(c.store, volumes, s.Volumes[i].VolumeID)
		s.Volumes[i].Device, err = c.hypervisor.AttachVolume(ctx, id, machine.Volume{ID: v.ID, SizeGB: v.Size})
	}
	if ctx.Err() != nil {
		return // the server was deleted, or the lab stops and boots it later
	}
	c.booted(s, err)
}

// segments makes the segments of networks without a subnet. Other networks have had theirs since their first subnet.
func (c *Cloud) segments(ctx context.Context, of []machine.Port) error {
	for _, p := range of {
		if n, found := state.Load(c.store, networks, p.NetworkID); found && len(n.SubnetIDs) == 0 {
			if err := c.ensureSegment(ctx, n.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// booted records the result of a boot.
func (c *Cloud) booted(s Server, cause error) {
	err := c.store.Update(func(tx *state.Tx) error {
		now, found := servers.Get(tx, s.ID)
		if !found {
			return nil
		}
		now.Volumes, now.Task, now.Updated = s.Volumes, "", c.now()
		if cause != nil {
			now.Status = statusError
			now.Fault = &ServerFault{
				Code: 500, Message: "Build of instance " + s.ID + " aborted: " + sentence(cause), At: c.now(),
			}
			c.log.Warn("server did not boot", "server", s.Name, "id", s.ID, "error", cause.Error())
			return errors.Join(abandon(tx, &now, c.now()), servers.Put(tx, s.ID, now))
		}
		now.Status, now.Fault = statusActive, nil
		if now.Launched.IsZero() {
			now.Launched = c.now()
		}
		if err := settle(tx, now.PortIDs, now.ID, now.Host, "ACTIVE", c.now()); err != nil {
			return err
		}
		for _, a := range now.Volumes {
			if err := occupy(tx, a, now, c.now()); err != nil {
				return err
			}
		}
		return servers.Put(tx, s.ID, now)
	})
	if err != nil {
		c.log.Error("record booted server", "server", s.Name, "error", err.Error())
	}
}

func sentence(err error) string {
	if e, isLcm := errors.AsType[*lcm.Error](err); isLcm {
		return e.Sentence()
	}
	return err.Error()
}

func (c *Cloud) deleteServerCall(_ *request, s Server) (reply, error) {
	return empty(http.StatusNoContent, c.deleteServer(s.ID))
}

// deleteServer deletes a server in the background.
func (c *Cloud) deleteServer(id string) error {
	_, found, err := state.Change(c.store, servers, id, func(s *Server) error {
		s.Deleting, s.Task, s.Updated = true, "deleting", c.now()
		return nil
	})
	if err != nil || !found {
		return err
	}
	c.later(id, true, func(ctx context.Context) { c.destroy(ctx, id) })
	return nil
}

func (c *Cloud) destroy(ctx context.Context, id string) {
	s, found := state.Load(c.store, servers, id)
	if !found {
		return
	}
	err := c.hypervisor.Delete(ctx, id)
	if err == nil || lcm.Is(err, lcm.KindNotFound) {
		err = c.release(ctx, s)
	}
	if err != nil && ctx.Err() == nil {
		c.log.ErrorContext(ctx, "delete server", "server", s.Name, "id", id, "error", err.Error())
		_, _, _ = state.Change(c.store, servers, id, func(s *Server) error {
			s.Status, s.Task, s.Deleting = statusError, "", false
			s.Fault = &ServerFault{Code: 500, Message: "Delete failed: " + sentence(err), At: c.now()}
			return nil
		})
	}
}

// release frees a server's resources after its machine is gone.
func (c *Cloud) release(ctx context.Context, s Server) error {
	for _, id := range s.OwnPorts {
		if err := c.dropPort(ctx, id); err != nil {
			return err
		}
	}
	var drop []string
	err := c.store.Update(func(tx *state.Tx) error {
		if err := unsettle(tx, s.PortIDs, s.ID, c.now()); err != nil {
			return err
		}
		for _, a := range s.Volumes {
			if err := vacate(tx, a.VolumeID, c.now()); err != nil {
				return err
			}
			if a.DeleteOnTermination {
				drop = append(drop, a.VolumeID)
			}
		}
		return errors.Join(servers.Delete(tx, s.ID), tags.Delete(tx, s.ID))
	})
	for _, id := range drop {
		err = errors.Join(err, c.dropVolume(ctx, id))
	}
	return err
}

// recoverServers checks every server when the lab starts again. It boots servers whose boot was not finished, finishes
// deletions, and records machines that have stopped meanwhile.
func (c *Cloud) recoverServers(ctx context.Context) {
	for _, s := range state.LoadAll(c.store, servers, "") {
		st, err := c.hypervisor.State(ctx, s.ID)
		switch {
		case s.Deleting:
			c.later(s.ID, false, func(ctx context.Context) { c.destroy(ctx, s.ID) })
		case s.Status == statusBuild,
			s.Status == statusActive && (err != nil || st == machine.Absent):
			c.later(s.ID, false, func(ctx context.Context) { c.boot(ctx, s.ID) })
		case s.Status == statusReboot:
			c.later(s.ID, false, func(ctx context.Context) { c.act(ctx, s.ID, "reboot", statusActive, reboot(true)) })
		case s.Status == statusActive && st == machine.Stopped:
			c.setStatus(s.ID, statusShutoff)
		case s.Status == statusShutoff && st == machine.Running:
			c.setStatus(s.ID, statusActive)
		case s.Task != "":
			c.setStatus(s.ID, s.Status)
		}
	}
}
