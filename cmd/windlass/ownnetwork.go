package main

import (
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/ownnet"
	"github.com/windlass-nfv/windlass/internal/store"
)

// reachOf is what code of packages on the worker's host may connect to: neither to the networks in which no VIM and no
// node may be, nor to Temporal and PostgreSQL.
func reachOf(c config.Config) ownnet.Policy {
	p := ownnet.Policy{Denied: c.Vims.DeniedNetworks, Peers: []string{c.Temporal.Address}}
	p.Peers = append(p.Peers, store.ServersOf(c.Database.URL)...)
	return p
}
