// Package freeport finds ports for servers that are started later, or again after they were killed.
package freeport

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Linux takes the local ports of outgoing connections, and those of whoever listens on port 0, from 32768 on
// (net.ipv4.ip_local_port_range). A port from there that was free a moment ago may be a connection's when the server
// starts.
const (
	lowest  = 20000
	beyond  = 32768
	enough  = 100 // tries
	network = "tcp"
)

// Find returns a port of the host on which nobody listens, and that the kernel gives to nobody by itself.
func Find(ctx context.Context, host string) (port int, err error) {
	for range enough {
		port = lowest + rand.IntN(beyond-lowest) //nolint:gosec // nothing secret about a port
		var l net.Listener
		if l, err = (&net.ListenConfig{}).Listen(ctx, network, net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("find a free port on %s: %w", host, err)
}
