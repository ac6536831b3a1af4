package vnfpkg

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Values of generated templates.

func text(s string) *value { return scalar("!!str", s) }

func sequence(items ...*value) *value {
	return &value{kind: yaml.SequenceNode, tag: "!!seq", style: yaml.FlowStyle, items: items}
}

// lines is an empty sequence, written with one line for each item.
func lines() *value { return &value{kind: yaml.SequenceNode, tag: "!!seq"} }

func words(list ...string) *value {
	out := sequence()
	for _, s := range list {
		out.items = append(out.items, text(s))
	}
	return out
}

// calls is a call of one of Heat's functions.
func calls(function string, argument *value) *value {
	v := mapping(function, argument)
	v.style = yaml.FlowStyle
	return v
}

func getParam(path ...string) *value {
	if len(path) == 1 {
		return calls("get_param", text(path[0]))
	}
	return calls("get_param", words(path...))
}

func getResource(name string) *value { return calls("get_resource", text(name)) }

func parameter(kind, description string) *value {
	return mapping("type", text(kind), "description", text(description))
}

// copied is a copy of a value without its place in the file.
func copied(v *value) *value {
	c := *v
	c.items = make([]*value, len(v.items))
	for i, item := range v.items {
		c.items[i] = copied(item)
	}
	return &c
}

// raw is a property of a node, or its type's default, with TOSCA functions unresolved.
func (g *generator) raw(node *value, name string) *value {
	if v := node.at("properties", name); !v.isNull() {
		return v
	}
	return g.typeDefault(node.at("type").str(), name)
}

// computed is a value of the VNFD in a template. {get_input: name} becomes a parameter of that name, which requests set
// in additionalParams. {concat: [...]} joins texts (TOSCA simple profile, clause 4.3). Other functions are a problem.
func (g *generator) computed(s *scope, v *value) *value {
	switch {
	case v.isMap() && len(v.keys) == 1 && v.at("get_input").str() != "":
		return g.input(s, v.at("get_input"))
	case v.isMap() && len(v.keys) == 1 && v.at("concat").isList():
		parts := sequence()
		for _, item := range v.at("concat").items {
			parts.items = append(parts.items, g.computed(s, item))
		}
		return calls("list_join", sequence(text(""), parts))
	case v.isMap() && len(v.keys) == 1 &&
		slices.Contains([]string{"get_property", "get_attribute", "get_artifact", "token", "get_operation_output"},
			v.keys[0]):
		g.problem(v.place(), "the function %s is not known here: use get_input or concat", v.keys[0])
		return text("")
	case v.isMap() || v.isList():
		c := *v
		c.items = nil
		for _, item := range v.items {
			c.items = append(c.items, g.computed(s, item))
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
func (g *generator) input(s *scope, named *value) *value {
	name := named.str()
	declared := g.root.at("inputs", name)
	if name == "nfv" || !heatName.MatchString(name) {
		g.problem(named.place(), "the input %s cannot be a parameter of a Heat template: rename it", quoteName(name))
		return text("")
	}
	kind := cmp.Or(hotTypes[declared.at("type").str()], "string")
	if !g.top.parameters.has(name) {
		p := mapping("type", text(kind))
		if d := declared.at("description").str(); d != "" {
			p.set("description", text(d))
		}
		if d := declared.at("default"); !d.isNull() {
			p.set("default", copied(d))
		}
		if isSecretName(name) {
			p.set("hidden", scalar("!!bool", "true"))
		}
		g.top.parameters.set(name, p)
	}
	taken := s.take("input_"+name, kind, getParam(name))
	if s.pass != nil && isSecretName(name) {
		s.parameters.at("input_"+name).set("hidden", scalar("!!bool", "true"))
	}
	return taken
}

// isSecretName tells whether Heat must hide a parameter with that name.
func isSecretName(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc([]string{"password", "passwd", "secret", "token", "private_key"},
		func(word string) bool { return strings.Contains(lower, word) })
}
