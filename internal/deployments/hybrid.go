package deployments

import (
	"context"
	"maps"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/hybrid"
)

// hybridDefiner makes definitions of VNFs on several VIMs: the definer for each kind of VIM makes its part.
type hybridDefiner []definerPart

type definerPart struct {
	kind lcm.VimKind
	Definer
}

// Whole implements Definer.
func (h hybridDefiner) Whole(ctx context.Context, of *operations.Operation) (vim.Definition, []string, error) {
	return h.define(of, func(p definerPart, part *operations.Operation) (vim.Definition, []string, error) {
		return p.Whole(ctx, part)
	})
}

// Sized implements Definer: its result has the parts that the operation's plan changes.
func (h hybridDefiner) Sized(
	ctx context.Context, of *operations.Operation, sizes vim.Sizes,
) (vim.Definition, []string, error) {
	return h.define(of, func(p definerPart, part *operations.Operation) (vim.Definition, []string, error) {
		if !of.Touches(p.kind.RunsContainers) {
			return nil, nil, nil
		}
		return p.Sized(ctx, part, sizes)
	})
}

// Redefined implements Definer: both parts change.
func (h hybridDefiner) Redefined(
	ctx context.Context, of *operations.Operation, sizes vim.Sizes,
) (vim.Definition, []string, error) {
	return h.define(of, func(p definerPart, part *operations.Operation) (vim.Definition, []string, error) {
		return p.Redefined(ctx, part, sizes)
	})
}

// Renewed implements Definer: its result has the parts whose connection points change.
func (h hybridDefiner) Renewed(
	ctx context.Context, of *operations.Operation, mark string,
) (vim.Definition, []string, error) {
	return h.define(of, func(p definerPart, part *operations.Operation) (vim.Definition, []string, error) {
		if !p.kind.ReconnectsPorts || !of.Reconnects(p.kind.RunsContainers) {
			return nil, nil, nil
		}
		return p.Renewed(ctx, part, mark)
	})
}

// define joins the definitions of the parts, and leaves out nil definitions.
func (h hybridDefiner) define(
	of *operations.Operation, one func(p definerPart, part *operations.Operation) (vim.Definition, []string, error),
) (vim.Definition, []string, error) {
	whole, all := hybrid.Definition{}, []string(nil)
	for _, p := range h {
		d, opened, err := one(p, of.Part(p.kind.RunsContainers))
		if err != nil {
			return nil, nil, err
		}
		if all = append(all, opened...); d != nil {
			whole[p.kind.Type] = d
		}
	}
	return whole, all, nil
}

// repackaged leaves out the parts of a VNF that stay unchanged when it gets another package.
func repackaged(d vim.Definition) vim.Definition {
	whole, ok := d.(hybrid.Definition)
	if !ok {
		return d
	}
	maps.DeleteFunc(whole, func(kind string, _ vim.Definition) bool { return !lcm.KindOfVim(kind).ChangesPackages })
	return whole
}
