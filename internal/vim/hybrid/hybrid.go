// Package hybrid puts a VNF on several VIMs at the same time. On each VIM, a part of the VNF is a deployment with the
// VNF's name.
package hybrid

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Part is a VIM with a part of a VNF.
type Part struct {
	// Name is the part's name in definitions and resources.
	Name string
	VIM  vim.VIM
}

// Definition holds the definitions of the parts by their names: it is vim.Definition of a VNF on several VIMs. A change
// leaves parts without a definition alone.
type Definition map[string]vim.Definition

// VIM stands for the VIMs of all parts. The id of the first part's deployment is the id of the whole.
//
// For abilities (vim.As), it uses the part whose VIM has them: the VIM with servers does the work on servers.
type VIM struct{ parts []Part }

// New returns the VIM for the parts. A change goes through them in this order.
func New(parts ...Part) *VIM { return &VIM{parts} }

// VIMs implements vim.Composite.
func (v *VIM) VIMs() (out []vim.VIM) {
	for _, p := range v.parts {
		out = append(out, p.VIM)
	}
	return out
}

// Deploy implements vim.VIM: it deploys all parts at once. When one fails, Deploy stops waiting for the others. They
// continue on their VIMs until the next Deploy or Remove.
func (v *VIM) Deploy(ctx context.Context, d vim.Deployment, progress func(string)) (string, error) {
	of, err := definitionOf(d.Definition)
	if err != nil {
		return "", err
	}
	ids := make([]string, len(v.parts))
	err = v.together(ctx, progress, func(ctx context.Context, i int, show func(string)) (err error) {
		its := d
		its.Definition = of[v.parts[i].Name]
		ids[i], err = v.parts[i].VIM.Deploy(ctx, its, show)
		return err
	})
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

func definitionOf(d vim.Definition) (Definition, error) {
	switch d := d.(type) {
	case nil:
		return nil, nil
	case Definition:
		return d, nil
	default:
		return nil, lcm.Errorf(lcm.KindBug, "A VNF on several VIMs is defined by %T.", d)
	}
}

// Survey implements vim.Surveyor: it asks each part's VIM about that part.
func (v *VIM) Survey(ctx context.Context, d vim.Deployment, room vim.Room) (problems []string, err error) {
	of, err := definitionOf(d.Definition)
	if err != nil {
		return nil, err
	}
	for _, p := range v.parts {
		surveyor, ok := p.VIM.(vim.Surveyor)
		if !ok {
			continue
		}
		its := d
		its.Definition = of[p.Name]
		found, err := surveyor.Survey(ctx, its, room)
		if err != nil {
			return problems, err
		}
		problems = append(problems, found...)
	}
	return problems, nil
}

// Remove implements vim.VIM: it removes all parts at once, and finishes each even if others fail.
func (v *VIM) Remove(ctx context.Context, name, owner string, progress func(string)) error {
	return v.each(progress, func(p Part, show func(string)) error { return p.VIM.Remove(ctx, name, owner, show) })
}

// Dispose implements vim.Disposer, for the parts whose VIM has it.
func (v *VIM) Dispose(
	ctx context.Context, name, owner string, how vim.Removal, progress func(string),
) error {
	return v.each(progress, func(p Part, show func(string)) error {
		if d, ok := p.VIM.(vim.Disposer); ok {
			return d.Dispose(ctx, name, owner, how, show)
		}
		return p.VIM.Remove(ctx, name, owner, show)
	})
}

// Interrupt implements vim.VIM.
func (v *VIM) Interrupt(ctx context.Context, name, owner string, progress func(string)) error {
	return v.each(progress, func(p Part, show func(string)) error { return p.VIM.Interrupt(ctx, name, owner, show) })
}

// Settle implements vim.VIM.
func (v *VIM) Settle(ctx context.Context, name, owner string, progress func(string)) error {
	return v.together(ctx, progress, func(ctx context.Context, i int, show func(string)) error {
		return v.parts[i].VIM.Settle(ctx, name, owner, show)
	})
}

// together runs do for all parts at once; the first failure cancels the others.
func (v *VIM) together(
	ctx context.Context, progress func(string), do func(ctx context.Context, i int, show func(string)) error,
) error {
	show := inTurn(progress)
	g, ctx := errgroup.WithContext(ctx)
	for i := range v.parts {
		g.Go(func() error { return do(ctx, i, show) })
	}
	return g.Wait()
}

// each runs do for every part at once. It returns the first failure after all have ended.
func (v *VIM) each(progress func(string), do func(p Part, show func(string)) error) error {
	show := inTurn(progress)
	var g errgroup.Group
	for _, p := range v.parts {
		g.Go(func() error { return do(p, show) })
	}
	return g.Wait()
}

// inTurn lets several parts report lines without mixing them.
func inTurn(progress func(string)) func(string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		progress(line)
	}
}
