// Package hot knows the Heat templates (HOT) of VNF packages: it checks them, changes them for a request, and makes the
// parameters of a stack.
package hot

import (
	"maps"
	"slices"
	"strconv"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// Template holds the files of a Heat stack: the text of the top template, and the other files under the names by which
// templates use them.
type Template struct {
	Top   string
	Files map[string]string
}

// StackTemplate reads the templates of a flavour. A VDU or an aspect of the VNFD may decide the size of a group while
// the Base HOT has a plain number. That number then becomes the default of a new parameter
// ("<group>_desired_capacity"), which Parameters sets. Otherwise the stack would ignore the instantiation level,
// and every scaling would need another template. Everything else stays as in the package. If the package has no Base
// HOT, the templates are those that Windlass made from the VNFD at onboarding.
func StackTemplate(f *descriptor.Flavour, read func(path string) ([]byte, error)) (Template, error) {
	if f.BaseHOT == "" {
		return Template{}, notOnBoard(f)
	}
	inPackage := read
	read = func(path string) ([]byte, error) {
		if made, ok := f.MadeTemplate(path); ok {
			return made, nil
		}
		return inPackage(path)
	}
	top, err := read(f.BaseHOT)
	if err != nil {
		return Template{}, err
	}
	t := Template{Top: string(top), Files: make(map[string]string, len(f.Nested))}
	for _, name := range slices.Sorted(maps.Keys(f.Nested)) {
		data, err := read(f.Nested[name])
		if err != nil {
			return Template{}, err
		}
		t.Files[name] = string(data)
	}
	parsed, err := t.parse(f)
	if err != nil {
		return Template{}, err
	}
	return t, parsed.parameterise(f, &t)
}

// parsedTemplate is a Template as values; templates that other files only name stay text.
type parsedTemplate struct {
	top    *document.Value
	nested map[string]*document.Value
}

func (t Template) parse(f *descriptor.Flavour) (parsedTemplate, error) {
	limits := document.Limits{}.WithDefaults()
	rep := &document.Report{}
	p := parsedTemplate{nested: map[string]*document.Value{}}
	parse := func(name, text string) *document.Value {
		root, err := document.Parse(name, []byte(text), limits)
		if err != nil {
			rep.Unreadable(name, err)
		} else if !root.IsMap() {
			rep.Problem(name, "is not a mapping")
		}
		return root
	}
	p.top = parse(f.BaseHOT, t.Top)
	pending := []*document.Value{p.top}
	for len(pending) > 0 {
		root := pending[0]
		pending = pending[1:]
		for _, use := range fileUses(root) {
			text, ok := t.Files[use.name]
			if _, seen := p.nested[use.name]; seen || !ok || !use.template {
				continue
			}
			p.nested[use.name] = parse(use.name, text)
			pending = append(pending, p.nested[use.name])
		}
	}
	return p, rep.Err("the templates of the flavour " + f.ID + " cannot be used")
}

func (p parsedTemplate) groups(f *descriptor.Flavour) []group {
	return findGroups(f, p.top, func(name string) *document.Value { return p.nested[name] })
}

// parameterise replaces the plain numbers in t's top template.
func (p parsedTemplate) parameterise(f *descriptor.Flavour, t *Template) error {
	changed := false
	for _, g := range p.groups(f) {
		if !g.isLiteral() {
			continue
		}
		parameters := p.top.At("parameters")
		if !parameters.IsMap() {
			parameters = document.Mapping()
			p.top.Set("parameters", parameters)
		}
		properties := g.resource.At("properties")
		if !properties.IsMap() {
			continue // Heat refuses such a group
		}
		name := g.name + "_desired_capacity"
		for parameters.Has(name) {
			name = "windlass_" + name
		}
		parameters.Set(name, document.Mapping(
			"type", document.Scalar("!!str", "number"),
			"description", document.Scalar("!!str", "Set by Windlass from the instantiation level"),
			"default", document.Scalar("!!int", strconv.Itoa(g.literalSize())),
		))
		properties.Set(g.sizeKey, document.Mapping("get_param", document.Scalar("!!str", name)))
		changed = true
	}
	if !changed {
		return nil
	}
	text, err := p.top.Encode()
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "%s cannot be written again", f.BaseHOT)
	}
	t.Top = text
	return nil
}

// literalSize is the number of members that Heat would make: the size itself, else min_size.
func (g group) literalSize() int {
	p := g.resource.At("properties")
	for _, key := range []string{g.sizeKey, "min_size"} {
		if n, ok := p.At(key).Number(); ok {
			return n
		}
	}
	return 1
}

// notOnBoard is the error for a flavour without templates.
func notOnBoard(f *descriptor.Flavour) error {
	if f.Containers {
		return lcm.Errorf(lcm.KindInvalid, "the VDUs of the flavour %s are containers: it has no Heat template, and "+
			"cannot run on OpenStack", f.ID)
	}
	return lcm.Errorf(lcm.KindInvalid, "the flavour %s has no Base HOT (BaseHOT/%s/*.yaml), and Windlass made none "+
		"from its VNFD when it on-boarded the package: the flavour has no VDU with an image, or an earlier version of "+
		"Windlass on-boarded it. It cannot be instantiated on OpenStack; add a Base HOT, or on-board the package again",
		f.ID, f.ID)
}
