package vnfpkg

import (
	"regexp"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// hotVersion is that of templates that Windlass makes: the first in which a property can be left out by a condition
// (Wallaby, 2021).
const hotVersion = "2021-04-16"

// generatedDir is where the templates that Windlass makes would be in the package.
const generatedDir = "generated"

// heatName is what names in templates that Windlass makes consist of: Heat's rules for resources and conditions
// together.
var heatName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,150}$`)

// generator makes the Heat templates of a flavour for which the package has none, of the nodes and policies of the
// VNFD. Its names are those that a Base HOT has: servers, ports, volumes and networks are called as their nodes, and
// the group of a VDU as the aspect that scales it.
type generator struct {
	*flavourReader
	top scope
	// files are the nested templates, by the names by which the top template uses them.
	files map[string]string
	// subnets are those of a virtual link, which must be there before its ports.
	subnets map[string][]string
	// vips are the connection points with virtual addresses, by those that may use them.
	vips map[string][]string
	// serverGroups and securityGroups are resources of the top template, by VDU and by connection point.
	serverGroups, securityGroups map[string]string
}

// scope is one template that is made.
type scope struct {
	parameters, conditions, resources *value
	// pass are the properties by which the top template fills the parameters; nil for the top template itself.
	pass *value
	// after are resources of the top template that must be there first.
	after []string
}

func newScope() scope {
	return scope{parameters: mapping(), conditions: mapping(), resources: mapping()}
}

// describesVMs tells whether the flavour's VDUs are VMs: a containerised VNF has VDUs of the same type, without image
// and connection point.
func (r *flavourReader) describesVMs() bool {
	bootable := func(id string) bool {
		return slices.ContainsFunc(r.flavour.Storages,
			func(s VirtualStorage) bool { return s.ID == id && s.Kind == "block" && s.Image != nil })
	}
	return slices.ContainsFunc(r.flavour.Vdus, func(v Vdu) bool {
		if v.Containers {
			return false
		}
		plugged := slices.ContainsFunc(r.flavour.Cps, func(c VduCp) bool { return c.VduID == v.ID })
		return (v.Image != nil || slices.ContainsFunc(v.Storages, bootable)) &&
			(plugged || v.VirtualCpus > 0 || v.ComputeFlavour != "")
	})
}

// generate makes the templates, and keeps them with the flavour: a later version of Windlass would make others, and so
// change VNFs that exist.
func (r *flavourReader) generate() {
	g := &generator{
		flavourReader: r, top: newScope(), files: map[string]string{}, subnets: map[string][]string{},
		vips:         map[string][]string{},
		serverGroups: map[string]string{}, securityGroups: map[string]string{},
	}
	g.top.parameters.set("nfv", parameter("json", "Flavours, images, networks and sizes, from the VNFD and the request"))
	g.placement()
	g.security()
	for _, link := range r.flavour.VirtualLinks {
		g.link(link)
	}
	g.virtualAddresses()
	for i := range r.flavour.Vdus {
		if v := &r.flavour.Vdus[i]; !v.Containers {
			g.vdu(v)
		}
	}
	for _, s := range r.flavour.Storages {
		g.checkStorage(s)
	}
	r.flavour.BaseHOT = generatedDir + "/" + r.flavour.ID + "/top.yaml"
	r.flavour.Nested, r.flavour.Generated = map[string]string{}, map[string]string{}
	r.flavour.Generated[r.flavour.BaseHOT] = g.text(g.top, "The flavour "+r.flavour.ID+" of the VNFD")
	for _, name := range sortedKeys(g.files) {
		r.flavour.Nested[name] = generatedDir + "/" + r.flavour.ID + "/nested/" + name
		r.flavour.Generated[r.flavour.Nested[name]] = g.files[name]
	}
}

// text is a template that was made.
func (g *generator) text(s scope, description string) string {
	root := mapping("heat_template_version", text(hotVersion), "description",
		text(description+", made a Heat template by Windlass"), "parameters", s.parameters)
	if len(s.conditions.keys) > 0 {
		root.set("conditions", s.conditions)
	}
	root.set("resources", s.resources)
	out, err := root.encode()
	if err != nil { // of values made here, and of texts that a YAML file had
		g.rep.problem(g.topology.at("node_templates").place(), "no Heat template can be made of the flavour %s: %v",
			quoteName(g.flavour.ID), err)
	}
	return out
}

// add puts a resource into a template. at is what it is made of.
func (g *generator) add(s *scope, name, kind string, properties *value, at *value, after ...string) {
	switch {
	case !heatName.MatchString(name):
		g.rep.problem(at.place(), "%s cannot be the name of a Heat resource (letters, digits, _, . and -): rename the node, "+
			"or add a Base HOT to the package", quoteName(name))
		return
	case s.resources.has(name):
		g.rep.problem(at.place(), "two resources would be called %s in the Heat template: rename the node, or add a Base "+
			"HOT to the package", name)
		return
	}
	resource := mapping("type", text(kind))
	if len(after) > 0 {
		resource.set("depends_on", words(after...))
	}
	if len(properties.keys) > 0 {
		resource.set("properties", properties)
	}
	s.resources.set(name, resource)
}

// take is a value of the top template as another may use it: as it is, or by a parameter.
func (s *scope) take(name, kind string, of *value) *value {
	if s.pass == nil {
		return of
	}
	if !s.parameters.has(name) {
		s.parameters.set(name, mapping("type", text(kind)))
		s.pass.set(name, of)
	}
	return getParam(name)
}

// optional takes a text for a property that is left out where it is empty or null.
func (s *scope) optional(condition, name string, of *value) *value {
	of = s.take(name, "string", of)
	empty := calls("equals", sequence(of, text("")))
	if s.pass == nil {
		empty = calls("or", sequence(empty, calls("equals", sequence(of, scalar("!!null", "null")))))
	} else { // a parameter of a nested template that is given null has its default
		s.parameters.at(name).set("default", text(""))
	}
	s.conditions.set(condition, calls("not", empty))
	return calls("if", sequence(text(condition), of))
}

// nodeOf is the node template of that name.
func (g *generator) nodeOf(id string) *value { return g.nodes.at(id) }

// generated reads a template that was made; false when it is one of the package.
func (f *Flavour) generated(path string) ([]byte, bool) {
	made, ok := f.Generated[path]
	return []byte(made), ok
}

// source reads a template of the flavour; nil when it cannot be used, which is reported.
func (r *flavourReader) source(file string) *value {
	made, ok := r.flavour.generated(file)
	if !ok {
		return r.yaml(file)
	}
	root, err := parseYAML(file, made, r.limits)
	if err != nil {
		reportYAML(r.rep, file, err)
		return nil
	}
	return root
}

// notOnBoard tells of a flavour without templates.
func notOnBoard(f *Flavour) error {
	if f.Containers {
		return lcm.Errorf(lcm.KindInvalid, "the VDUs of the flavour %s are containers: it has no Heat template, and is not on "+
			"an OpenStack", f.ID)
	}
	return lcm.Errorf(lcm.KindInvalid, "the flavour %s has no Base HOT (BaseHOT/%s/*.yaml), and none could be made of "+
		"its VNFD when the package was taken on board: it has no VDU with an image, "+
		"or an earlier version of Windlass took it. It cannot be instantiated on OpenStack; add a Base HOT, or on-board the "+
		"package again", f.ID, f.ID)
}
