package hybrid

import (
	"context"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Inventory implements vim.VIM: it shows the resources of all parts as one deployment. It returns NotFound when no part
// exists. When only some parts are missing, the whole is Failed.
func (v *VIM) Inventory(ctx context.Context, name string) (*vim.Inventory, error) {
	found := make([]*vim.Inventory, len(v.parts))
	err := v.together(ctx, func(string) {}, func(ctx context.Context, i int, _ func(string)) (err error) {
		if found[i], err = v.parts[i].VIM.Inventory(ctx, name); lcm.Is(err, lcm.KindNotFound) {
			found[i] = nil
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	whole := &vim.Inventory{
		Servers: map[string]vim.Server{}, Ports: map[string]vim.Port{}, PublicAddrs: map[string]vim.PublicAddress{},
		Parts: map[string]*vim.Inventory{},
	}
	for i, inv := range found {
		if inv != nil {
			whole.Parts[v.parts[i].Name] = inv
			if whole.ID == "" {
				whole.ID = inv.ID
			}
		}
	}
	if whole.ID == "" {
		return nil, lcm.Errorf(lcm.KindNotFound, "There is no deployment %s on any of the VNF's VIMs.", name)
	}
	for i, inv := range found {
		add(whole, v.parts[i].Name, inv)
	}
	return whole, nil
}

// add adds a part to the whole; part is nil when it is missing.
func add(whole *vim.Inventory, on string, part *vim.Inventory) {
	if part == nil {
		worsen(whole, vim.Failed, "incomplete: there is nothing of it on the VIM of type "+on)
		return
	}
	worsen(whole, part.Level, part.Status)
	for _, r := range part.Resources {
		r.On = on
		whole.Resources = append(whole.Resources, r)
	}
	maps.Copy(whole.Servers, part.Servers)
	maps.Copy(whole.Ports, part.Ports)
	maps.Copy(whole.PublicAddrs, part.PublicAddrs)
}

// levels go from the best to the worst: the whole has the level of its worst part.
var levels = []vim.Level{vim.Running, vim.Stopped, vim.Paused, vim.Changing, vim.Removed, vim.Failed}

func worsen(whole *vim.Inventory, level vim.Level, status string) {
	if slices.Index(levels, level) > slices.Index(levels, whole.Level) {
		whole.Level, whole.Status = level, status
	}
}
