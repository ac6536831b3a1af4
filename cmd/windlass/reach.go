package main

import (
	"net"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/ownnet"
)

// reachOf is what code of packages on the worker's host may connect to: neither to the networks in which no VIM and no
// node may be, nor to Temporal and PostgreSQL.
func reachOf(c config.Config) ownnet.Policy {
	p := ownnet.Policy{Denied: c.Vims.DeniedNetworks, Peers: []string{c.Temporal.Address}}
	db, err := pgx.ParseConfig(c.DatabaseURL)
	if err != nil {
		return p // the store has refused it
	}
	add := func(host string, port uint16) {
		p.Peers = append(p.Peers, net.JoinHostPort(host, strconv.Itoa(int(port))))
	}
	add(db.Host, db.Port)
	for _, other := range db.Fallbacks {
		add(other.Host, other.Port)
	}
	return p
}
