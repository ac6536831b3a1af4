// Package freeport finds ports for servers that are started later, or again after they were killed.
package freeport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Linux takes the local ports of outgoing connections, and of servers that listen on port 0, from 32768 on
// (net.ipv4.ip_local_port_range). A port from there that was free a moment ago may belong to a connection when the
// server starts.
const (
	lowest = 20000
	beyond = 32768
	enough = 100 // tries
)

// reserved are the sockets that reserve this process's ports. The references matter: a listener without a reference is
// closed.
var reserved struct {
	sync.Mutex

	sockets []net.Listener
}

// Find returns a port of the host that has no listener and that the kernel does not assign by itself. No other call of
// Find, in any process of this network namespace, returns the port as long as this process lives. So servers of tests
// that start at the same time do not collide.
func Find(ctx context.Context, host string) (port int, err error) {
	for range enough {
		port = lowest + rand.IntN(beyond-lowest) //nolint:gosec // nothing secret about a port
		if err = take(ctx, host, port); err == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("find a free port on %s: %w", host, err)
}

// take reserves the port if it is not reserved, and if nobody listens on it. The reservation is a socket with an
// abstract name (unix(7)). Its name is unique within the network namespace, like the port, and the kernel removes it
// whenever and however the process ends.
func take(ctx context.Context, host string, port int) error {
	var listen net.ListenConfig
	reservation, err := listen.Listen(ctx, "unix", "@windlass-port-"+strconv.Itoa(port))
	if err != nil {
		return fmt.Errorf("another process has reserved port %d: %w", port, err)
	}
	tried, err := listen.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return errors.Join(err, reservation.Close())
	}
	reserved.Lock()
	defer reserved.Unlock()
	reserved.sockets = append(reserved.sockets, reservation)
	return tried.Close()
}
