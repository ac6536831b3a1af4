package openstack

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

func (rt *router) heat() {
	c := rt.c
	for _, path := range []string{"", "/{$}"} {
		rt.open(heat, "GET "+path, func(*request) (reply, error) {
			return reply{status: http.StatusMultipleChoices, body: object{"versions": []object{{
				"id": "v1.0", "status": "CURRENT", "links": []object{{"rel": "self", "href": c.cfg.Endpoint + "/heat-api/v1/"}},
			}}}}, nil
		})
	}
	const base = "/v1/{project}"
	rt.on(heat, "GET "+base+"/build_info", func(*request) (reply, error) {
		return ok(object{"api": object{"revision": "lab"}, "engine": object{"revision": "lab"}})
	})
	rt.on(heat, "POST "+base+"/stacks", c.createStack)
	rt.on(heat, "POST "+base+"/stacks/preview", c.previewStack)
	rt.on(heat, "GET "+base+"/stacks", c.listStacks)
	rt.on(heat, "GET "+base+"/stacks/detail", c.listStacks)
	rt.on(heat, "POST "+base+"/validate", c.validateTemplate)
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
	rt.on(heat, "GET "+stack, c.showStack)
	rt.on(heat, "PUT "+stack, func(r *request) (reply, error) { return c.updateStack(r, false) })
	rt.on(heat, "PATCH "+stack, func(r *request) (reply, error) { return c.updateStack(r, true) })
	rt.on(heat, "DELETE "+stack, c.deleteStack)
	rt.on(heat, "POST "+stack+"/actions", c.stackAction)
	rt.on(heat, "GET "+stack+"/template", c.stackTemplate)
	rt.on(heat, "GET "+stack+"/files", c.stackFiles)
	rt.on(heat, "GET "+stack+"/environment", c.stackEnvironment)
	rt.on(heat, "GET "+stack+"/outputs", c.listOutputs)
	rt.on(heat, "GET "+stack+"/outputs/{key}", c.showOutput)
	rt.on(heat, "GET "+stack+"/events", c.listEvents)
	rt.on(heat, "GET "+stack+"/resources", c.listResources)
	rt.on(heat, "GET "+stack+"/resources/{resource}", c.showResource)
	rt.on(heat, "PATCH "+stack+"/resources/{resource}", c.markUnhealthy)
	rt.on(heat, "GET "+stack+"/resources/{resource}/metadata", c.resourceMetadata)
	rt.on(heat, "GET "+stack+"/resources/{resource}/events", c.listEvents)
	rt.on(heat, "POST "+stack+"/resources/{resource}/signal", c.signal)
	rt.open(cfn, "POST /v1/signal/{arn...}", c.alarm)
}

// heatFailure turns the engine's errors into API errors.
func heatFailure(err error) error {
	e, known := errors.AsType[*hot.Error](err)
	if !known {
		return err
	}
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

func (c *Cloud) createStack(r *request) (reply, error) {
	req, err := c.readStack(r)
	if err != nil {
		return reply{}, err
	}
	if req.Template == nil {
		return reply{}, badRequest("No template specified")
	}
	st, err := c.heat.CreateStack(r.Context(), req)
	if err != nil {
		return reply{}, heatFailure(err)
	}
	return created(object{"stack": object{"id": st.ID, "links": []object{{"rel": "self", "href": c.stackLink(st)}}}})
}

// previewStack answers a preview; the answer tells only that Heat would accept the stack.
func (c *Cloud) previewStack(r *request) (reply, error) {
	req, err := c.readStack(r)
	if err != nil {
		return reply{}, err
	}
	if req.Template == nil {
		return reply{}, badRequest("No template specified")
	}
	if err := c.heat.PreviewStack(r.Context(), req); err != nil {
		return reply{}, heatFailure(err)
	}
	return ok(object{"stack": object{"stack_name": req.Name, "parameters": req.Parameters, "resources": []object{}}})
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
		return reply{}, heatFailure(err)
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
		"description":   st.Description,
		"creation_time": stamp(st.Created), "updated_time": nil, "deletion_time": nil, "tags": tagList,
		"stack_owner": st.UserName, "parent": nil,
		"project": st.ProjectID, "stack_user_project_id": st.ProjectID,
		"links": []object{{"rel": "self", "href": c.stackLink(st)}},
	}
	if !st.Updated.IsZero() {
		view["updated_time"] = stamp(st.Updated)
	}
	if !st.Deleted.IsZero() {
		view["deletion_time"] = stamp(st.Deleted)
	}
	if st.Nested() {
		view["parent"] = st.ParentID
	}
	if detail {
		view["parameters"] = c.heat.Parameters(r.Context(), st)
		view["disable_rollback"], view["template_description"] = st.DisableRollback, st.Description
		view["capabilities"], view["notification_topics"] = []object{}, []object{}
		view["timeout_mins"] = any(nil)
		if st.TimeoutMins > 0 {
			view["timeout_mins"] = st.TimeoutMins
		}
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

func (c *Cloud) showStack(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	view := c.stackView(r, st, true)
	if !strings.EqualFold(r.URL.Query().Get("resolve_outputs"), "false") {
		outputs, err := c.heat.Outputs(r.Context(), st)
		if err != nil {
			return reply{}, heatFailure(err)
		}
		list := []object{}
		for _, o := range outputs {
			list = append(list, outputView(o))
		}
		view["outputs"] = list
	}
	return ok(object{"stack": view})
}

func outputView(o hot.OutputValue) object {
	view := object{"output_key": o.Key, "output_value": o.Value, "description": o.Description}
	if o.Description == "" {
		view["description"] = "No description given"
	}
	if o.Error != "" {
		view["output_error"] = o.Error
	}
	return view
}

func (c *Cloud) updateStack(r *request, existing bool) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
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
	if err := c.heat.UpdateStack(r.Context(), st.ID, req); err != nil {
		return reply{}, heatFailure(err)
	}
	return accepted(nil)
}

func (c *Cloud) deleteStack(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	if st.Nested() {
		return reply{}, badRequest("The lab does not delete nested stacks by themselves: update the stack above them.")
	}
	if !st.Deleted.IsZero() {
		return noContent()
	}
	if err := c.heat.DeleteStack(st.ID); err != nil {
		return reply{}, heatFailure(err)
	}
	return noContent()
}

func (c *Cloud) stackAction(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	var body map[string]any
	if err := r.decode("", &body); err != nil {
		return reply{}, err
	}
	names := slices.Sorted(maps.Keys(body))
	if len(names) != 1 {
		return reply{}, badRequest("Give exactly one action, not %d.", len(names))
	}
	switch {
	case names[0] == "check":
		err = c.heat.CheckStack(st.ID)
	case names[0] == "cancel_without_rollback" && !st.Nested():
		err = c.heat.CancelStack(st.ID)
	default: // cancel_update would roll back
		return reply{}, badRequest("The lab knows the stack actions check and, for a stack that is not nested, "+
			"cancel_without_rollback, not %s.", names[0])
	}
	if err != nil {
		return reply{}, heatFailure(err)
	}
	return created(nil)
}
