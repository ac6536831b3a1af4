// Package generator makes the Heat templates of a flavour whose package has none, from the nodes and policies of its
// VNFD.
package generator

import (
	"maps"
	"regexp"
	"slices"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// hotVersion is the version of templates that Windlass makes. It is the first version that can omit a property by a
// condition (Wallaby, 2021).
const hotVersion = "2021-04-16"

// heatName matches the names in templates that Windlass makes: Heat's rules for resources and for conditions combined.
var heatName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,150}$`)

// generator makes the Heat templates of a flavour without templates in the package, from the nodes and policies of the
// VNFD. It uses the names of a Base HOT: servers, ports, volumes and networks have the names of their nodes, and the
// group of a VDU has the name of the aspect that scales it.
type generator struct {
	*tosca.Topology
	flavour *descriptor.Flavour
	top     scope
	// files are the nested templates, by their names in the top template.
	files map[string]string
	// subnets are the subnets of a virtual link. Heat must create them before the link's ports.
	subnets map[string][]string
	// vips are the connection points with virtual addresses, by the connection points that may use them.
	vips map[string][]string
	// serverGroups and securityGroups are resources of the top template, by VDU and by connection point.
	serverGroups, securityGroups map[string]string
}

// scope is one generated template.
type scope struct {
	parameters, conditions, resources *document.Value
	// pass are the properties with which the top template sets the parameters; nil for the top template itself.
	pass *document.Value
	// after are resources of the top template that Heat must create first.
	after []string
}

func newScope() scope {
	return scope{parameters: document.Mapping(), conditions: document.Mapping(), resources: document.Mapping()}
}

// Templates makes the templates, and stores them with the flavour: a later version of Windlass might make different
// ones, and so change existing VNFs.
func Templates(t *tosca.Topology, f *descriptor.Flavour) {
	g := &generator{
		Topology: t, flavour: f, top: newScope(), files: map[string]string{}, subnets: map[string][]string{},
		vips: map[string][]string{}, serverGroups: map[string]string{}, securityGroups: map[string]string{},
	}
	g.top.parameters.Set("nfv", parameter("json", "Flavours, images, networks and sizes, from the VNFD and the request"))
	g.placement()
	g.security()
	for _, link := range f.VirtualLinks {
		g.link(link)
	}
	g.virtualAddresses()
	for i := range f.Vdus {
		if v := &f.Vdus[i]; !v.Containers {
			g.vdu(v)
		}
	}
	for _, s := range f.Storages {
		g.checkStorage(s)
	}
	f.BaseHOT = descriptor.GeneratedDir + "/" + f.ID + "/top.yaml"
	f.Nested, f.Generated = map[string]string{}, map[string]string{}
	f.Generated[f.BaseHOT] = g.text(g.top, "The flavour "+f.ID+" of the VNFD")
	for _, name := range slices.Sorted(maps.Keys(g.files)) {
		f.Nested[name] = descriptor.GeneratedDir + "/" + f.ID + "/nested/" + name
		f.Generated[f.Nested[name]] = g.files[name]
	}
}

// text is the YAML text of a generated template.
func (g *generator) text(s scope, description string) string {
	root := document.Mapping("heat_template_version", text(hotVersion), "description",
		text(description+", made a Heat template by Windlass"), "parameters", s.parameters)
	if len(s.conditions.Keys) > 0 {
		root.Set("conditions", s.conditions)
	}
	root.Set("resources", s.resources)
	out, err := root.Encode()
	if err != nil { // the values come from here, and from YAML texts
		g.Problem(g.Root.At("node_templates").Place(), "no Heat template can be made of the flavour %s: %v",
			document.Quote(g.flavour.ID), err)
	}
	return out
}

// add puts a resource into a template. at is its source in the VNFD.
func (g *generator) add(s *scope, name, kind string, properties *document.Value, at *document.Value, after ...string) {
	switch {
	case !heatName.MatchString(name):
		g.Problem(at.Place(), "%s cannot be the name of a Heat resource (letters, digits, _, . and -): rename the node, "+
			"or add a Base HOT to the package", document.Quote(name))
		return
	case s.resources.Has(name):
		g.Problem(at.Place(), "two resources would be called %s in the Heat template: rename the node, or add a Base "+
			"HOT to the package", name)
		return
	}
	resource := document.Mapping("type", text(kind))
	if len(after) > 0 {
		resource.Set("depends_on", words(after...))
	}
	if len(properties.Keys) > 0 {
		resource.Set("properties", properties)
	}
	s.resources.Set(name, resource)
}

// take makes a value of the top template available in this scope: the value itself, or a parameter.
func (s *scope) take(name, kind string, of *document.Value) *document.Value {
	if s.pass == nil {
		return of
	}
	if !s.parameters.Has(name) {
		s.parameters.Set(name, document.Mapping("type", text(kind)))
		s.pass.Set(name, of)
	}
	return getParam(name)
}

// optional takes a text for a property that the template omits if the text is empty or null.
func (s *scope) optional(condition, name string, of *document.Value) *document.Value {
	of = s.take(name, "string", of)
	empty := calls("equals", sequence(of, text("")))
	if s.pass == nil {
		empty = calls("or", sequence(empty, calls("equals", sequence(of, document.Scalar("!!null", "null")))))
	} else { // a nested template's parameter that gets null has its default
		s.parameters.At(name).Set("default", text(""))
	}
	s.conditions.Set(condition, calls("not", empty))
	return calls("if", sequence(text(condition), of))
}

// nodeOf is the node template of that name.
func (g *generator) nodeOf(id string) *document.Value { return g.Nodes.At(id) }
