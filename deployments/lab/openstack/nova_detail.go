package openstack

import (
	"maps"
	"net/http"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

func (c *Cloud) updateServer(r *request) (reply, error) {
	s, err := c.server(r)
	if err != nil {
		return reply{}, err
	}
	var q struct {
		Name *string `json:"name"`
	}
	if err := r.decode("server", &q); err != nil {
		return reply{}, err
	}
	s, _, err = state.Change(c.store, servers, s.ID, func(s *Server) error { set(&s.Name, q.Name); return nil })
	if err != nil {
		return reply{}, err
	}
	return ok(object{"server": c.shownTo(r, s)})
}

func (c *Cloud) serverMetadata(r *request) (reply, error) {
	s, err := c.server(r)
	if err != nil {
		return reply{}, err
	}
	if r.Method != http.MethodGet {
		given := map[string]string{}
		if err := r.decode("metadata", &given); err != nil {
			return reply{}, err
		}
		if s, err = c.setMetadata(s.ID, given, r.Method == http.MethodPut); err != nil {
			return reply{}, err
		}
	}
	return ok(object{"metadata": s.Metadata})
}

func (c *Cloud) setMetadata(id string, given map[string]string, replace bool) (Server, error) {
	s, _, err := state.Change(c.store, servers, id, func(s *Server) error {
		if replace || s.Metadata == nil {
			s.Metadata = map[string]string{}
		}
		maps.Copy(s.Metadata, given)
		return nil
	})
	return s, err
}

func (c *Cloud) serverAddresses(r *request) (reply, error) {
	s, err := c.server(r)
	if err != nil {
		return reply{}, err
	}
	return ok(object{"addresses": c.addresses(s)})
}

func (c *Cloud) serverInterfaces(r *request) (reply, error) {
	s, err := c.server(r)
	if err != nil {
		return reply{}, err
	}
	out := []object{}
	for _, id := range s.PortIDs {
		p, found := state.Load(c.store, ports, id)
		if !found {
			continue
		}
		view := portView(p)
		out = append(out, object{
			"port_id": p.ID, "net_id": p.NetworkID, "mac_addr": p.MAC, "port_state": p.Status,
			"fixed_ips": view["fixed_ips"],
		})
	}
	return ok(object{"interfaceAttachments": out})
}

func (c *Cloud) serverTags(r *request) (reply, error) {
	s, err := c.server(r)
	if err != nil {
		return reply{}, err
	}
	list, _ := state.Load(c.store, tags, s.ID)
	if r.Method == http.MethodPut {
		if err := r.decode("tags", &list); err != nil {
			return reply{}, err
		}
		if err := state.Save(c.store, tags, s.ID, list); err != nil {
			return reply{}, err
		}
	}
	if list == nil {
		list = []string{}
	}
	return ok(object{"tags": list})
}
