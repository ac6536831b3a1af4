package operations

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Vims are the VIMs of an operation, each registered or made of the connection's own data, in the order of VimKinds.
func (r *Resolver) Vims(ctx context.Context, o *Operation) (out []lcm.Vim, err error) {
	list, err := r.Connections(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, connection := range list {
		on := connection.OwnVim(lcm.VimID(o.Instance.ID) + "/" + lcm.VimID(connection.ID))
		if registered := connection.Registered(); registered != "" {
			if on, err = r.Store.Vim(ctx, registered); err != nil {
				return nil, err
			}
		}
		out = append(out, on)
	}
	return out, nil
}

// ServersVim is the VIM of an operation that has its servers.
func (r *Resolver) ServersVim(ctx context.Context, o *Operation) (lcm.Vim, error) {
	list, err := r.Vims(ctx, o)
	if err != nil {
		return lcm.Vim{}, err
	}
	return list[0], nil
}
