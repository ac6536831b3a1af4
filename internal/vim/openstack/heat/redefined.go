package heat

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// Redefined defines the change of the VNF to what its operation makes of it. Templates get a mark that makes them differ
// from those of other changes: Heat updates the members of groups only when their template has changed.
func (o *Definer) Redefined(
	ctx context.Context, of *operations.Operation, sizes vim.Sizes,
) (vim.Definition, []string, error) {
	j, was, mark := &job{of}, &job{of.Before}, string(of.OpOcc.ID)
	if sizes == vim.SizesRecorded {
		s, opened, err := o.former(ctx, was, mark+" taken back")
		return s.whole(), opened, err
	}
	shape, err := j.sized(sizes)
	if err != nil {
		return nil, nil, err
	}
	shape.grown = sizes == vim.SizesGrown
	s, opened, err := o.renewed(ctx, j, shape, mark)
	if err != nil || !shape.grown {
		return s.whole(), opened, err
	}
	former, its, err := o.former(ctx, was, mark)
	if err != nil {
		return nil, nil, err
	}
	var renamed map[string]string
	s.template, renamed, err = s.template.Keeping(j.Flavour, former.template, was.Flavour)
	for name, as := range renamed {
		if v, given := former.parameters[name]; given {
			s.parameters[as] = v
		}
	}
	return s.whole(), append(opened, its...), err
}

// stack is what Heat gets for a stack.
type stack struct {
	template   hot.Template
	parameters map[string]any
}

func (s stack) whole() openstack.Definition {
	d := definition(s.template, s.parameters)
	d.Whole = true
	return d
}

// former makes the stack of the VNF as it is.
func (o *Definer) former(ctx context.Context, j *job, mark string) (stack, []string, error) {
	present, err := j.present()
	if err != nil {
		return stack{}, nil, err
	}
	return o.renewed(ctx, j, present, mark)
}

// renewed makes a stack of that shape, with the mark of the change.
func (o *Definer) renewed(ctx context.Context, j *job, of shape, mark string) (s stack, opened []string, err error) {
	s.template, s.parameters, opened, err = o.heat(ctx, j, of)
	if err == nil {
		s.template, err = s.template.Renewed(j.Flavour, mark)
	}
	return s, opened, err
}
