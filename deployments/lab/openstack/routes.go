package openstack

import (
	"net/http"
)

// routes registers every call of every service.
func (c *Cloud) routes() http.Handler {
	rt := &router{c: c, mux: http.NewServeMux()}
	rt.keystone()
	rt.nova()
	rt.neutron()
	rt.cinder()
	rt.glance()
	rt.octavia()
	rt.heat()
	rt.lab()
	for _, s := range services {
		// An unknown path gets an error in the service's own format.
		rt.mux.Handle(s.prefix+"/", c.serve(s, func(r *request) (reply, error) {
			return reply{}, notFound("NotFound", "The lab has no %s %s.", r.Method, r.URL.Path)
		}))
	}
	return rt.mux
}
