// Package rest is what the families of the API have in common: how a request is read and checked, how a resource, a
// list and an error are shown, entity tags, versions, and what handlers work with. It serves no resource itself.
package rest

import (
	"log/slog"

	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
)

// Backend is what handlers of all families get.
type Backend struct {
	Store *store.Store
	Vault *secrets.Vault
	Log   *slog.Logger
	// Base is the URL under which clients reach the API, without a slash at its end.
	Base string
	// PageSize bounds the items of one answer to a list; 0 puts all of them into one.
	PageSize int
	// VimAddresses say where VIMs may be; nil: anywhere.
	VimAddresses VimAddresses
}

// VimAddresses refuse URLs of VIMs whose host is an address that no VIM may have: Invalid.
type VimAddresses interface {
	CheckHost(uri string) error
}

// DeniedVim refuses the URL of a VIM whose host is an address that no VIM may have; none is given with "".
func (b *Backend) DeniedVim(uri string) error {
	if b.VimAddresses == nil || uri == "" {
		return nil
	}
	return b.VimAddresses.CheckHost(uri)
}
