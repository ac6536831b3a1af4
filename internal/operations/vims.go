package operations

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Vims returns the VIMs of an operation in the order of VimKinds, each from the registry or from the connection's data.
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

// ServersVim returns the operation's VIM that has the servers.
func (r *Resolver) ServersVim(ctx context.Context, o *Operation) (lcm.Vim, error) {
	list, err := r.Vims(ctx, o)
	if err != nil {
		return lcm.Vim{}, err
	}
	return list[0], nil
}
