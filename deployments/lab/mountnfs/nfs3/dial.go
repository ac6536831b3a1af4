package nfs3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	portmapPort    = 111
	portmapProgram = 100000
	mountProgram   = 100005
	nfsProgram     = 100003
	nfsPort        = 2049
	dialTimeout    = 10 * time.Second
)

// Target is an export of a server.
type Target struct {
	Host, Export string
	// Port and MountPort are asked of the server's portmapper unless they are given.
	Port, MountPort int
	// Patience bounds how long calls wait for a server that is away; 0 is for ever.
	Patience time.Duration
}

// Mount asks the server for the export, and returns a client for it.
func Mount(ctx context.Context, t Target) (*Client, error) {
	mountPort, err := t.port(ctx, t.MountPort, mountProgram)
	if err != nil {
		return nil, err
	}
	port, err := t.port(ctx, t.Port, nfsProgram)
	if err != nil {
		return nil, err
	}
	root, err := t.ask(ctx, mountPort)
	if err != nil {
		return nil, err
	}
	c := &Client{Root: root, rpc: &caller{dial: t.dialer(port), program: nfsProgram, version: 3, patience: t.Patience}}
	if err := c.learnSizes(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// port asks the portmapper (RFC 1833) where a program of version 3 listens.
func (t Target) port(ctx context.Context, given int, program uint32) (int, error) {
	if given != 0 {
		return given, nil
	}
	rpc := &caller{dial: t.dialer(portmapPort), program: portmapProgram, version: 2, patience: time.Nanosecond}
	defer rpc.close()
	var args encoder
	for _, v := range []uint32{program, 3, 6, 0} { // 6 is TCP
		args.u32(v)
	}
	d, err := rpc.call(ctx, Cred{}, 3, args.b)
	if program == nfsProgram && err != nil {
		return nfsPort, nil //nolint:nilerr // without a portmapper it is where NFS always is
	}
	if err != nil {
		return 0, fmt.Errorf("ask %s for its mount service: %w", t.Host, err)
	}
	port := int(d.u32())
	if port == 0 {
		return 0, fmt.Errorf("%s offers no NFS of version 3 over TCP, the only one that this client speaks", t.Host)
	}
	return port, d.err
}

// ask gets the export's handle from the mount service (RFC 1813, appendix I).
func (t Target) ask(ctx context.Context, port int) (Handle, error) {
	rpc := &caller{dial: t.dialer(port), program: mountProgram, version: 3, patience: time.Nanosecond}
	defer rpc.close()
	var args encoder
	args.text(t.Export)
	d, err := rpc.call(ctx, Cred{}, 1, args.b)
	if err != nil {
		return "", fmt.Errorf("ask %s for %s: %w", t.Host, t.Export, err)
	}
	switch status := d.u32(); status {
	case 0:
	case 1, 13:
		return "", fmt.Errorf("access denied by server while mounting %s:%s", t.Host, t.Export)
	case 2:
		return "", fmt.Errorf("%s has no export %s", t.Host, t.Export)
	default:
		return "", fmt.Errorf("%s refuses %s: %w", t.Host, t.Export, Status(status))
	}
	return Handle(d.opaque()), d.err
}

// lastPort goes round through the reserved ports.
var lastPort atomic.Int32

// dialer connects from a port that only root may use, as servers want it of a client whose word for its users they
// take.
func (t Target) dialer(port int) func(context.Context) (net.Conn, error) {
	address := net.JoinHostPort(t.Host, strconv.Itoa(port))
	return func(ctx context.Context) (net.Conn, error) {
		for range 400 {
			own := 1023 - int(lastPort.Add(1))%400
			dialer := net.Dialer{Timeout: dialTimeout, LocalAddr: &net.TCPAddr{Port: own}}
			conn, err := dialer.DialContext(ctx, "tcp", address)
			switch {
			case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, syscall.EADDRNOTAVAIL):
				continue
			case errors.Is(err, syscall.EACCES): // not root: some servers do not mind
				return (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "tcp", address)
			}
			return conn, err
		}
		return nil, fmt.Errorf("no reserved port is free for %s", address)
	}
}
