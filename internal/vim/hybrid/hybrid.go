// Package hybrid puts a VNF on several VIMs at the same time: a part of it on each. Every part is a deployment of its
// own, which has the VNF's name there, so that it is found again by that.
package hybrid

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Part is a VIM that has a part of a VNF.
type Part struct {
	// Name is what definitions and resources of the part are called by.
	Name string
	VIM  vim.VIM
}

// Definition is what the parts are made of, by their names: vim.Definition of a VNF on several VIMs. A change leaves
// parts alone that it does not have.
type Definition map[string]vim.Definition

// VIM stands for those that have the parts of a VNF. The first one's deployment gives its id to the whole.
//
// Servers, ports and volumes have their VIM's abilities (vim.As): what can be done with a server is done by the VIM
// that has servers.
type VIM struct{ parts []Part }

// New makes one of its parts, in the order in which a change goes through them.
func New(parts ...Part) *VIM { return &VIM{parts} }

// VIMs implements vim.Composite.
func (v *VIM) VIMs() (out []vim.VIM) {
	for _, p := range v.parts {
		out = append(out, p.VIM)
	}
	return out
}

// Deploy implements vim.VIM: all parts at once. When one fails nobody waits for the others any more; these go on by
// themselves until they are asked for again, or removed.
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

// Survey implements vim.Surveyor: each part is asked about what it would have.
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

// Remove implements vim.VIM: all parts at once, each to its end whatever becomes of the others.
func (v *VIM) Remove(ctx context.Context, name, owner string, progress func(string)) error {
	return v.each(progress, func(p Part, show func(string)) error { return p.VIM.Remove(ctx, name, owner, show) })
}

// Dispose implements vim.Disposer, for those parts that have it.
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

// together does something with all parts at once; the first failure ends the rest.
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

// each does something with every part, at once, and tells the first failure when all have ended.
func (v *VIM) each(progress func(string), do func(p Part, show func(string)) error) error {
	show := inTurn(progress)
	var g errgroup.Group
	for _, p := range v.parts {
		g.Go(func() error { return do(p, show) })
	}
	return g.Wait()
}

// inTurn shows the lines of several parts, each after the other.
func inTurn(progress func(string)) func(string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		progress(line)
	}
}
