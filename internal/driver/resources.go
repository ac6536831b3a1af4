package driver

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/vnfpkg"
)

// Resources are those of a template, with their types, by their names.
type Resources map[string]string

// Resources are those of the top template; false when they cannot be read, which is told where the deployment is
// checked.
func (r Request) Resources(ctx context.Context) (types Resources, ok bool) {
	template, err := vnfpkg.StackTemplate(r.Flavour,
		func(path string) ([]byte, error) { return r.Package.Read(ctx, path) })
	if err == nil {
		types, err = template.Resources()
	}
	return types, err == nil
}

// Want wants a resource to be in the top template, and of one of these types.
func (r Resources) Want(found *Findings, path, name, what string, types ...string) {
	switch is := r[name]; {
	case name == "": // reported already
	case is == "":
		found.Names(path, "the template has no resource %q at its top", name)
	case !slices.Contains(types, is):
		found.Names(path, "the resource %q of the template is a %s; %s is needed", name, is, what)
	}
}
