package openstack

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// serverRequest is the body of POST /servers.
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

func (c *Cloud) createServerCall(r *request, q serverRequest) (reply, error) {
	var hints struct {
		Group string `json:"group"`
	}
	if r.decode("os:scheduler_hints", &hints) != nil {
		_ = r.decode("OS-SCH-HNT:scheduler_hints", &hints) // hints are optional
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
		"id": s.ID, "adminPass": q.AdminPass, "links": c.serverLinks(s.ID), "OS-DCF:diskConfig": "MANUAL",
		"security_groups": []object{},
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

// createServer records a server and boots its machine in the background. If a server has the id already, it returns
// that server.
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
		if s.Status == statusError {
			return errors.Join(tags.Put(tx, s.ID, append([]string{}, q.Tags...)), abandon(tx, &s, c.now()),
				servers.Put(tx, s.ID, s))
		}
		if err := settle(tx, s.PortIDs, s.ID, s.Host, "DOWN", c.now()); err != nil {
			return err
		}
		return errors.Join(tags.Put(tx, s.ID, append([]string{}, q.Tags...)), servers.Put(tx, s.ID, s))
	})
	if err == nil && !again && s.Status == statusBuild {
		c.later(s.ID, false, func(ctx context.Context) { c.boot(ctx, s.ID) })
	}
	return s, err
}

// abandon unbinds the existing ports of a server that does not boot, as Nova does.
func abandon(tx *state.Tx, s *Server, now time.Time) error {
	err := unsettle(tx, s.PortIDs, s.ID, now)
	s.PortIDs = slices.Clone(s.OwnPorts)
	return err
}

// draft checks the parts of a request other than networks and quotas.
func (c *Cloud) draft(id, project, user string, q serverRequest) (Server, error) {
	now := c.now()
	s := Server{
		ID: id, Name: q.Name, ProjectID: project, UserID: user, Status: statusBuild, Task: "spawning", KeyName: q.KeyName,
		AdminPass: q.AdminPass,
		AZ:        zone, ConfigDrive: q.ConfigDrive, Metadata: q.Metadata, GroupID: q.group, Created: now, Updated: now,
	}
	if s.Metadata == nil {
		s.Metadata = map[string]string{}
	}
	if s.Name == "" {
		return s, badRequest("Invalid input for field/attribute name. Value: . '' is too short")
	}
	var found bool
	if s.Flavor, found = c.findFlavor(project, q.Flavor); !found {
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

// plugServer binds the existing ports of a new server, and makes the others.
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
			if len(p.FixedIPs) == 0 && !p.NoAddress {
				return badRequest("Port %s requires a FixedIP in order to be used.", n.Port)
			}
			s.PortIDs = append(s.PortIDs, p.ID)
			continue
		}
		p, err := c.portOf(tx, s, n)
		if err != nil {
			return err
		}
		s.PortIDs, s.OwnPorts = append(s.PortIDs, p.ID), append(s.OwnPorts, p.ID)
	}
	return nil
}

// portOf makes a port for a server that names only a network.
func (c *Cloud) portOf(tx *state.Tx, s *Server, n nic) (Port, error) {
	net, found := networks.Get(tx, n.Network)
	if !found || net.ProjectID != s.ProjectID && !net.Shared {
		return Port{}, badRequest("Network %s could not be found.", n.Network)
	}
	q := portRequest{NetworkID: n.Network}
	if n.FixedIP != "" {
		q.FixedIPs = &[]wantedIP{{IP: n.FixedIP}}
	}
	p, err := c.newPort(tx, uuid.NewString(), s.ProjectID, q)
	if e, refused := errors.AsType[*apiError](err); refused && e.kind == "OverQuota" {
		err = fail(http.StatusForbidden, "Forbidden", "Maximum number of ports exceeded")
	}
	return p, err
}
