package openstack

import (
	"net/url"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Service is an external service in the catalog, such as a VNF manager.
type Service struct {
	Type string `json:"type"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

const guests = state.Table[Service]("keystone_services")

// enlist adds an external service to the catalog, or changes its URL.
func (c *Cloud) enlist(r *request) (reply, error) {
	s := Service{Type: r.PathValue("type")}
	if err := r.decode("", &s); err != nil {
		return reply{}, err
	}
	s.Type = r.PathValue("type")
	if u, err := url.Parse(s.URL); err != nil || u.Host == "" || s.Name == "" {
		return reply{}, badRequest("A service of the catalog has a name and an absolute url.")
	}
	if err := state.Save(c.store, guests, s.Type, s); err != nil {
		return reply{}, err
	}
	return ok(s)
}

func (c *Cloud) delist(r *request) (reply, error) {
	if err := state.Remove(c.store, guests, r.PathValue("type")); err != nil {
		return reply{}, err
	}
	return noContent()
}

// guestServices returns the external services. They are in the lab's own region, at one URL for all interfaces.
func (c *Cloud) guestServices() (out []object) {
	for _, s := range state.LoadAll(c.store, guests, "") {
		endpoints := []object{}
		for _, face := range []string{"public", "internal", "admin"} {
			endpoints = append(endpoints, endpointView(s.Type, place{c.cfg.Region, face, s.URL}, ""))
		}
		out = append(out, object{"id": hashOf(s.Type)[:32], "name": s.Name, "type": s.Type, "endpoints": endpoints})
	}
	return out
}

func endpointView(serviceType string, at place, path string) object {
	return object{
		"id": hashOf(serviceType + at.face + at.region)[:32], "interface": at.face, "region": at.region,
		"region_id": at.region, "url": at.root + path,
	}
}
