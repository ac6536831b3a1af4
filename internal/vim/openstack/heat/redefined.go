package heat

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// Redefined defines the change of the VNF to what its operation makes of it. Templates get a mark that makes them differ
// from those of other changes: Heat updates the members of groups only when their template has changed.
func (o *Definer) Redefined(
	ctx context.Context, of *operations.Operation, sizes vim.Sizes,
) (vim.Definition, []string, error) {
	mark := string(of.OpOcc.ID)
	if sizes == vim.SizesRecorded {
		return o.Renewed(ctx, of.Before, mark+" taken back")
	}
	j := &job{of}
	s, err := j.sized(sizes)
	if err != nil {
		return nil, nil, err
	}
	s.grown = sizes == vim.SizesGrown
	template, parameters, opened, err := o.heat(ctx, j, s)
	if err == nil {
		template, err = template.Renewed(j.Flavour, mark)
	}
	if err != nil || !s.grown {
		return definition(template, parameters), opened, err
	}
	was := &job{of.Before}
	former, its, err := o.former(ctx, was)
	if err != nil {
		return nil, nil, err
	}
	template, renamed, err := template.Keeping(j.Flavour, former.template, was.Flavour)
	for name, as := range renamed {
		if v, given := former.parameters[name]; given {
			parameters[as] = v
		}
	}
	return definition(template, parameters), append(opened, its...), err
}

// stack is what Heat gets for a stack.
type stack struct {
	template   hot.Template
	parameters map[string]any
}

// former makes the stack of the VNF as it is.
func (o *Definer) former(ctx context.Context, j *job) (s stack, opened []string, err error) {
	present, err := j.present()
	if err == nil {
		s.template, s.parameters, opened, err = o.heat(ctx, j, present)
	}
	return s, opened, err
}
