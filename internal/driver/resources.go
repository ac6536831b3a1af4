package driver

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// Resources maps the names of a template's resources to their types.
type Resources map[string]string

// Resources are the resources of the top template. It is false where the VIM makes VNFs without templates, and when the
// template cannot be read; the check of the deployment reports why.
func (r Request) Resources(ctx context.Context) (types Resources, ok bool) {
	if !r.Vim.TakesTemplates {
		return nil, false
	}
	template, err := hot.StackTemplate(r.Flavour,
		func(path string) ([]byte, error) { return r.Package.Read(ctx, path) })
	if err == nil {
		types, err = template.Resources()
	}
	return types, err == nil
}

// Want checks that a resource is in the top template, and has one of these types.
func (r Resources) Want(found *Findings, path, name, what string, types ...string) {
	switch is := r[name]; {
	case name == "": // reported already
	case is == "":
		found.Names(path, "the template has no resource %q at its top", name)
	case !slices.Contains(types, is):
		found.Names(path, "the resource %q of the template is a %s; %s is needed", name, is, what)
	}
}
