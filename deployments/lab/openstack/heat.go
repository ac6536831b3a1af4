package openstack

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

func (rt *router) heat() {
	c := rt.c
	rt.roots(heat, func(*request) (reply, error) {
		return reply{status: http.StatusMultipleChoices, body: object{"versions": []object{{
			"id": "v1.0", "status": "CURRENT", "links": []object{{"rel": "self", "href": c.cfg.Endpoint + "/heat-api/v1/"}},
		}}}}, nil
	}, "", "/{$}")
	const base = "/v1/{project}"
	rt.on(heat, "GET "+base+"/build_info", func(*request) (reply, error) {
		return ok(object{"api": object{"revision": "lab"}, "engine": object{"revision": "lab"}})
	})
	rt.on(heat, "POST "+base+"/stacks", withTemplate(c, c.createStack))
	rt.on(heat, "POST "+base+"/stacks/preview", withTemplate(c, c.previewStack))
	rt.on(heat, "GET "+base+"/stacks", c.listStacks)
	rt.on(heat, "GET "+base+"/stacks/detail", c.listStacks)
	rt.on(heat, "POST "+base+"/validate", withTemplate(c, c.validateTemplate))
	rt.on(heat, "GET "+base+"/resource_types", c.listTypes)
	rt.on(heat, "GET "+base+"/resource_types/{type}", c.showType)
	// When a request has only a stack's name, Heat redirects to the URL with name and id, and keeps the rest of the path.
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		rt.on(heat, method+" "+base+"/stacks/{name}", c.redirect)
	}
	rt.on(heat, "POST "+base+"/stacks/{name}/actions", c.redirect)
	for _, sub := range []string{"resources", "events", "template", "environment", "files", "outputs", "actions"} {
		rt.on(heat, "GET "+base+"/stacks/{name}/"+sub, c.redirect)
	}
	stack := base + "/stacks/{name}/{id}"
	on := func(pattern string, h func(*request, hot.Stack) (reply, error)) {
		rt.on(heat, pattern, with(c.stack, h))
	}
	on("GET "+stack, c.showStack)
	on("PUT "+stack, func(r *request, st hot.Stack) (reply, error) { return c.updateStack(r, st, false) })
	on("PATCH "+stack, func(r *request, st hot.Stack) (reply, error) { return c.updateStack(r, st, true) })
	on("DELETE "+stack, c.deleteStack)
	rt.on(heat, "POST "+stack+"/actions", withGiven(c.stack, "", c.stackAction))
	on("GET "+stack+"/template", c.stackTemplate)
	on("GET "+stack+"/files", c.stackFiles)
	on("GET "+stack+"/environment", c.stackEnvironment)
	on("GET "+stack+"/outputs", c.listOutputs)
	on("GET "+stack+"/outputs/{key}", c.showOutput)
	on("GET "+stack+"/events", c.listEvents)
	on("GET "+stack+"/resources", c.listResources)
	rt.on(heat, "GET "+stack+"/resources/{resource}", with(c.resource, c.showResource))
	rt.on(heat, "PATCH "+stack+"/resources/{resource}", withGiven(c.stack, "", c.markUnhealthy))
	rt.on(heat, "GET "+stack+"/resources/{resource}/metadata", with(c.resource, resourceMetadata))
	on("GET "+stack+"/resources/{resource}/events", c.listEvents)
	on("POST "+stack+"/resources/{resource}/signal", c.signal)
	rt.open(cfn, "POST /v1/signal/{arn...}", c.alarm)
}

// heatFailure turns an error of the engine into an API error.
func heatFailure(e *hot.Error) *apiError {
	code := http.StatusBadRequest
	switch e.Type {
	case hot.NotFound:
		code = http.StatusNotFound
	case hot.Forbidden:
		code = http.StatusForbidden
	case hot.StackExists, hot.ActionInProgress:
		code = http.StatusConflict
	}
	return fail(code, e.Type, "%s", e.Message)
}

func (c *Cloud) stackLink(st hot.Stack) string {
	return fmt.Sprintf("%s/heat-api/v1/%s/stacks/%s/%s", c.cfg.Endpoint, st.ProjectID, st.Name, st.ID)
}

// withTemplate returns a handler that reads a request with a template.
func withTemplate(c *Cloud, h func(r *request, req hot.Request) (reply, error)) handler {
	return with(c.readStack, func(r *request, req hot.Request) (reply, error) {
		if req.Template == nil {
			return reply{}, badRequest("No template specified")
		}
		return h(r, req)
	})
}

func (c *Cloud) createStack(r *request, req hot.Request) (reply, error) {
	st, err := c.heat.CreateStack(r.Context(), req)
	view := object{"id": st.ID, "links": []object{{"rel": "self", "href": c.stackLink(st)}}}
	return one(http.StatusCreated, "stack", view, err)
}

// previewStack answers a preview; the answer tells only that Heat would accept the stack.
func (c *Cloud) previewStack(r *request, req hot.Request) (reply, error) {
	view := object{"stack_name": req.Name, "parameters": req.Parameters, "resources": []object{}}
	return one(http.StatusOK, "stack", view, c.heat.PreviewStack(r.Context(), req))
}

// stack finds the stack of a request's path; the name must belong to the id.
func (c *Cloud) stack(r *request) (hot.Stack, error) {
	st, err := c.heat.Find(projectOrAny(r), r.PathValue("id"))
	if err != nil || st.Name != r.PathValue("name") || st.ID != r.PathValue("id") {
		return st, notFound(hot.NotFound, "The Stack (%s) could not be found.", r.PathValue("name"))
	}
	return st, nil
}

func projectOrAny(r *request) string {
	if r.token.Admin() {
		return ""
	}
	return r.project()
}

// redirect is Heat's answer when the path has a stack's name without its id.
func (c *Cloud) redirect(r *request) (reply, error) {
	st, err := c.heat.Find(projectOrAny(r), r.PathValue("name"))
	if err != nil {
		return reply{}, err
	}
	_, rest, _ := strings.Cut(r.URL.Path, "/stacks/"+r.PathValue("name"))
	location := c.stackLink(st) + rest
	if r.URL.RawQuery != "" {
		location += "?" + r.URL.RawQuery
	}
	return reply{
		status: http.StatusFound, header: map[string]string{"Location": location},
		body: object{"code": "302 Found", "title": "Found", "message": "The resource was found at " + location},
	}, nil
}

func (c *Cloud) stackView(r *request, st hot.Stack, detail bool) object {
	tagList := any(nil)
	if len(st.Tags) > 0 {
		tagList = st.Tags
	}
	view := object{
		"id": st.ID, "stack_name": st.Name, "stack_status": st.State(), "stack_status_reason": st.Reason,
		"description": st.Description, "creation_time": stamp(st.Created), "updated_time": stampOrNil(st.Updated),
		"deletion_time": stampOrNil(st.Deleted), "tags": tagList,
		"stack_owner": st.UserName, "parent": nil,
		"project": st.ProjectID, "stack_user_project_id": st.ProjectID,
		"links": []object{{"rel": "self", "href": c.stackLink(st)}},
	}
	if st.Nested() {
		view["parent"] = st.ParentID
	}
	if detail {
		view["parameters"] = c.heat.Parameters(r.Context(), st)
		view["disable_rollback"], view["template_description"] = st.DisableRollback, st.Description
		view["capabilities"], view["notification_topics"] = []object{}, []object{}
		view["timeout_mins"] = orNil(st.TimeoutMins)
	}
	return view
}

func (c *Cloud) listStacks(r *request) (reply, error) {
	q := r.URL.Query()
	project := r.project()
	if q.Get("global_tenant") == "true" && r.token.Admin() {
		project = ""
	}
	isTrue := func(key string) bool { return strings.EqualFold(q.Get(key), "true") }
	out := []object{}
	for _, st := range c.heat.List(project, isTrue("show_nested"), isTrue("show_deleted"), q["name"]...) {
		wanted := q.Get("marker") == "" &&
			(!q.Has("stack_name") || slices.Contains(q["stack_name"], st.Name)) &&
			(!q.Has("id") || slices.Contains(q["id"], st.ID)) &&
			(!q.Has("status") || slices.Contains(q["status"], st.Status) || slices.Contains(q["status"], st.State()))
		for _, tag := range splitComma(q.Get("tags")) {
			wanted = wanted && slices.Contains(st.Tags, tag)
		}
		if wanted {
			out = append(out, c.stackView(r, st, false))
		}
	}
	return ok(object{"stacks": out})
}

func (c *Cloud) showStack(r *request, st hot.Stack) (reply, error) {
	view := c.stackView(r, st, true)
	if !strings.EqualFold(r.URL.Query().Get("resolve_outputs"), "false") {
		outputs, err := c.heat.Outputs(r.Context(), st)
		if err != nil {
			return reply{}, err
		}
		view["outputs"] = views(outputs, func(hot.OutputValue) bool { return true }, outputView)
	}
	return ok(object{"stack": view})
}

func outputView(o hot.OutputValue) object {
	view := object{
		"output_key": o.Key, "output_value": o.Value, "description": cmp.Or(o.Description, "No description given"),
	}
	if o.Error != "" {
		view["output_error"] = o.Error
	}
	return view
}

func (c *Cloud) updateStack(r *request, st hot.Stack, existing bool) (reply, error) {
	req, err := c.readStack(r)
	if err != nil {
		return reply{}, err
	}
	if req.Existing = existing; !existing && req.Template == nil {
		return reply{}, badRequest("No template specified")
	}
	if st.Nested() {
		return reply{}, badRequest("The lab does not update nested stacks by themselves: update the stack above them.")
	}
	return empty(http.StatusAccepted, c.heat.UpdateStack(r.Context(), st.ID, req))
}

func (c *Cloud) deleteStack(_ *request, st hot.Stack) (reply, error) {
	if st.Nested() {
		return reply{}, badRequest("The lab does not delete nested stacks by themselves: update the stack above them.")
	}
	if !st.Deleted.IsZero() {
		return noContent()
	}
	return empty(http.StatusNoContent, c.heat.DeleteStack(st.ID))
}

func (c *Cloud) stackAction(_ *request, st hot.Stack, body map[string]any) (reply, error) {
	names := slices.Sorted(maps.Keys(body))
	switch {
	case len(names) != 1:
		return reply{}, badRequest("Give exactly one action, not %d.", len(names))
	case names[0] == "check":
		return empty(http.StatusCreated, c.heat.CheckStack(st.ID))
	case names[0] == "cancel_without_rollback" && !st.Nested():
		return empty(http.StatusCreated, c.heat.CancelStack(st.ID))
	default: // cancel_update would roll back
		return reply{}, badRequest("The lab knows the stack actions check and, for a stack that is not nested, "+
			"cancel_without_rollback, not %s.", names[0])
	}
}
