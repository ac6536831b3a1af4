// Package heat makes the input for Heat: a template and its parameters. It makes them from the VNF's package and
// request, or with the user data class of the package.
package heat

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// Definer makes definitions. With each definition, it returns the secrets in it: nobody may show them.
type Definer struct {
	*operations.Resolver
	// UserData runs the user data classes of packages; nil runs none.
	UserData *userdata.Runner
}

// job is an operation whose VNF is a stack.
type job struct{ *operations.Operation }

// Whole defines the VNF with its present size, or the size of its instantiation.
func (o *Definer) Whole(ctx context.Context, of *operations.Operation) (vim.Definition, []string, error) {
	j := &job{of}
	whole, err := j.whole()
	if err != nil {
		return nil, nil, err
	}
	template, parameters, opened, err := o.heat(ctx, j, whole)
	return definition(template, parameters), opened, err
}

// Sized defines a change of the VNF to those sizes.
func (o *Definer) Sized(
	ctx context.Context, of *operations.Operation, sizes vim.Sizes,
) (vim.Definition, []string, error) {
	j := &job{of}
	sized, err := j.sized(sizes)
	if err != nil {
		return nil, nil, err
	}
	template, parameters, opened, err := o.heat(ctx, j, sized)
	if sized.members == nil { // else the size is in the template
		template = hot.Template{}
	}
	return definition(template, parameters), opened, err
}

// Renewed defines a change of the VNF's connections. The mark makes it differ from the change before: Heat updates the
// members of groups only when their template has changed.
func (o *Definer) Renewed(
	ctx context.Context, of *operations.Operation, mark string,
) (vim.Definition, []string, error) {
	j := &job{of}
	present, err := j.present()
	if err != nil {
		return nil, nil, err
	}
	template, parameters, opened, err := o.heat(ctx, j, present)
	if err != nil {
		return nil, nil, err
	}
	template, err = template.Renewed(j.Flavour, mark)
	return definition(template, parameters), opened, err
}

// definition is the input for Heat. Without a template, the stack keeps its own.
func definition(t hot.Template, parameters map[string]any) openstack.Definition {
	return openstack.Definition{Template: t.Top, Files: t.Files, Parameters: parameters}
}

// unusablePorts begins the errors about given ports that the stack cannot have.
const unusablePorts = "The ports of the request cannot be used"

// heat makes the template and the parameters for a stack of that shape. It also returns the secrets in the parameters.
func (o *Definer) heat(ctx context.Context, j *job, s shape) (hot.Template, map[string]any, []string, error) {
	template, err := hot.StackTemplate(j.Flavour, func(path string) ([]byte, error) {
		return o.Store.PackageFile(ctx, j.Instance.VnfPkgID, path)
	})
	if err == nil {
		template, err = template.Managed(j.Flavour, j.Request.ExtManagedVirtualLinks)
	}
	if err != nil {
		return template, nil, nil, err
	}
	if s.grown {
		if template, err = template.Holding(j.Flavour, s.capacity); err != nil {
			return template, nil, nil, err
		}
	}
	class := lcm.ParseUserData(j.Request.AdditionalParams)
	ports, err := template.PortsProblems(j.Flavour, j.Request.ExtVirtualLinks, s.capacity, s.members)
	if err == nil && class.BuiltIn(o.UserData != nil) {
		err = lcm.InvalidAll(unusablePorts, ports)
	}
	if err == nil && s.members != nil {
		template, err = template.Separate(j.Flavour, s.members)
	}
	if err != nil {
		return template, nil, nil, err
	}
	additional, opened, err := o.additionalParams(ctx, j)
	if err != nil {
		return template, nil, nil, err
	}
	request := hot.Request{
		Capacity: s.capacity, Members: s.members, Bitrates: s.bitrates, AdditionalParams: additional,
		ExtVirtualLinks: j.Request.ExtVirtualLinks, ExtManagedVirtualLinks: j.Request.ExtManagedVirtualLinks,
		Images: j.Choices.Images, ComputeFlavours: j.Choices.ComputeFlavours, Zones: j.Choices.Zones,
		KeptImages: j.Choices.KeptImages,
	}
	if !class.BuiltIn(o.UserData != nil) {
		template, parameters, err := o.scripted(ctx, j, class, template, request, opened)
		if err == nil {
			err = lcm.InvalidAll(unusablePorts, hot.MadePortsProblems(j.Flavour, j.Request.ExtVirtualLinks, s.capacity,
				parameters))
		}
		return template, parameters, opened, err
	}
	parameters, err := hot.Parameters(j.Flavour, template, request)
	return template, parameters, opened, err
}

// additionalParams decrypts the sealed values among the request's additionalParams: a HOT parameter of the same name
// gets the value. opened are the decrypted values.
func (o *Definer) additionalParams(ctx context.Context, j *job) (given map[string]any, opened []string, err error) {
	if len(j.Request.AdditionalParams) == 0 {
		return nil, nil, nil
	}
	doc, opened, err := secrets.Open(ctx, o.Vault, j.Request.AdditionalParams)
	if err != nil {
		return nil, nil, err
	}
	all, err := params.Unmarshal(doc)
	given, ok := all.(map[string]any)
	if err != nil || !ok && all != nil {
		return nil, nil, lcm.Wrap(lcm.KindInvalid, err, "additionalParams must be a JSON object.")
	}
	return given, opened, nil
}
