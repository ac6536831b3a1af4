package openstack

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

func (c *Cloud) resourceView(l hot.Located) object {
	self := c.stackLink(l.Stack) + "/resources/" + l.Resource.Name
	links := []object{{"rel": "self", "href": self}, {"rel": "stack", "href": c.stackLink(l.Stack)}}
	if l.Child != nil {
		links = append(links, object{"rel": "nested", "href": c.stackLink(*l.Child)})
	}
	view := object{
		"resource_name": l.Resource.Name, "logical_resource_id": l.Resource.Name, "physical_resource_id": l.Resource.Physical,
		"resource_type": l.Resource.Type, "resource_status": l.Resource.State(), "resource_status_reason": l.Resource.Reason,
		"creation_time": stamp(l.Resource.Created), "updated_time": stamp(l.Resource.Updated), "required_by": l.RequiredBy,
		"links": links,
	}
	if l.Stack.Nested() {
		view["parent_resource"] = l.Stack.ParentResource
	}
	return view
}

// maxListing is the limit for nested_depth; no stack is deeper.
const maxListing = 10

func (c *Cloud) listResources(r *request, st hot.Stack) (reply, error) {
	q := r.URL.Query()
	depth, _ := strconv.Atoi(q.Get("nested_depth")) // absent is 0
	out := []object{}
	for _, l := range c.heat.ListResources(st, min(depth, maxListing)) {
		if (!q.Has("type") || slices.Contains(q["type"], l.Resource.Type)) &&
			(!q.Has("name") || slices.Contains(q["name"], l.Resource.Name)) &&
			(!q.Has("status") || slices.Contains(q["status"], l.Resource.Status)) {
			view := c.resourceView(l)
			if q.Has("with_detail") {
				view["attributes"] = c.heat.Attributes(r.Context(), l)
			}
			out = append(out, view)
		}
	}
	return ok(object{"resources": out})
}

func (c *Cloud) resource(r *request) (hot.Located, error) {
	st, err := c.stack(r)
	if err != nil {
		return hot.Located{}, err
	}
	return c.heat.GetResource(st, r.PathValue("resource"))
}

func (c *Cloud) showResource(r *request, l hot.Located) (reply, error) {
	view := c.resourceView(l)
	view["attributes"], view["description"] = c.heat.Attributes(r.Context(), l), ""
	return ok(object{"resource": view})
}

func resourceMetadata(_ *request, l hot.Located) (reply, error) {
	metadata := l.Resource.Metadata
	if metadata == nil {
		metadata = object{}
	}
	return ok(object{"metadata": metadata})
}

type healthMark struct {
	Unhealthy *bool  `json:"mark_unhealthy"`
	Reason    string `json:"resource_status_reason"`
}

func (c *Cloud) markUnhealthy(r *request, st hot.Stack, q healthMark) (reply, error) {
	if q.Unhealthy == nil {
		return reply{}, badRequest("Missing mandatory (mark_unhealthy) key from mark unhealthy request")
	}
	return empty(http.StatusOK, c.heat.MarkUnhealthy(st, r.PathValue("resource"), *q.Unhealthy, q.Reason))
}

func (c *Cloud) listEvents(r *request, st hot.Stack) (reply, error) {
	q := r.URL.Query()
	depth, _ := strconv.Atoi(q.Get("nested_depth")) // absent is 0
	out := []object{}
	for _, ev := range c.heat.Events(st, min(depth, maxListing)) {
		if want := r.PathValue("resource"); want == "" || want == ev.Resource {
			out = append(out, c.eventView(st, ev, depth > 0))
		}
	}
	if q.Get("sort_dir") != "asc" { // newest first by default
		slices.Reverse(out)
	}
	if after := q.Get("marker"); after != "" {
		i := slices.IndexFunc(out, func(ev object) bool { return ev["id"] == after })
		out = out[i+1:]
	}
	if n, err := strconv.Atoi(q.Get("limit")); err == nil && n >= 0 && n < len(out) {
		out = out[:n]
	}
	return ok(object{"events": out})
}

// eventView shows an event of the stack root or of a stack below it.
func (c *Cloud) eventView(root hot.Stack, ev hot.Event, nested bool) object {
	st := root
	if ev.StackID != root.ID {
		st = c.heat.Holder(ev, root)
	}
	link := c.stackLink(st)
	links := []object{
		{"rel": "self", "href": link + "/resources/" + ev.Resource + "/events/" + ev.ID},
		{"rel": "resource", "href": link + "/resources/" + ev.Resource},
		{"rel": "stack", "href": link},
	}
	if nested {
		links = append(links, object{"rel": "root_stack", "href": c.stackLink(root)})
	}
	return object{
		"id": ev.ID, "resource_name": ev.Resource, "logical_resource_id": ev.Resource, "physical_resource_id": ev.Physical,
		"resource_status": ev.Action + "_" + ev.Status, "resource_status_reason": ev.Reason, "event_time": stamp(ev.At),
		"links": links,
	}
}
