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

// Linux takes the local ports of outgoing connections, and those of whoever listens on port 0, from 32768 on
// (net.ipv4.ip_local_port_range). A port from there that was free a moment ago may be a connection's when the server
// starts.
const (
	lowest = 20000
	beyond = 32768
	enough = 100 // tries
)

// reserved are the sockets that hold the ports which this process found. They are kept: a listener that nobody
// refers to is closed.
var reserved struct {
	sync.Mutex

	sockets []net.Listener
}

// Find returns a port of the host on which nobody listens, and that the kernel gives to nobody by itself. No other
// call of Find, in any process of this network namespace, returns the port as long as this process lives. So the
// servers of several tests that start at the same time do not meet.
func Find(ctx context.Context, host string) (port int, err error) {
	for range enough {
		port = lowest + rand.IntN(beyond-lowest) //nolint:gosec // nothing secret about a port
		if err = take(ctx, host, port); err == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("find a free port on %s: %w", host, err)
}

// take reserves the port if nobody has done so, and if nobody listens on it. The reservation is a socket with an
// abstract name, as unix(7) describes: its name is unique within the network namespace as the port is, and the
// kernel removes it when the process ends, however it ends.
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
