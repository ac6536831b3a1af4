package openstack

import (
	"strconv"
)

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
		"parameters": shown(st.Given), "parameter_defaults": shown(root.Environment.Defaults),
		"resource_registry":     object{"resources": object{}},
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
	return ok(object{
		"resource_type": r.PathValue("type"), "properties": props, "attributes": attrs,
		"support_status": object{"status": "SUPPORTED"},
	})
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
		view := object{
			"Type": heatTypeName(p.Type), "Label": p.Label, "Description": p.Description,
			"NoEcho": strconv.FormatBool(p.Hidden),
		}
		if p.HasDefault {
			view["Default"] = p.Default
		}
		params[name] = view
	}
	return ok(object{"Description": t.Description, "Parameters": params, "ParameterGroups": []object{}})
}

func heatTypeName(typ string) string {
	return map[string]string{
		"string": "String", "number": "Number", "json": "Json",
		"comma_delimited_list": "CommaDelimitedList", "boolean": "Boolean",
	}[typ]
}
