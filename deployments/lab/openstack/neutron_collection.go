package openstack

import (
	"net/http"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// crud registers the five usual calls of a collection. The callbacks return views without their envelope.
func crud(rt *router, collection, member string,
	list func(*request) []object, show func(*request, string) (object, error),
	create func(*request) (object, error), update func(*request, string) (object, error),
	remove func(*request, string) error,
) {
	rt.on(neutron, "GET /v2.0/"+collection, func(r *request) (reply, error) {
		return ok(object{strings.ReplaceAll(collection, "-", "_"): rt.c.filtered(r, list(r))})
	})
	rt.on(neutron, "GET /v2.0/"+collection+"/{id}", func(r *request) (reply, error) {
		v, err := show(r, r.PathValue("id"))
		return reply{status: http.StatusOK, body: object{member: rt.c.tagged(v)}}, err
	})
	rt.on(neutron, "POST /v2.0/"+collection, func(r *request) (reply, error) {
		v, err := create(r)
		return reply{status: http.StatusCreated, body: object{member: rt.c.tagged(v)}}, err
	})
	if update != nil {
		rt.on(neutron, "PUT /v2.0/"+collection+"/{id}", func(r *request) (reply, error) {
			v, err := update(r, r.PathValue("id"))
			return reply{status: http.StatusOK, body: object{member: rt.c.tagged(v)}}, err
		})
	}
	rt.on(neutron, "DELETE /v2.0/"+collection+"/{id}", func(r *request) (reply, error) {
		return reply{status: http.StatusNoContent}, remove(r, r.PathValue("id"))
	})
}

// notFilters are the query parameters of a listing that do not name a field.
var notFilters = []string{"limit", "marker", "fields", "sort_key", "sort_dir", "page_reverse", "tags", "tags-any"}

// filtered applies the query's filters as Neutron does: fields by equality, fixed_ips by its parts, and tags.
func (c *Cloud) filtered(r *request, all []object) []object {
	q := r.URL.Query()
	out := []object{}
	for _, v := range all {
		v = c.tagged(v)
		keep := true
		for field, wanted := range q {
			if !slices.Contains(notFilters, field) {
				keep = keep && fieldMatches(v, field, wanted)
			}
		}
		have, _ := v["tags"].([]string)
		for _, tag := range splitComma(q.Get("tags")) {
			keep = keep && slices.Contains(have, tag)
		}
		if anyOf := splitComma(q.Get("tags-any")); len(anyOf) > 0 {
			keep = keep && slices.ContainsFunc(anyOf, func(tag string) bool { return slices.Contains(have, tag) })
		}
		if keep {
			out = append(out, v)
		}
	}
	return out
}

func splitComma(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func fieldMatches(v object, field string, wanted []string) bool {
	if field == "fixed_ips" {
		for _, w := range wanted {
			key, value, _ := strings.Cut(w, "=")
			list, _ := v["fixed_ips"].([]object)
			if !slices.ContainsFunc(list, func(ip object) bool { return ip[key] == value }) {
				return false
			}
		}
		return true
	}
	have, known := v[field]
	if !known {
		return false
	}
	return slices.ContainsFunc(wanted, func(w string) bool {
		switch x := have.(type) {
		case string:
			return x == w
		case bool:
			return strings.EqualFold(w, "true") == x
		default:
			return false
		}
	})
}

// tagged adds an object's tags to its view.
func (c *Cloud) tagged(v object) object {
	if v == nil {
		return nil
	}
	id, _ := v["id"].(string)
	list, found := state.Load(c.store, tags, id)
	if !found || list == nil {
		list = []string{}
	}
	v["tags"] = list
	return v
}

// neutronTags registers the tags of each collection separately: a common pattern would conflict with QoS policies'
// paths.
func (rt *router) neutronTags() {
	for _, collection := range []string{
		"networks", "subnets", "ports", "routers", "floatingips", "security-groups",
		"security_groups",
	} {
		of := func(h handler) handler {
			return func(r *request) (reply, error) {
				r.SetPathValue("collection", collection)
				return h(r)
			}
		}
		path := " /v2.0/" + collection + "/{id}/tags"
		rt.on(neutron, "GET"+path, of(rt.c.listTags))
		rt.on(neutron, "PUT"+path, of(rt.c.replaceTags))
		rt.on(neutron, "DELETE"+path, of(rt.c.replaceTags))
		rt.on(neutron, "PUT"+path+"/{tag}", of(rt.c.addTag))
	}
}

func (c *Cloud) listTags(r *request) (reply, error) {
	list, _ := state.Load(c.store, tags, r.PathValue("id"))
	if list == nil {
		list = []string{}
	}
	return ok(object{"tags": list})
}

// taggable checks that the object exists and belongs to the caller.
func (c *Cloud) taggable(r *request) error {
	show := map[string]func(*request, string) (object, error){
		"networks": c.showNetwork, "subnets": c.showSubnet, "ports": c.showPort, "routers": c.showRouter,
		"floatingips": c.showFloatingIP, "security-groups": c.showGroup, "security_groups": c.showGroup,
	}[r.PathValue("collection")]
	if show == nil {
		return notFound("TagResourceNotFound", "Resource %s could not be found.", r.PathValue("collection"))
	}
	_, err := show(r, r.PathValue("id"))
	return err
}

func (c *Cloud) replaceTags(r *request) (reply, error) {
	if err := c.taggable(r); err != nil {
		return reply{}, err
	}
	list := []string{}
	if r.Method == http.MethodDelete {
		return reply{status: http.StatusNoContent}, state.Remove(c.store, tags, r.PathValue("id"))
	}
	if err := r.decode("tags", &list); err != nil {
		return reply{}, err
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if err := state.Save(c.store, tags, r.PathValue("id"), list); err != nil {
		return reply{}, err
	}
	return ok(object{"tags": list})
}

func (c *Cloud) addTag(r *request) (reply, error) {
	if err := c.taggable(r); err != nil {
		return reply{}, err
	}
	list, _ := state.Load(c.store, tags, r.PathValue("id"))
	return reply{status: http.StatusCreated}, state.Save(c.store, tags, r.PathValue("id"),
		appendMissing(list, r.PathValue("tag")))
}
