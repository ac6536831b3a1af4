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
		// What a service does not have is answered in that service's own words.
		rt.mux.Handle(s.prefix+"/", c.serve(s, func(r *request) (reply, error) {
			return reply{}, notFound("NotFound", "The lab has no %s %s.", r.Method, r.URL.Path)
		}))
	}
	return rt.mux
}
