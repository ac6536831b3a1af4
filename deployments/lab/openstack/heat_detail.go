package openstack

import (
	"net/http"
	"strconv"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

func (c *Cloud) stackTemplate(_ *request, st hot.Stack) (reply, error) {
	template, _ := c.heat.Template(st)
	return ok(template)
}

func (c *Cloud) stackFiles(_ *request, st hot.Stack) (reply, error) {
	_, root := c.heat.Template(st)
	return ok(mapped(root.Files))
}

func (c *Cloud) stackEnvironment(_ *request, st hot.Stack) (reply, error) {
	_, root := c.heat.Template(st)
	return ok(object{
		"parameters": mapped(st.Given), "parameter_defaults": mapped(root.Environment.Defaults),
		"resource_registry":     object{"resources": object{}},
		"encrypted_param_names": []string{}, "event_sinks": []object{},
	})
}

func (c *Cloud) listOutputs(r *request, st hot.Stack) (reply, error) {
	outputs, err := c.heat.Outputs(r.Context(), st)
	list := []object{}
	for _, o := range outputs {
		view := outputView(o)
		delete(view, "output_value")
		list = append(list, view)
	}
	return one(http.StatusOK, "outputs", list, err)
}

func (c *Cloud) showOutput(r *request, st hot.Stack) (reply, error) {
	key := r.PathValue("key")
	outputs, err := c.heat.Outputs(r.Context(), st)
	o, found := first(outputs, func(o hot.OutputValue) bool { return o.Key == key })
	if err == nil && !found {
		err = notFound("NotFound", "Specified output key %s not found.", key)
	}
	return one(http.StatusOK, "output", outputView(o), err)
}

func (c *Cloud) listTypes(*request) (reply, error) {
	return ok(object{"resource_types": c.heat.Types()})
}

func (c *Cloud) showType(r *request) (reply, error) {
	s, err := c.heat.SchemaOf(r.PathValue("type"))
	if err != nil {
		return reply{}, err
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

func (c *Cloud) validateTemplate(r *request, req hot.Request) (reply, error) {
	t, err := c.heat.Validate(r.Context(), req)
	if err != nil {
		return reply{}, err
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
