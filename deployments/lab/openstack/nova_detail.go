package openstack

import (
	"maps"
	"net/http"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

type serverChange struct {
	Name *string `json:"name"`
}

func (c *Cloud) updateServer(r *request, s Server, q serverChange) (reply, error) {
	s, _, err := state.Change(c.store, servers, s.ID, func(s *Server) error { set(&s.Name, q.Name); return nil })
	if err != nil {
		return reply{}, err
	}
	return c.showServer(r, s)
}

func showMetadata(_ *request, s Server) (reply, error) { return ok(object{"metadata": s.Metadata}) }

// changeMetadata adds to the metadata, or replaces them for PUT.
func (c *Cloud) changeMetadata(r *request, s Server, metadata map[string]string) (reply, error) {
	s, err := c.setMetadata(s.ID, metadata, r.Method == http.MethodPut)
	return one(http.StatusOK, "metadata", s.Metadata, err)
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

func (c *Cloud) serverAddresses(_ *request, s Server) (reply, error) {
	return ok(object{"addresses": c.addresses(s)})
}

func (c *Cloud) serverInterfaces(_ *request, s Server) (reply, error) {
	out := []object{}
	for _, id := range s.PortIDs {
		if p, found := state.Load(c.store, ports, id); found {
			out = append(out, interfaceOf(p))
		}
	}
	return ok(object{"interfaceAttachments": out})
}

// interfaceOf is Nova's view of a port.
func interfaceOf(p Port) object {
	return object{
		"port_id": p.ID, "net_id": p.NetworkID, "mac_addr": p.MAC, "port_state": p.Status,
		"fixed_ips": portView(p)["fixed_ips"],
	}
}
