package vnfpkg

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// hotDir is where the Heat templates of a flavour are.
const hotDir = "BaseHOT"

// templateReader reads and checks the Heat templates of a flavour.
type templateReader struct {
	*topology
	flavour *Flavour
}

// check checks the templates of the flavour, and records which resources they make.
func (r *templateReader) check() {
	templates := map[string]*value{}
	top := r.template(r.flavour.BaseHOT, nil, templates)
	if top == nil {
		return
	}
	r.madeLinks(top, templates)
	r.checkSizes(top, func(name string) *value { return templates[r.flavour.Nested[name]] })
	for _, file := range slices.Sorted(maps.Keys(templates)) {
		r.checkNfv(templates[file])
	}
	r.checkRated()
}

func (r *templateReader) nest(place, name, file string) {
	if other, ok := r.flavour.Nested[name]; ok && other != file {
		r.problem(place, "the name %s means both %s and %s", quoteName(name), other, file)
		return
	}
	r.flavour.Nested[name] = file
}

// template reads a template and those it uses, depth first. trail is the chain of files that led to it.
func (r *templateReader) template(file string, trail []string, seen map[string]*value) *value {
	if slices.Contains(trail, file) {
		r.problem(trail[len(trail)-1], "uses %s, which in turn uses this file", file)
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
			r.problem(use.at.place(), "uses %s, which the archive lacks (looked for in %s)", quoteName(use.name),
				path.Join(hotDir, r.flavour.ID, "nested"))
			continue
		}
		r.nest(use.at.place(), use.name, target)
		if use.template {
			r.template(target, trail, seen)
		}
	}
	return root
}

// nestedFile finds a file as Heat's clients name it: below nested/, else relative to the template.
func (r *templateReader) nestedFile(from, name string) (string, bool) {
	if file, ok := r.flavour.Nested[name]; ok {
		return file, true
	}
	nested := path.Join(hotDir, r.flavour.ID, "nested")
	for _, base := range []string{nested + "/x", from, r.flavour.BaseHOT} {
		if target, ok := resolvePath(base, name); ok && r.zip.has(target) {
			return target, true
		}
	}
	return "", false
}

// fileUse is a place in a template that names another file.
type fileUse struct {
	name     string
	template bool
	at       *value
}

// fileUses finds resource types that are templates, and get_file.
func fileUses(root *value) []fileUse {
	var out []fileUse
	root.at("resources").walk(func(v *value) {
		if file := v.at("get_file"); file.str() != "" && len(v.keys) == 1 {
			out = append(out, fileUse{file.str(), false, file})
		}
	})
	for _, resource := range root.at("resources").members() {
		for _, typed := range []*value{
			resource, resource.at("properties", "resource"),
			resource.at("properties", "resource_def"),
		} {
			if typeName := typed.at("type"); isYAML(typeName.str()) || strings.HasSuffix(typeName.str(), ".template") {
				out = append(out, fileUse{typeName.str(), true, typeName})
			}
		}
	}
	return out
}

// checkTemplate refuses what Heat would refuse later: no version, no resources, references to nothing.
func (r *templateReader) checkTemplate(root *value) {
	if !root.has("heat_template_version") {
		r.problem(root.file, "is not a Heat template: it has no heat_template_version")
	}
	resources, parameters := root.at("resources"), root.at("parameters")
	if !resources.isMap() {
		r.problem(root.file, "has no resources")
	}
	for name, resource := range resources.members() {
		if resource.at("type").str() == "" {
			r.problem(resource.place(), "the resource %s has no type", quoteName(name))
		}
	}
	check := func(v, ref *value, in *value, what string) {
		name := ref.str()
		if ref.isList() && len(ref.items) > 0 {
			name = ref.items[0].str()
		}
		// A pseudo parameter, or the place holder of a "repeat".
		if name == "" || strings.HasPrefix(name, "OS::") || strings.ContainsAny(name, "%$<>{}") {
			return
		}
		if len(v.keys) == 1 && !in.has(name) {
			r.problem(ref.place(), "refers to the %s %s, which the template does not define", what, quoteName(name))
		}
	}
	for _, part := range []*value{resources, root.at("outputs"), root.at("conditions")} {
		part.walk(func(v *value) {
			check(v, v.at("get_param"), parameters, "parameter")
			check(v, v.at("get_resource"), resources, "resource")
			check(v, v.at("get_attr"), resources, "resource")
		})
	}
}

// checkNfv warns of parts of the nfv map that the VNFD cannot fill; requests may still fill them.
func (r *templateReader) checkNfv(root *value) {
	for _, use := range nfvUses(root) {
		switch kind, id := use.path[0], use.path[1]; kind {
		case "VDU":
			if _, ok := vduOrStorage(r.flavour, id); !ok {
				r.warn(use.at.place(), "takes %s from nfv, but the flavour %s has no such VDU", quoteName(id), r.flavour.ID)
			}
		case "CP":
			if _, ok := r.flavour.Cp(id); !ok {
				r.warn(use.at.place(), "takes %s from nfv, but the flavour %s has no such connection point", quoteName(id),
					r.flavour.ID)
			}
		case "VL":
			if link, ok := r.flavour.VirtualLink(id); ok {
				link.Rated = true
			} else {
				r.warn(use.at.place(), "takes %s from nfv, but the flavour %s has no such virtual link", quoteName(id),
					r.flavour.ID)
			}
		}
	}
}

// checkRated warns of bit rates that no template uses.
func (r *templateReader) checkRated() {
	for _, link := range r.flavour.VirtualLinks {
		scaled := func(a ScalingAspect) bool { _, ok := a.Bitrates[link.ID]; return ok }
		if !link.Rated && (slices.ContainsFunc(r.flavour.Aspects, scaled) && link.InitialBitrate != nil) {
			r.warn(r.flavour.BaseHOT, "the VNFD scales the bit rate of %s, but no template uses it "+
				"(nfv.VL.%s.kbps), so nothing limits it", link.ID, link.ID)
		}
	}
}

// checkSizes records the groups of the Base HOT, and warns of levels that they cannot hold.
func (r *templateReader) checkSizes(top *value, nested func(string) *value) {
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
				r.warn(g.resource.place(), "%s", reason+levelName(level))
			}
		}
	}
}

// madeLinks records which templates make the networks of internal virtual links: resources of their names.
func (r *templateReader) madeLinks(top *value, templates map[string]*value) {
	for i := range r.flavour.VirtualLinks {
		link := &r.flavour.VirtualLinks[i]
		if link.Made = isNetwork(top.at("resources", link.ID)); link.Made {
			continue
		}
		for _, file := range slices.Sorted(maps.Keys(templates)) {
			if vdus := memberVdus(r.flavour, templates[file]); len(vdus) > 0 &&
				isNetwork(templates[file].at("resources", link.ID)) {
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
func (r *templateReader) source(file string) *value {
	made, ok := r.flavour.generated(file)
	if !ok {
		return r.yaml(file)
	}
	root, err := parseYAML(file, made, r.limits.YAML)
	if err != nil {
		reportYAML(r.report, file, err)
		return nil
	}
	return root
}
