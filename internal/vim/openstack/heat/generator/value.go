package generator

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// Values of generated templates.

func text(s string) *document.Value { return document.Scalar("!!str", s) }

func sequence(items ...*document.Value) *document.Value {
	return &document.Value{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle, Items: items}
}

// lines is an empty sequence, written with one line for each item.
func lines() *document.Value { return &document.Value{Kind: yaml.SequenceNode, Tag: "!!seq"} }

func words(list ...string) *document.Value {
	out := sequence()
	for _, s := range list {
		out.Items = append(out.Items, text(s))
	}
	return out
}

// calls is a call of one of Heat's functions.
func calls(function string, argument *document.Value) *document.Value {
	v := document.Mapping(function, argument)
	v.Style = yaml.FlowStyle
	return v
}

func getParam(path ...string) *document.Value {
	if len(path) == 1 {
		return calls("get_param", text(path[0]))
	}
	return calls("get_param", words(path...))
}

func getResource(name string) *document.Value { return calls("get_resource", text(name)) }

func parameter(kind, description string) *document.Value {
	return document.Mapping("type", text(kind), "description", text(description))
}

// copied is a copy of a value without its place in the file.
func copied(v *document.Value) *document.Value {
	c := *v
	c.Items = make([]*document.Value, len(v.Items))
	for i, item := range v.Items {
		c.Items[i] = copied(item)
	}
	return &c
}

// raw is a property of a node, or its type's default, with TOSCA functions unresolved.
func (g *generator) raw(node *document.Value, name string) *document.Value {
	if v := node.At("properties", name); !v.IsNull() {
		return v
	}
	return g.TypeDefault(node.At("type").Str(), name)
}

// computed is a value of the VNFD in a template. {get_input: name} becomes a parameter of that name, which requests set
// in additionalParams. {concat: [...]} joins texts (TOSCA simple profile, clause 4.3). Other functions are a problem.
func (g *generator) computed(s *scope, v *document.Value) *document.Value {
	switch {
	case v.IsMap() && len(v.Keys) == 1 && v.At("get_input").Str() != "":
		return g.input(s, v.At("get_input"))
	case v.IsMap() && len(v.Keys) == 1 && v.At("concat").IsList():
		parts := sequence()
		for _, item := range v.At("concat").Items {
			parts.Items = append(parts.Items, g.computed(s, item))
		}
		return calls("list_join", sequence(text(""), parts))
	case v.IsMap() && len(v.Keys) == 1 &&
		slices.Contains([]string{"get_property", "get_attribute", "get_artifact", "token", "get_operation_output"},
			v.Keys[0]):
		g.Problem(v.Place(), "the function %s is not known here: use get_input or concat", v.Keys[0])
		return text("")
	case v.IsMap() || v.IsList():
		c := *v
		c.Items = nil
		for _, item := range v.Items {
			c.Items = append(c.Items, g.computed(s, item))
		}
		return &c
	default:
		return copied(v)
	}
}

// hotTypes maps the types of inputs to the types of Heat parameters.
var hotTypes = map[string]string{
	"integer": "number", "float": "number", "boolean": "boolean", "list": "json", "map": "json",
}

// input turns an input of the VNFD into a parameter.
func (g *generator) input(s *scope, named *document.Value) *document.Value {
	name := named.Str()
	declared := g.Root.At("inputs", name)
	if name == "nfv" || !heatName.MatchString(name) {
		g.Problem(named.Place(), "the input %s cannot be a parameter of a Heat template: rename it", document.Quote(name))
		return text("")
	}
	kind := cmp.Or(hotTypes[declared.At("type").Str()], "string")
	if !g.top.parameters.Has(name) {
		p := document.Mapping("type", text(kind))
		if d := declared.At("description").Str(); d != "" {
			p.Set("description", text(d))
		}
		if d := declared.At("default"); !d.IsNull() {
			p.Set("default", copied(d))
		}
		if tosca.IsSecret(name) {
			p.Set("hidden", document.Scalar("!!bool", "true"))
		}
		g.top.parameters.Set(name, p)
	}
	taken := s.take("input_"+name, kind, getParam(name))
	if s.pass != nil && tosca.IsSecret(name) {
		s.parameters.At("input_"+name).Set("hidden", document.Scalar("!!bool", "true"))
	}
	return taken
}
