package ownnet

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/channel"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv6"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
	"gvisor.dev/gvisor/pkg/waiter"
)

const (
	// atOnce bounds the connections of one run, of TCP and of UDP each.
	atOnce = 256
	// dialTimeout bounds connecting to an address.
	dialTimeout = 15 * time.Second
	// halfOpen is how long one direction may go on after the end of the other one.
	halfOpen = 10 * time.Minute
	// idleDatagrams is how long an exchange of datagrams may be silent.
	idleDatagrams = time.Minute
)

// relay makes the connections of one network.
type relay struct {
	ctx    context.Context //nolint:containedctx // of the run
	rules  rules
	dns    string
	denied func(to netip.AddrPort)
	// streams and exchanges have the places of connections of TCP and of UDP.
	streams, exchanges chan struct{}

	mu   sync.Mutex
	told map[netip.AddrPort]bool
}

// Serve relays connections from the device to the host's network until stop is called, or ctx ends. denied hears of
// each address that is denied, once.
func Serve(ctx context.Context, device *os.File, p Policy, denied func(to netip.AddrPort)) (stop func(), err error) {
	rules, err := p.resolve(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &relay{
		ctx: ctx, rules: rules, dns: nameserver(), denied: denied, streams: make(chan struct{}, atOnce),
		exchanges: make(chan struct{}, atOnce), told: map[netip.AddrPort]bool{},
	}
	s, err := r.stack(device)
	if err != nil {
		cancel()
		return nil, err
	}
	return func() {
		cancel()
		s.Close()
		_ = device.Close()
	}, nil
}

func (r *relay) stack(device *os.File) (*stack.Stack, error) {
	// Not gVisor's own endpoint for files: it goes on reading the file's number after the end of the run.
	link := channel.New(1024, mtu, "")
	s := stack.New(stack.Options{
		NetworkProtocols: []stack.NetworkProtocolFactory{
			ipv4.NewProtocolWithOptions(ipv4.Options{AllowExternalLoopbackTraffic: true}), ipv6.NewProtocol,
		},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol, udp.NewProtocol},
	})
	const nic = 1
	for _, err := range []tcpip.Error{
		s.CreateNIC(nic, link), s.SetPromiscuousMode(nic, true), s.SetSpoofing(nic, true),
	} {
		if err != nil {
			s.Close()
			return nil, errors.New(err.String())
		}
	}
	s.SetRouteTable([]tcpip.Route{
		{Destination: header.IPv4EmptySubnet, NIC: nic}, {Destination: header.IPv6EmptySubnet, NIC: nic},
	})
	s.SetTransportProtocolHandler(tcp.ProtocolNumber, tcp.NewForwarder(s, 0, atOnce, r.stream).HandlePacket)
	s.SetTransportProtocolHandler(udp.ProtocolNumber, udp.NewForwarder(s, r.datagrams).HandlePacket)
	go r.take(device, link)
	go r.give(device, link)
	return s, nil
}

// take moves packets from the device to the stack until the device is closed.
func (r *relay) take(device *os.File, link *channel.Endpoint) {
	packet := make([]byte, 64<<10)
	for {
		n, err := device.Read(packet)
		if err != nil {
			return
		}
		of := ipv4.ProtocolNumber
		switch {
		case n == 0:
			continue
		case packet[0]>>4 == 6:
			of = ipv6.ProtocolNumber
		}
		p := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(packet[:n])})
		link.InjectInbound(of, p)
		p.DecRef()
	}
}

// give moves packets of the stack to the device until the run ends.
func (r *relay) give(device *os.File, link *channel.Endpoint) {
	for {
		p := link.ReadContext(r.ctx)
		if p == nil {
			return
		}
		text := p.ToView()
		_, _ = device.Write(text.AsSlice())
		text.Release()
		p.DecRef()
	}
}

// target is where a connection goes on the host's network; false if it may not.
func (r *relay) target(id stack.TransportEndpointID) (string, bool) {
	a, _ := netip.AddrFromSlice(id.LocalAddress.AsSlice())
	to := netip.AddrPortFrom(a, id.LocalPort)
	if a.String() == Resolver {
		return r.dns, to.Port() == 53
	}
	if r.rules.allows(to) {
		return to.String(), true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.told[to] && len(r.told) < atOnce {
		r.told[to] = true
		r.denied(to)
	}
	return "", false
}

// stream relays a connection of TCP. The handshake ends when the other side has answered.
func (r *relay) stream(req *tcp.ForwarderRequest) {
	to, may := r.target(req.ID())
	if !may {
		req.Complete(true)
		return
	}
	select {
	case r.streams <- struct{}{}:
	default:
		req.Complete(true)
		return
	}
	leave := func() { <-r.streams }
	out, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(r.ctx, "tcp", to)
	if err != nil {
		req.Complete(true)
		leave()
		return
	}
	var queue waiter.Queue
	end, failed := req.CreateEndpoint(&queue)
	req.Complete(failed != nil)
	if failed != nil {
		_ = out.Close()
		leave()
		return
	}
	go func() {
		defer leave()
		r.join(gonet.NewTCPConn(&queue, end), out.(*net.TCPConn))
	}()
}

// half is a connection whose directions end one by one.
type half interface {
	net.Conn
	CloseWrite() error
}

func (r *relay) join(in, out half) {
	defer context.AfterFunc(r.ctx, func() { _ = in.Close(); _ = out.Close() })()
	var both sync.WaitGroup
	for _, way := range [][2]half{{in, out}, {out, in}} {
		both.Go(func() {
			_, _ = io.Copy(way[1], way[0])
			_ = way[1].CloseWrite()
			_ = way[1].SetReadDeadline(time.Now().Add(halfOpen)) // the other direction has to end, too
		})
	}
	both.Wait()
	_, _ = in.Close(), out.Close()
}

// datagrams relays an exchange of UDP until it is silent for a while.
func (r *relay) datagrams(req *udp.ForwarderRequest) {
	to, may := r.target(req.ID())
	if !may {
		return
	}
	select {
	case r.exchanges <- struct{}{}:
	default:
		return // lost, as datagrams are
	}
	var queue waiter.Queue
	end, failed := req.CreateEndpoint(&queue)
	if failed != nil {
		<-r.exchanges
		return
	}
	go func() {
		defer func() { <-r.exchanges }()
		r.exchange(gonet.NewUDPConn(&queue, end), to)
	}()
}

func (r *relay) exchange(in net.Conn, to string) {
	defer in.Close()
	out, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(r.ctx, "udp", to)
	if err != nil {
		return
	}
	defer out.Close()
	defer context.AfterFunc(r.ctx, func() { _ = in.Close(); _ = out.Close() })()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
		both.Go(func() {
			packet := make([]byte, 64<<10)
			for {
				_ = way[0].SetReadDeadline(time.Now().Add(idleDatagrams))
				n, err := way[0].Read(packet)
				if err != nil {
					break
				}
				_, _ = way[1].Write(packet[:n])
			}
			_, _ = in.Close(), out.Close() // silent in one direction is silent
		})
	}
	both.Wait()
}
