package openstack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

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
		"creation_time": stamp(l.Resource.Created), "updated_time": stamp(l.Resource.Updated), "required_by": l.RequiredBy, "links": links,
	}
	if l.Stack.Nested() {
		view["parent_resource"] = l.Stack.ParentResource
	}
	return view
}

// maxListing is how deep nested_depth may go, as far as any stack does.
const maxListing = 10

func (c *Cloud) listResources(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	q := r.URL.Query()
	depth, _ := strconv.Atoi(q.Get("nested_depth")) // absent is 0
	out := []object{}
	for _, l := range c.heat.ListResources(st, min(depth, maxListing)) {
		if (!q.Has("type") || slices.Contains(q["type"], l.Resource.Type)) && (!q.Has("name") || slices.Contains(q["name"], l.Resource.Name)) &&
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
	l, err := c.heat.GetResource(st, r.PathValue("resource"))
	return l, heatNil(err)
}

// heatNil is heatFailure that leaves nil alone.
func heatNil(err error) error {
	if err == nil {
		return nil
	}
	return heatFailure(err)
}

func (c *Cloud) showResource(r *request) (reply, error) {
	l, err := c.resource(r)
	if err != nil {
		return reply{}, err
	}
	view := c.resourceView(l)
	view["attributes"], view["description"] = c.heat.Attributes(r.Context(), l), ""
	return ok(object{"resource": view})
}

func (c *Cloud) resourceMetadata(r *request) (reply, error) {
	l, err := c.resource(r)
	if err != nil {
		return reply{}, err
	}
	metadata := l.Resource.Metadata
	if metadata == nil {
		metadata = object{}
	}
	return ok(object{"metadata": metadata})
}

func (c *Cloud) markUnhealthy(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	var q struct {
		Unhealthy *bool  `json:"mark_unhealthy"`
		Reason    string `json:"resource_status_reason"`
	}
	if err := r.decode("", &q); err != nil {
		return reply{}, err
	}
	if q.Unhealthy == nil {
		return reply{}, badRequest("Missing mandatory (mark_unhealthy) key from mark unhealthy request")
	}
	if err := c.heat.MarkUnhealthy(st, r.PathValue("resource"), *q.Unhealthy, q.Reason); err != nil {
		return reply{}, heatFailure(err)
	}
	return reply{status: http.StatusOK}, nil
}

func (c *Cloud) signal(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	if err := c.heat.Signal(st, r.PathValue("resource")); err != nil {
		return reply{}, heatFailure(err)
	}
	return reply{status: http.StatusOK}, nil
}

// signalURL is where a resource is signalled with a token.
func (c *Cloud) signalURL(st hot.Stack, resource string) string {
	return c.stackLink(st) + "/resources/" + resource + "/signal"
}

// alarmURL is where a resource is signalled by whoever has the URL, as with Heat's presigned ones.
func (c *Cloud) alarmURL(st hot.Stack, resource string) string {
	arn := st.ARN() + "/resources/" + resource
	q := url.Values{"SignatureMethod": {"HmacSHA256"}, "SignatureVersion": {"2"}, "Signature": {c.sign(arn)}}
	return fmt.Sprintf("%s/heat-cfn/v1/signal/%s?%s", c.cfg.Endpoint, url.PathEscape(arn), q.Encode())
}

func (c *Cloud) sign(arn string) string {
	mac := hmac.New(sha256.New, []byte(c.seed.SigningKey))
	mac.Write([]byte(arn))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// alarm takes a signal at an alarm URL.
func (c *Cloud) alarm(r *request) (reply, error) {
	arn := r.PathValue("arn")
	if !hmac.Equal([]byte(c.sign(arn)), []byte(r.URL.Query().Get("Signature"))) {
		return reply{}, fail(http.StatusForbidden, "AccessDenied", "User is not authorized to perform action")
	}
	// arn:openstack:heat::<project>:stacks/<name>/<id>/resources/<resource>
	parts := strings.Split(arn, "/")
	head := strings.Split(arn, ":")
	if len(parts) != 5 || len(head) < 6 {
		return reply{}, badRequest("Invalid signal identifier")
	}
	st, err := c.heat.Find(head[4], parts[2])
	if err == nil {
		err = c.heat.Signal(st, parts[4])
	}
	if err != nil {
		return reply{}, heatFailure(err)
	}
	return reply{status: http.StatusOK}, nil
}

func (c *Cloud) listEvents(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	q := r.URL.Query()
	depth, _ := strconv.Atoi(q.Get("nested_depth")) // absent is 0
	out := []object{}
	for _, ev := range c.heat.Events(st, min(depth, maxListing)) {
		if want := r.PathValue("resource"); want != "" && want != ev.Resource {
			continue
		}
		link := c.stackLink(st)
		out = append(out, object{
			"id": ev.ID, "resource_name": ev.Resource, "logical_resource_id": ev.Resource, "physical_resource_id": ev.Physical,
			"resource_status": ev.Action + "_" + ev.Status, "resource_status_reason": ev.Reason, "event_time": stamp(ev.At),
			"links": []object{{"rel": "self", "href": link + "/resources/" + ev.Resource + "/events/" + ev.ID}, {"rel": "resource", "href": link + "/resources/" + ev.Resource}, {"rel": "stack", "href": link}},
		})
	}
	if q.Get("sort_dir") == "desc" {
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

func (c *Cloud) stackTemplate(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	template, _ := c.heat.Template(st)
	return ok(template)
}

func (c *Cloud) stackFiles(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	_, root := c.heat.Template(st)
	files := root.Files
	if files == nil {
		files = map[string]string{}
	}
	return ok(files)
}

func (c *Cloud) stackEnvironment(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	_, root := c.heat.Template(st)
	shown := func(m map[string]any) map[string]any {
		if m == nil {
			return map[string]any{}
		}
		return m
	}
	return ok(object{
		"parameters": shown(st.Given), "parameter_defaults": shown(root.Environment.Defaults), "resource_registry": object{"resources": object{}},
		"encrypted_param_names": []string{}, "event_sinks": []object{},
	})
}

func (c *Cloud) listOutputs(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	outputs, err := c.heat.Outputs(r.Context(), st)
	if err != nil {
		return reply{}, heatFailure(err)
	}
	list := []object{}
	for _, o := range outputs {
		view := outputView(o)
		delete(view, "output_value")
		list = append(list, view)
	}
	return ok(object{"outputs": list})
}

func (c *Cloud) showOutput(r *request) (reply, error) {
	st, err := c.stack(r)
	if err != nil {
		return reply{}, err
	}
	outputs, err := c.heat.Outputs(r.Context(), st)
	if err != nil {
		return reply{}, heatFailure(err)
	}
	for _, o := range outputs {
		if o.Key == r.PathValue("key") {
			return ok(object{"output": outputView(o)})
		}
	}
	return reply{}, notFound("NotFound", "Specified output key %s not found.", r.PathValue("key"))
}

func (c *Cloud) listTypes(*request) (reply, error) {
	return ok(object{"resource_types": c.heat.Types()})
}

func (c *Cloud) showType(r *request) (reply, error) {
	s, err := c.heat.SchemaOf(r.PathValue("type"))
	if err != nil {
		return reply{}, heatFailure(err)
	}
	props, attrs := object{}, object{}
	for name, p := range s.Properties {
		props[name] = object{"type": p.Type, "required": p.Required, "update_allowed": p.Updatable}
	}
	for _, a := range s.Attributes {
		attrs[a] = object{"description": ""}
	}
	return ok(object{"resource_type": r.PathValue("type"), "properties": props, "attributes": attrs, "support_status": object{"status": "SUPPORTED"}})
}

func (c *Cloud) validateTemplate(r *request) (reply, error) {
	req, err := c.readStack(r)
	if err != nil {
		return reply{}, err
	}
	if req.Template == nil {
		return reply{}, badRequest("No template specified")
	}
	t, err := c.heat.Validate(r.Context(), req)
	if err != nil {
		return reply{}, heatFailure(err)
	}
	params := object{}
	for name, p := range t.Parameters {
		view := object{"Type": heatTypeName(p.Type), "Label": p.Label, "Description": p.Description, "NoEcho": strconv.FormatBool(p.Hidden)}
		if p.HasDefault {
			view["Default"] = p.Default
		}
		params[name] = view
	}
	return ok(object{"Description": t.Description, "Parameters": params, "ParameterGroups": []object{}})
}

func heatTypeName(typ string) string {
	return map[string]string{"string": "String", "number": "Number", "json": "Json", "comma_delimited_list": "CommaDelimitedList", "boolean": "Boolean"}[typ]
}
