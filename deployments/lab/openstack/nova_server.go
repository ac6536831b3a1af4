package openstack

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// serverRequest is what POST /servers takes.
type serverRequest struct {
	Name        string            `json:"name"`
	Flavor      string            `json:"flavorRef"`
	Image       string            `json:"imageRef"`
	KeyName     string            `json:"key_name"`
	UserData    string            `json:"user_data"` // base64
	AdminPass   string            `json:"adminPass"`
	AZ          string            `json:"availability_zone"`
	ConfigDrive bool              `json:"config_drive"`
	Metadata    map[string]string `json:"metadata"`
	Networks    any               `json:"networks"` // a list, or "auto" or "none"
	Groups      []struct {
		Name string `json:"name"`
	} `json:"security_groups"`
	Devices []blockDevice `json:"block_device_mapping_v2"`
	Tags    []string      `json:"tags"`

	nics  []nic
	group string
}

type nic struct {
	Network, Port, FixedIP string
}

type blockDevice struct {
	Source              string `json:"source_type"`
	Destination         string `json:"destination_type"`
	UUID                string `json:"uuid"`
	BootIndex           any    `json:"boot_index"`
	Size                any    `json:"volume_size"`
	DeleteOnTermination bool   `json:"delete_on_termination"`
}

func (c *Cloud) createServerCall(r *request) (reply, error) {
	var q serverRequest
	if err := r.decode("server", &q); err != nil {
		return reply{}, err
	}
	var hints struct {
		Group string `json:"group"`
	}
	if r.decode("os:scheduler_hints", &hints) != nil {
		_ = r.decode("OS-SCH-HNT:scheduler_hints", &hints) // neither is needed
	}
	q.group = hints.Group
	if err := q.readNetworks(); err != nil {
		return reply{}, err
	}
	if q.AdminPass == "" {
		q.AdminPass = randomHex(6)
	}
	s, err := c.createServer(uuid.NewString(), r.token.ProjectID, r.token.UserID, q)
	if err != nil {
		return reply{}, err
	}
	return accepted(object{"server": object{
		"id": s.ID, "adminPass": q.AdminPass, "links": c.serverLinks(s.ID), "OS-DCF:diskConfig": "MANUAL", "security_groups": []object{},
	}})
}

func (q *serverRequest) readNetworks() error {
	list, isList := q.Networks.([]any)
	if !isList {
		return nil
	}
	for _, item := range list {
		m, isMap := item.(map[string]any)
		if !isMap {
			return badRequest("Invalid input for field/attribute networks.")
		}
		text := func(key string) string { s, _ := m[key].(string); return s }
		q.nics = append(q.nics, nic{Network: text("uuid"), Port: text("port"), FixedIP: text("fixed_ip")})
	}
	return nil
}

// createServer records a server and lets its machine boot in the background. With an id that exists
// already it finds that one.
func (c *Cloud) createServer(id, project, user string, q serverRequest) (Server, error) {
	s, err := c.draft(id, project, user, q)
	if err != nil {
		return s, err
	}
	again := false
	err = c.store.Update(func(tx *state.Tx) error {
		if have, found := servers.Get(tx, id); found {
			s, again = have, true
			return nil
		}
		if err := c.novaQuota(tx, project, s.Flavor); err != nil {
			return err
		}
		if err := c.plugServer(tx, &s, q.nics); err != nil {
			return err
		}
		if err := c.bootVolumes(tx, &s, q.Devices); err != nil {
			return err
		}
		c.schedule(tx, &s)
		for _, port := range s.PortIDs {
			if err := settle(tx, port, s.ID, s.Host, "DOWN", c.now()); err != nil {
				return err
			}
		}
		if len(q.Tags) > 0 {
			if err := tags.Put(tx, s.ID, q.Tags); err != nil {
				return err
			}
		}
		return servers.Put(tx, s.ID, s)
	})
	if err == nil && !again && s.Status == statusBuild {
		c.later(s.ID, false, func(ctx context.Context) { c.boot(ctx, s.ID) })
	}
	return s, err
}

// draft checks what a request says apart from networks and quotas.
func (c *Cloud) draft(id, project, user string, q serverRequest) (Server, error) {
	now := c.now()
	s := Server{
		ID: id, Name: q.Name, ProjectID: project, UserID: user, Status: statusBuild, Task: "spawning", KeyName: q.KeyName, AdminPass: q.AdminPass,
		AZ: zone, ConfigDrive: q.ConfigDrive, Metadata: q.Metadata, GroupID: q.group, Created: now, Updated: now,
	}
	if s.Metadata == nil {
		s.Metadata = map[string]string{}
	}
	if s.Name == "" {
		return s, badRequest("Invalid input for field/attribute name. Value: . '' is too short")
	}
	var found bool
	if s.Flavor, found = findFlavor(q.Flavor); !found {
		return s, badRequest("Flavor %s could not be found.", q.Flavor)
	}
	if q.Image != "" {
		image, found := c.findImage(project, q.Image)
		if !found {
			return s, badRequest("Can not find requested image")
		}
		if image.Status != "active" {
			return s, badRequest("Image %s is not active.", image.ID)
		}
		s.ImageID, s.ImageName, s.BootImage = image.ID, image.Name, image.Name
	} else if len(q.Devices) == 0 {
		return s, badRequest("Invalid imageRef provided.")
	}
	if q.AZ != "" && q.AZ != zone {
		return s, badRequest("The requested availability zone is not available")
	}
	if q.KeyName != "" {
		key, found := state.Load(c.store, keypairs, user+"/"+q.KeyName)
		if !found {
			return s, badRequest("Invalid key_name provided.")
		}
		s.AuthorizedKeys = []string{key.PublicKey}
	}
	if q.UserData != "" {
		data, err := base64.StdEncoding.DecodeString(q.UserData)
		if err != nil {
			return s, badRequest("Invalid input for field/attribute user_data.")
		}
		s.UserData = data
	}
	return s, nil
}

// plugServer binds or makes the ports of a new server.
func (c *Cloud) plugServer(tx *state.Tx, s *Server, nics []nic) error {
	for _, n := range nics {
		if n.Port != "" {
			p, found := ports.Get(tx, n.Port)
			if !found || p.ProjectID != s.ProjectID {
				return badRequest("Port id %s could not be found.", n.Port)
			}
			if p.DeviceID != "" && p.DeviceID != s.ID {
				return conflict("Conflict", "Port %s is still in use.", n.Port)
			}
			s.PortIDs = append(s.PortIDs, p.ID)
			continue
		}
		net, found := networks.Get(tx, n.Network)
		if !found || net.ProjectID != s.ProjectID && !net.Shared {
			return badRequest("Network %s could not be found.", n.Network)
		}
		q := portRequest{NetworkID: n.Network}
		if n.FixedIP != "" {
			q.FixedIPs = &[]struct {
				SubnetID string `json:"subnet_id"`
				IP       string `json:"ip_address"`
			}{{IP: n.FixedIP}}
		}
		p, err := c.newPort(tx, uuid.NewString(), s.ProjectID, q)
		if err != nil {
			if e, over := errors.AsType[*apiError](err); over && e.kind == "OverQuota" {
				return fail(http.StatusForbidden, "Forbidden", "Maximum number of ports exceeded")
			}
			return err
		}
		s.PortIDs, s.OwnPorts = append(s.PortIDs, p.ID), append(s.OwnPorts, p.ID)
	}
	return nil
}

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
				load[h] += 1000 // a host with a mate only when there is no other
			}
		case group.Policy == "soft-affinity" && len(mates) > 0:
			load[mates[0]] = -1
		}
	} else if c.faults.noHost() {
		hosts = nil
	}
	if len(hosts) == 0 {
		s.Status, s.Task = statusError, ""
		s.Fault = &ServerFault{Code: 500, Message: "No valid host was found. There are not enough hosts available.", At: c.now()}
		return
	}
	s.Host = slices.MinFunc(hosts, func(a, b string) int { return load[a] - load[b] })
}

// boot lets the machine of a server run and attaches its volumes.
func (c *Cloud) boot(ctx context.Context, id string) {
	s, found := state.Load(c.store, servers, id)
	if !found || s.Deleting {
		return
	}
	m := machine.Machine{
		ID: s.ID, Name: hostname(s.Name), Image: s.BootImage, UserData: s.UserData, AuthorizedKeys: s.AuthorizedKeys, AdminPass: s.AdminPass,
	}
	for _, portID := range s.PortIDs {
		if p, found := state.Load(c.store, ports, portID); found {
			m.Ports = append(m.Ports, c.machinePort(p))
		}
	}
	err := c.driver.Create(ctx, m)
	for i := range s.Volumes {
		if err != nil || s.Volumes[i].Boot {
			continue
		}
		v, _ := state.Load(c.store, volumes, s.Volumes[i].VolumeID)
		s.Volumes[i].Device, err = c.driver.AttachVolume(ctx, id, machine.Volume{ID: v.ID, SizeGB: v.Size})
	}
	if ctx.Err() != nil {
		return // deleted meanwhile, or the lab goes down and boots it again later
	}
	c.booted(s, err)
}

// booted records what came of booting.
func (c *Cloud) booted(s Server, cause error) {
	err := c.store.Update(func(tx *state.Tx) error {
		now, found := servers.Get(tx, s.ID)
		if !found {
			return nil
		}
		now.Volumes, now.Task, now.Updated = s.Volumes, "", c.now()
		if cause != nil {
			now.Status = statusError
			now.Fault = &ServerFault{Code: 500, Message: "Build of instance " + s.ID + " aborted: " + sentence(cause), At: c.now()}
			c.log.Warn("server did not boot", "server", s.Name, "id", s.ID, "error", cause.Error())
			return servers.Put(tx, s.ID, now)
		}
		now.Status, now.Fault = statusActive, nil
		if now.Launched.IsZero() {
			now.Launched = c.now()
		}
		for _, id := range now.PortIDs {
			if err := settle(tx, id, now.ID, now.Host, "ACTIVE", c.now()); err != nil {
				return err
			}
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

func (c *Cloud) deleteServerCall(r *request) (reply, error) {
	s, err := c.server(r)
	if err != nil {
		return reply{}, err
	}
	if err := c.deleteServer(s.ID); err != nil {
		return reply{}, err
	}
	return noContent()
}

// deleteServer lets a server go in the background.
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
	err := c.driver.Delete(ctx, id)
	if err == nil || lcm.Is(err, lcm.KindNotFound) {
		err = c.release(ctx, s)
	}
	if err != nil && ctx.Err() == nil {
		c.log.Error("delete server", "server", s.Name, "id", id, "error", err.Error())
		_, _, _ = state.Change(c.store, servers, id, func(s *Server) error {
			s.Status, s.Task, s.Deleting = statusError, "", false
			s.Fault = &ServerFault{Code: 500, Message: "Delete failed: " + sentence(err), At: c.now()}
			return nil
		})
	}
}

// release frees what a server had, once its machine is gone.
func (c *Cloud) release(ctx context.Context, s Server) error {
	for _, id := range s.OwnPorts {
		if err := c.dropPort(ctx, id); err != nil {
			return err
		}
	}
	var drop []string
	err := c.store.Update(func(tx *state.Tx) error {
		for _, id := range s.PortIDs {
			if p, found := ports.Get(tx, id); found && p.DeviceID == s.ID {
				if err := settle(tx, id, "", "", "DOWN", c.now()); err != nil {
					return err
				}
			}
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

// recoverServers looks after every server when the lab comes back: boots what had not finished, deletes
// what was being deleted, and notes what went off meanwhile.
func (c *Cloud) recoverServers(ctx context.Context) {
	for _, s := range state.LoadAll(c.store, servers, "") {
		st, err := c.driver.State(ctx, s.ID)
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
		case s.Task != "":
			c.setStatus(s.ID, s.Status)
		}
	}
}
