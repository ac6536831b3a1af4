package hybrid

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Change implements vim.VIM. It changes one part after the other, only the parts that the change is about. After a
// failure, it leaves the remaining parts as they are.
func (v *VIM) Change(ctx context.Context, ch vim.Change, progress func(string)) error {
	of, err := definitionOf(ch.Definition)
	if err != nil {
		return err
	}
	if err := v.isThere(ctx, ch); err != nil {
		return err
	}
	for _, p := range v.parts {
		its := ch
		its.Definition = of[p.Name]
		its.Replace, its.Keep, its.Only = own(p, ch.Replace), own(p, ch.Keep), ""
		if ch.Only != "" && ch.Only != p.Name || its.Definition == nil && (of != nil || len(its.Replace) == 0) {
			continue
		}
		if err := p.VIM.Change(ctx, its, progress); err != nil {
			return err
		}
	}
	return nil
}

// isThere refuses a change of a VNF that has no deployment, even if the change would do nothing.
func (v *VIM) isThere(ctx context.Context, ch vim.Change) error {
	_, err := v.Inventory(ctx, ch.Name)
	return err
}

// own returns the resources of a part.
func own(p Part, of []vim.Resource) (out []vim.Resource) {
	for _, r := range of {
		if r.On == p.Name {
			r.On = ""
			out = append(out, r)
		}
	}
	return out
}

// Halt implements vim.Halter for the parts whose VIM halts deployments as a whole.
func (v *VIM) Halt(ctx context.Context, ch vim.Change, grace time.Duration, progress func(string)) error {
	return v.halters(ch, func(h vim.Halter, its vim.Change) error { return h.Halt(ctx, its, grace, progress) })
}

// Resume implements vim.Halter.
func (v *VIM) Resume(ctx context.Context, ch vim.Change, progress func(string)) error {
	return v.halters(ch, func(h vim.Halter, its vim.Change) error { return h.Resume(ctx, its, progress) })
}

func (v *VIM) halters(ch vim.Change, do func(h vim.Halter, its vim.Change) error) error {
	of, err := definitionOf(ch.Definition)
	if err != nil {
		return err
	}
	any := false
	for _, p := range v.parts {
		h, ok := p.VIM.(vim.Halter)
		if !ok {
			continue
		}
		its := ch
		its.Definition, any = of[p.Name], true
		if err := do(h, its); err != nil {
			return err
		}
	}
	if !any {
		return lcm.Errorf(lcm.KindInvalid, "None of the VIMs of the VNF can stop and start deployments as a whole.")
	}
	return nil
}
