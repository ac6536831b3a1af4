package openstack

import (
	"net/http"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

func (rt *router) keystone() {
	c := rt.c
	rt.roots(keystone, c.keystoneVersions, "", "/{$}")
	rt.roots(keystone, func(*request) (reply, error) {
		return ok(object{"version": c.keystoneVersion()})
	}, "/v3", "/v3/{$}")
	rt.open(keystone, "POST /v3/auth/tokens", c.issueToken)
	rt.on(keystone, "GET /v3/auth/tokens", c.validateToken)
	rt.on(keystone, "DELETE /v3/auth/tokens", c.revokeToken)
	rt.on(keystone, "GET /v3/auth/catalog", func(r *request) (reply, error) {
		return ok(object{"catalog": c.catalog(r.project())})
	})
	rt.keystoneProjects()
	rt.keystoneUsers()
	rt.keystoneRoles()
	rt.on(keystone, "GET /v3/domains", func(*request) (reply, error) {
		return ok(object{"domains": []object{domainView()}})
	})
	rt.on(keystone, "GET /v3/domains/{id}", func(r *request) (reply, error) {
		if r.PathValue("id") != domainID {
			return reply{}, notFound("NotFound", "Could not find domain: %s.", r.PathValue("id"))
		}
		return ok(object{"domain": domainView()})
	})
	rt.on(keystone, "GET /v3/regions", func(*request) (reply, error) {
		list := []object{}
		for _, region := range append([]string{c.cfg.Region}, c.cfg.OtherRegions...) {
			list = append(list, object{"id": region, "description": "", "parent_region_id": nil})
		}
		return ok(object{"regions": list})
	})
	const creds, cred = "/v3/users/{id}/application_credentials", "/v3/users/{id}/application_credentials/{cred}"
	rt.on(keystone, "POST "+creds, given("application_credential", c.createCredential))
	rt.on(keystone, "GET "+creds, c.listCredentials)
	rt.on(keystone, "GET "+cred, show("application_credential", c.ownCredential, c.credentialView))
	rt.on(keystone, "DELETE "+cred, with(c.ownCredential, c.deleteCredential))
}

func domainView() object {
	return object{
		"id": domainID, "name": "Default", "enabled": true, "description": "The default domain", "links": object{},
	}
}

func (c *Cloud) keystoneVersion() object {
	return object{
		"id": "v3.14", "status": "stable", "updated": "2020-04-07T00:00:00Z",
		"links":       []object{{"rel": "self", "href": c.cfg.Endpoint + "/identity/v3/"}},
		"media-types": []object{{"base": "application/json", "type": "application/vnd.openstack.identity-v3+json"}},
	}
}

func (c *Cloud) keystoneVersions(*request) (reply, error) {
	return reply{
		status: http.StatusMultipleChoices,
		body:   object{"versions": object{"values": []object{c.keystoneVersion()}}},
	}, nil
}

// catalog lists every service under each interface.
func (c *Cloud) catalog(project string) []object {
	out := []object{}
	for _, s := range []struct{ name, typ, path string }{
		{"keystone", "identity", "/identity"},
		{"nova", "compute", "/compute/v2.1"},
		{"neutron", "network", "/networking"},
		{"cinderv3", "volumev3", "/volume/v3/" + project},
		{"cinder", "block-storage", "/volume/v3/" + project},
		{"glance", "image", "/image"},
		{"octavia", "load-balancer", "/load-balancer"},
		{"heat", "orchestration", "/heat-api/v1/" + project},
		{"heat-cfn", "cloudformation", "/heat-cfn/v1"},
	} {
		endpoints := []object{}
		for _, place := range c.places() {
			endpoints = append(endpoints, endpointView(s.typ, place, s.path))
		}
		out = append(out, object{"id": hashOf(s.typ)[:32], "name": s.name, "type": s.typ, "endpoints": endpoints})
	}
	return append(out, c.guestServices()...)
}

// nobody is a URL at which no service listens: the discard port.
const nobody = "http://127.0.0.1:9"

// place is the root URL of a region's services for one interface.
type place struct{ region, face, root string }

func (c *Cloud) places() []place {
	out := []place{
		{c.cfg.Region, "public", c.cfg.Endpoint},
		{c.cfg.Region, "internal", c.cfg.InternalEndpoint},
		{c.cfg.Region, "admin", c.cfg.InternalEndpoint},
	}
	for _, region := range c.cfg.OtherRegions {
		for _, face := range []string{"public", "internal", "admin"} {
			out = append(out, place{region, face, nobody})
		}
	}
	return out
}

func (c *Cloud) validateToken(r *request) (reply, error) {
	value := r.Header.Get("X-Subject-Token")
	t, err := c.authenticate(value)
	if err != nil {
		return reply{}, notFound("NotFound", "Failed to validate token")
	}
	return reply{
		status: http.StatusOK, body: object{"token": c.tokenView(t)},
		header: map[string]string{"X-Subject-Token": value},
	}, nil
}

func (c *Cloud) revokeToken(r *request) (reply, error) {
	value := r.Header.Get("X-Subject-Token")
	if _, err := c.authenticate(value); err != nil {
		return reply{}, notFound("NotFound", "Could not find token.")
	}
	return empty(http.StatusNoContent, state.Remove(c.store, tokens, hashOf(value)))
}
