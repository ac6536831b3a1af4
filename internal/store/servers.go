package store

import (
	"net"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ServersOf are the servers of a database URL, as host:port. Sockets of this host are left out.
func ServersOf(databaseURL string) (out []string) {
	db, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil // Open refuses it
	}
	add := func(host string, port uint16) {
		if !strings.HasPrefix(host, "/") {
			out = append(out, net.JoinHostPort(host, strconv.Itoa(int(port))))
		}
	}
	add(db.Host, db.Port)
	for _, other := range db.Fallbacks {
		add(other.Host, other.Port)
	}
	return out
}
