package openstack

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// collection is a collection of Neutron's objects with its calls.
type collection[T, Q any] struct {
	path, member string
	// list returns the objects that the caller sees, find one of them.
	list   func(r *request) []T
	find   func(r *request, id string) (T, error)
	view   func(T) object
	create func(r *request, q Q) (T, error)
	update func(r *request, id string, q Q) (T, error) // nil: there is no such call
	remove func(r *request, id string) error
}

// register registers the calls of a collection.
func register[T, Q any](rt *router, k collection[T, Q]) {
	all, item := "/v2.0/"+k.path, "/v2.0/"+k.path+"/{id}"
	answer := func(status int, v T, err error) (reply, error) {
		if err != nil {
			return reply{}, err
		}
		return one(status, k.member, rt.c.tagged(k.view(v)), nil)
	}
	rt.on(neutron, "GET "+all, func(r *request) (reply, error) {
		var out []object
		for _, v := range k.list(r) {
			out = append(out, k.view(v))
		}
		return ok(object{strings.ReplaceAll(path.Base(k.path), "-", "_"): rt.c.filtered(r, out)})
	})
	rt.on(neutron, "GET "+item, func(r *request) (reply, error) {
		v, err := k.find(r, r.PathValue("id"))
		return answer(http.StatusOK, v, err)
	})
	rt.on(neutron, "POST "+all, given(k.member, func(r *request, q Q) (reply, error) {
		v, err := k.create(r, q)
		return answer(http.StatusCreated, v, err)
	}))
	if k.update != nil {
		rt.on(neutron, "PUT "+item, given(k.member, func(r *request, q Q) (reply, error) {
			v, err := k.update(r, r.PathValue("id"), q)
			return answer(http.StatusOK, v, err)
		}))
	}
	rt.on(neutron, "DELETE "+item, func(r *request) (reply, error) {
		return empty(http.StatusNoContent, k.remove(r, r.PathValue("id")))
	})
	rt.tagsOf(item+"/tags", func(r *request) error { _, err := k.find(r, r.PathValue("id")); return err })
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
	id, _ := v["id"].(string)
	list, _ := state.Load(c.store, tags, id)
	v["tags"] = listed(list)
	return v
}

// tagsOf registers the calls for the tags of a collection's objects; find checks that the caller sees the object.
func (rt *router) tagsOf(path string, find func(*request) error) {
	seen := func(h handler) handler {
		return func(r *request) (reply, error) {
			if err := find(r); err != nil {
				return reply{}, err
			}
			return h(r)
		}
	}
	rt.on(neutron, "GET "+path, seen(rt.c.listTags))
	rt.on(neutron, "PUT "+path, seen(given("tags", rt.c.replaceTags)))
	rt.on(neutron, "DELETE "+path, seen(func(r *request) (reply, error) {
		return empty(http.StatusNoContent, state.Remove(rt.c.store, tags, r.PathValue("id")))
	}))
	rt.on(neutron, "PUT "+path+"/{tag}", seen(rt.c.addTag))
}

func (c *Cloud) listTags(r *request) (reply, error) {
	list, _ := state.Load(c.store, tags, r.PathValue("id"))
	return ok(object{"tags": listed(list)})
}

func (c *Cloud) replaceTags(r *request, list []string) (reply, error) {
	slices.Sort(list)
	list = slices.Compact(list)
	return one(http.StatusOK, "tags", listed(list), state.Save(c.store, tags, r.PathValue("id"), list))
}

func (c *Cloud) addTag(r *request) (reply, error) {
	list, _ := state.Load(c.store, tags, r.PathValue("id"))
	return empty(http.StatusCreated, state.Save(c.store, tags, r.PathValue("id"), appendMissing(list, r.PathValue("tag"))))
}
