// Package rest holds the common parts of the API's families: how to read and check a request, how to show a resource, a
// list and an error, entity tags, versions, and the handlers' dependencies. It serves no resource itself.
package rest

import (
	"log/slog"

	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
)

// Backend holds the dependencies of all families' handlers.
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

// VimAddresses refuse a VIM's URL if its host is a denied address: Invalid.
type VimAddresses interface {
	CheckHost(uri string) error
}

// DeniedVim refuses a VIM's URL if its host is a denied address; "" means that the VIM has no URL.
func (b *Backend) DeniedVim(uri string) error {
	if b.VimAddresses == nil || uri == "" {
		return nil
	}
	return b.VimAddresses.CheckHost(uri)
}
