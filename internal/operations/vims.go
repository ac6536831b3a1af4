package operations

import (
	"context"
	"slices"

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

// VimTypes are the types of the VNF's VIM connections, if they choose among several kinds of VIMs.
func (o *Operation) VimTypes() []string { return o.vimTypes }

// chooseVims finds the types of the VNF's VIM connections, those that are preferred first: what an NFVO has chosen, what
// the VNF uses, what the request names, and the default VIM. There is nothing to choose if VNFCs can be on one kind of
// VIMs only.
func (r *Resolver) chooseVims(ctx context.Context, o *Operation) error {
	if !lcm.ChoosesVimKind() {
		return nil
	}
	var used []lcm.VimConnectionInfo
	for _, c := range o.Instance.VimConnections {
		if o.Instance.Uses(c.ID) {
			used = append(used, c)
		}
	}
	o.vimTypes = nil
	for _, c := range slices.Concat(o.Targets, used, o.Request.VimConnections, o.Instance.VimConnections) {
		of, err := r.typeOf(ctx, c)
		if err != nil {
			return err
		}
		o.vimTypes = append(o.vimTypes, of)
	}
	vim, err := r.Store.DefaultVim(ctx)
	if err == nil {
		o.vimTypes = append(o.vimTypes, vim.Type)
	}
	return absent(err)
}
