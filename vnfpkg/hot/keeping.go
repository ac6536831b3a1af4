package hot

import (
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// formerPrefix begins the names under which a template keeps parameters and conditions of a former template.
const formerPrefix = "former_"

// Keeping adds to a template the resources that only a former template has, so that an update of the stack deletes
// none. Their properties stay as they are: their parameters and conditions get names of their own, for the template may
// use the same names for other values. renamed maps the names of parameters in the former template to the new names.
//
// The error is a Conflict if Heat would make servers anew that both templates have. It also is if resources are kept and
// the templates are of different versions of HOT, or if a resource that is kept uses a file that the template has with
// another content: Heat knows the file by its name only.
func (t Template) Keeping(
	f *descriptor.Flavour, former Template, had *descriptor.Flavour,
) (out Template, renamed map[string]string, err error) {
	now, err := t.parse(f)
	if err != nil {
		return t, nil, err
	}
	was, err := former.parse(had)
	if err != nil {
		return t, nil, err
	}
	if err := checkHolders(now, f, was, had); err != nil {
		return t, nil, err
	}
	k := keeper{now: now.top, was: was.top, renamed: map[string]string{}}
	k.keepResources()
	if len(k.kept) == 0 {
		return t, nil, nil
	}
	if err := k.sameVersion(); err != nil {
		return t, nil, err
	}
	out = Template{Files: maps.Clone(t.Files)}
	if out.Files == nil {
		out.Files = map[string]string{}
	}
	if err := k.keepFiles(was, former, out.Files); err != nil {
		return t, nil, err
	}
	if out.Top, err = now.top.Encode(); err != nil {
		return t, nil, lcm.Wrap(lcm.KindInvalid, err, "%s cannot be written again", f.BaseHOT)
	}
	return out, k.renamed, nil
}

// keeper moves resources of a former template into a template.
type keeper struct {
	now, was *document.Value
	renamed  map[string]string
	kept     []*document.Value // the resources as they were
}

func (k *keeper) keepResources() {
	resources := k.now.At("resources")
	for name, resource := range k.was.At("resources").Members() {
		if resources.Has(name) {
			continue
		}
		k.kept = append(k.kept, resource)
		moved := k.moved(resource)
		if condition := resource.At("condition"); condition != nil {
			moved.Set("condition", k.condition(condition))
		}
		resources.Set(name, moved)
	}
	if conditions := k.was.At("conditions"); len(k.kept) > 0 && conditions.IsMap() {
		kept := map[string]*document.Value{}
		for name, condition := range conditions.Members() {
			kept[k.nameOf(name)] = k.condition(condition)
		}
		for _, name := range slices.Sorted(maps.Keys(kept)) {
			k.section("conditions").Set(name, kept[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(k.renamed)) {
		k.section("parameters").Set(k.renamed[name], k.was.At("parameters", name))
	}
}

// sameVersion requires one version of HOT: a version has functions that another lacks, and a template has one.
func (k *keeper) sameVersion() error {
	const version = "heat_template_version"
	now, was := k.now.At(version).Str(), k.was.At(version).Str()
	if now == was {
		return nil
	}
	return lcm.Errorf(lcm.KindConflict, "The templates before and after the change have different versions, %s and %s, and "+
		"one template must have the resources of both for a while. Give the templates of each flavour the same "+
		"heat_template_version.", was, now)
}

// section is a section of the template.
func (k *keeper) section(name string) *document.Value {
	if s := k.now.At(name); s.IsMap() {
		return s
	}
	s := document.Mapping()
	k.now.Set(name, s)
	return s
}

// moved is a copy of a value that takes parameters and conditions under their new names.
func (k *keeper) moved(v *document.Value) *document.Value {
	c := v.Copy()
	for i, item := range v.Items {
		c.Items[i] = k.moved(item)
	}
	if !v.IsMap() || len(v.Keys) != 1 {
		return c
	}
	switch v.Keys[0] {
	case "get_param":
		c.Items[0] = k.first(c.Items[0], k.parameter)
	case "if":
		c.Items[0] = k.first(c.Items[0], k.condition)
	}
	return c
}

// first changes a name, or the first item of a list that begins with a name.
func (k *keeper) first(v *document.Value, change func(*document.Value) *document.Value) *document.Value {
	if !v.IsList() || len(v.Items) == 0 {
		return change(v)
	}
	c := v.Copy()
	c.Items[0] = change(v.Items[0])
	return c
}

// parameter renames a parameter of the former template. Heat's own parameters keep their names.
func (k *keeper) parameter(v *document.Value) *document.Value {
	name := v.Str()
	if !k.was.At("parameters").Has(name) {
		return v
	}
	if k.renamed[name] == "" {
		as := formerPrefix + name
		for k.now.At("parameters").Has(as) {
			as = formerPrefix + as
		}
		k.renamed[name] = as
	}
	return document.Scalar("!!str", k.renamed[name])
}

// nameOf is the new name of a condition.
func (k *keeper) nameOf(condition string) string {
	as := formerPrefix + condition
	for k.now.At("conditions").Has(as) {
		as = formerPrefix + as
	}
	return as
}

// condition renames conditions of the former template: a name, or an expression of names.
func (k *keeper) condition(v *document.Value) *document.Value {
	if name := v.Str(); name != "" && k.was.At("conditions").Has(name) {
		return document.Scalar("!!str", k.nameOf(name))
	}
	c := k.moved(v)
	for i, key := range v.Keys {
		if !slices.Contains([]string{"not", "and", "or"}, key) {
			continue
		}
		if !v.Items[i].IsList() {
			c.Items[i] = k.condition(v.Items[i])
			continue
		}
		for n, item := range v.Items[i].Items {
			c.Items[i].Items[n] = k.condition(item)
		}
	}
	return c
}

// keepFiles adds the files that the kept resources use, and those that these use.
func (k *keeper) keepFiles(was parsedTemplate, former Template, files map[string]string) error {
	pending := k.filesOf(document.Mapping("resources", k.asResources()))
	seen := map[string]bool{}
	var clashes []string
	for len(pending) > 0 {
		name := pending[0]
		pending = pending[1:]
		if text, known := former.Files[name]; seen[name] || !known {
			continue
		} else if other, taken := files[name]; taken && other != text {
			clashes = append(clashes, name)
		} else {
			files[name] = text
		}
		seen[name] = true
		pending = append(pending, k.filesOf(was.nested[name])...)
	}
	if len(clashes) > 0 {
		return lcm.Errorf(lcm.KindConflict, "The templates before and after the change have different files of the same "+
			"name, and resources that are to go still use the former file: %s. Give the files of each flavour names of their "+
			"own.", strings.Join(clashes, ", "))
	}
	return nil
}

func (k *keeper) asResources() *document.Value {
	all := document.Mapping()
	for name, resource := range k.was.At("resources").Members() {
		if slices.Contains(k.kept, resource) {
			all.Set(name, resource)
		}
	}
	return all
}

func (k *keeper) filesOf(root *document.Value) (names []string) {
	for _, use := range fileUses(root) {
		names = append(names, use.name)
	}
	return names
}
