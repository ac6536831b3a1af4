package hot

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// Dir is where the Heat templates of a flavour are.
const Dir = "BaseHOT"

// Reader reads and checks the Heat templates of a flavour.
type Reader struct {
	*tosca.Topology
	flavour *descriptor.Flavour
}

// NewReader makes a reader for the templates of a flavour.
func NewReader(t *tosca.Topology, f *descriptor.Flavour) *Reader { return &Reader{t, f} }

// Check checks the templates of the flavour, and records which resources they make.
func (r *Reader) Check() {
	templates := map[string]*document.Value{}
	top := r.template(r.flavour.BaseHOT, nil, templates)
	if top == nil {
		return
	}
	r.madeLinks(top, templates)
	r.checkSizes(top, func(name string) *document.Value { return templates[r.flavour.Nested[name]] })
	for _, file := range slices.Sorted(maps.Keys(templates)) {
		r.checkNfv(templates[file])
	}
	r.checkRated()
}

// Nest names a file of the package as templates name it.
func (r *Reader) Nest(place, name, file string) {
	if other, ok := r.flavour.Nested[name]; ok && other != file {
		r.Problem(place, "the name %s means both %s and %s", document.Quote(name), other, file)
		return
	}
	r.flavour.Nested[name] = file
}

// template reads a template and those it uses, depth first. trail is the chain of files that led to it.
func (r *Reader) template(file string, trail []string, seen map[string]*document.Value) *document.Value {
	if slices.Contains(trail, file) {
		r.Problem(trail[len(trail)-1], "uses %s, which in turn uses this file", file)
		return nil
	}
	if root, ok := seen[file]; ok {
		return root
	}
	root := r.source(file)
	seen[file] = root
	if root == nil {
		return nil
	}
	r.checkTemplate(root)
	trail = append(slices.Clone(trail), file)
	for _, use := range fileUses(root) {
		target, ok := r.nestedFile(file, use.name)
		if !ok {
			r.Problem(use.at.Place(), "uses %s, which the archive lacks (looked for in %s)", document.Quote(use.name),
				path.Join(Dir, r.flavour.ID, "nested"))
			continue
		}
		r.Nest(use.at.Place(), use.name, target)
		if use.template {
			r.template(target, trail, seen)
		}
	}
	return root
}

// nestedFile finds a file as Heat's clients name it: below nested/, else relative to the template.
func (r *Reader) nestedFile(from, name string) (string, bool) {
	if file, ok := r.flavour.Nested[name]; ok {
		return file, true
	}
	nested := path.Join(Dir, r.flavour.ID, "nested")
	for _, base := range []string{nested + "/x", from, r.flavour.BaseHOT} {
		if target, ok := document.ResolvePath(base, name); ok && r.Zip.Has(target) {
			return target, true
		}
	}
	return "", false
}

// fileUse is a place in a template that names another file.
type fileUse struct {
	name     string
	template bool
	at       *document.Value
}

// fileUses finds resource types that are templates, and get_file.
func fileUses(root *document.Value) []fileUse {
	var out []fileUse
	root.At("resources").Walk(func(v *document.Value) {
		if file := v.At("get_file"); file.Str() != "" && len(v.Keys) == 1 {
			out = append(out, fileUse{file.Str(), false, file})
		}
	})
	for _, resource := range root.At("resources").Members() {
		for _, typed := range []*document.Value{
			resource, resource.At("properties", "resource"),
			resource.At("properties", "resource_def"),
		} {
			if typeName := typed.At("type"); document.IsYAML(typeName.Str()) || strings.HasSuffix(typeName.Str(), ".template") {
				out = append(out, fileUse{typeName.Str(), true, typeName})
			}
		}
	}
	return out
}

// checkTemplate refuses what Heat would refuse later: no version, no resources, references to nothing.
func (r *Reader) checkTemplate(root *document.Value) {
	if !root.Has("heat_template_version") {
		r.Problem(root.File, "is not a Heat template: it has no heat_template_version")
	}
	resources, parameters := root.At("resources"), root.At("parameters")
	if !resources.IsMap() {
		r.Problem(root.File, "has no resources")
	}
	for name, resource := range resources.Members() {
		if resource.At("type").Str() == "" {
			r.Problem(resource.Place(), "the resource %s has no type", document.Quote(name))
		}
	}
	check := func(v, ref *document.Value, in *document.Value, what string) {
		name := ref.Str()
		if ref.IsList() && len(ref.Items) > 0 {
			name = ref.Items[0].Str()
		}
		// A pseudo parameter, or the place holder of a "repeat".
		if name == "" || strings.HasPrefix(name, "OS::") || strings.ContainsAny(name, "%$<>{}") {
			return
		}
		if len(v.Keys) == 1 && !in.Has(name) {
			r.Problem(ref.Place(), "refers to the %s %s, which the template does not define", what, document.Quote(name))
		}
	}
	for _, part := range []*document.Value{resources, root.At("outputs"), root.At("conditions")} {
		part.Walk(func(v *document.Value) {
			check(v, v.At("get_param"), parameters, "parameter")
			check(v, v.At("get_resource"), resources, "resource")
			check(v, v.At("get_attr"), resources, "resource")
		})
	}
}

// checkNfv warns of parts of the nfv map that the VNFD cannot fill; requests may still fill them.
func (r *Reader) checkNfv(root *document.Value) {
	for _, use := range nfvUses(root) {
		switch kind, id := use.path[0], use.path[1]; kind {
		case "VDU":
			if _, ok := vduOrStorage(r.flavour, id); !ok {
				r.Warn(use.at.Place(), "takes %s from nfv, but the flavour %s has no such VDU", document.Quote(id), r.flavour.ID)
			}
		case "CP":
			if _, ok := r.flavour.Cp(id); !ok {
				r.Warn(use.at.Place(), "takes %s from nfv, but the flavour %s has no such connection point", document.Quote(id),
					r.flavour.ID)
			}
		case "VL":
			if link, ok := r.flavour.VirtualLink(id); ok {
				link.Rated = true
			} else {
				r.Warn(use.at.Place(), "takes %s from nfv, but the flavour %s has no such virtual link", document.Quote(id),
					r.flavour.ID)
			}
		}
	}
}

// checkRated warns of bit rates that no template uses.
func (r *Reader) checkRated() {
	for _, link := range r.flavour.VirtualLinks {
		scaled := func(a descriptor.ScalingAspect) bool { _, ok := a.Bitrates[link.ID]; return ok }
		if !link.Rated && (slices.ContainsFunc(r.flavour.Aspects, scaled) && link.InitialBitrate != nil) {
			r.Warn(r.flavour.BaseHOT, "the VNFD scales the bit rate of %s, but no template uses it "+
				"(nfv.VL.%s.kbps), so nothing limits it", link.ID, link.ID)
		}
	}
}

// checkSizes records the groups of the Base HOT, and warns of levels that they cannot hold.
func (r *Reader) checkSizes(top *document.Value, nested func(string) *document.Value) {
	levels := []string{""}
	for _, level := range r.flavour.Levels {
		levels = append(levels, level.ID)
	}
	groups := findGroups(r.flavour, top, nested)
	for _, g := range groups {
		if r.flavour.Groups == nil {
			r.flavour.Groups = map[string][]string{}
		}
		r.flavour.Groups[g.name] = g.vdus
	}
	for _, level := range levels {
		capacity, err := r.flavour.Capacity(level)
		if err != nil {
			continue
		}
		for _, g := range groups {
			if _, reason := g.size(capacity); reason != "" {
				r.Warn(g.resource.Place(), "%s", reason+levelName(level))
			}
		}
	}
}

// madeLinks records which templates make the networks of internal virtual links: resources of their names.
func (r *Reader) madeLinks(top *document.Value, templates map[string]*document.Value) {
	for i := range r.flavour.VirtualLinks {
		link := &r.flavour.VirtualLinks[i]
		if link.Made = isNetwork(top.At("resources", link.ID)); link.Made {
			continue
		}
		for _, file := range slices.Sorted(maps.Keys(templates)) {
			if vdus := memberVdus(r.flavour, templates[file]); len(vdus) > 0 &&
				isNetwork(templates[file].At("resources", link.ID)) {
				link.Made, link.VduID = true, vdus[0]
				break
			}
		}
	}
}

func levelName(id string) string {
	if id == "" {
		return " at the default level"
	}
	return fmt.Sprintf(" at the level %s", id)
}

// source reads a template of the flavour. It reports a template that cannot be used, and returns nil.
func (r *Reader) source(file string) *document.Value {
	made, ok := r.flavour.MadeTemplate(file)
	if !ok {
		return r.YAML(file)
	}
	root, err := document.Parse(file, made, r.Limits.YAML)
	if err != nil {
		r.Unreadable(file, err)
		return nil
	}
	return root
}
