package nspawn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

var _ machine.Balancer = (*Hypervisor)(nil)

// balancing holds the load balancers whose traffic this process carries. Its listeners are in the lab's router, and it
// reaches machines as the host does. A restarted lab calls Balance again for each load balancer.
type balancing struct {
	mu  sync.Mutex
	all map[string]*balanced // by the load balancer's id
}

// balanced is one load balancer.
type balanced struct {
	address netip.Addr
	fronts  map[int]*front // by port
}

// front is a port of a load balancer.
type front struct {
	net.Listener

	members atomic.Pointer[[]string]
	turn    atomic.Uint32
}

// memberTimeout is how long the proxy waits for a member before it tries the next one.
const memberTimeout = 2 * time.Second

// Balance implements machine.Balancer with a TCP proxy in this process.
func (h *Hypervisor) Balance(ctx context.Context, b machine.LoadBalancer) error {
	h.balancing.mu.Lock()
	defer h.balancing.mu.Unlock()
	if h.balancing.all == nil {
		h.balancing.all = map[string]*balanced{}
	}
	have := h.balancing.all[b.ID]
	if have == nil && len(b.Fronts) == 0 {
		return nil
	}
	if have == nil {
		address, err := netip.ParseAddr(b.Address)
		if err != nil {
			return lcm.Wrap(lcm.KindInvalid, err, "Load balancer %s: %q is not an address.", b.ID, b.Address)
		}
		have = &balanced{address: address, fronts: map[int]*front{}}
		if err := h.answerFor(ctx, address, "replace"); err != nil {
			return err
		}
		h.balancing.all[b.ID] = have
	}
	if err := h.serveFronts(ctx, have, b.Fronts); err != nil {
		return err
	}
	if len(have.fronts) > 0 {
		return nil
	}
	delete(h.balancing.all, b.ID)
	return h.answerFor(ctx, have.address, "del")
}

// serveFronts opens and closes ports, and updates the members of the ports that stay open.
func (h *Hypervisor) serveFronts(ctx context.Context, b *balanced, want []machine.Front) error {
	wanted := map[int]bool{}
	for _, w := range want {
		wanted[w.Port] = true
		f := b.fronts[w.Port]
		if f == nil {
			listener, err := h.listenInRouter(ctx, netip.AddrPortFrom(b.address, uint16(w.Port))) //nolint:gosec // it is a port
			if err != nil {
				return broken(err, "The load balancer at %s cannot listen on port %d.", b.address, w.Port)
			}
			f = &front{Listener: listener}
			b.fronts[w.Port] = f
			go f.serve()
		}
		var members []string
		for _, m := range w.Members {
			members = append(members, net.JoinHostPort(m.Address, strconv.Itoa(m.Port)))
		}
		f.members.Store(&members)
	}
	for port, f := range b.fronts {
		if !wanted[port] {
			_ = f.Close()
			delete(b.fronts, port)
		}
	}
	return nil
}

// answerFor adds the address of a load balancer to the bridge of its network, or removes it.
func (h *Hypervisor) answerFor(ctx context.Context, address netip.Addr, verb string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range h.networks.list() {
		if n.CIDR.Contains(address) {
			_, err := run(ctx, "", "ip", "-n", h.router(), "addr", verb, address.String()+"/32", "dev", bridgeName(n.ID))
			return broken(err, "The lab's router cannot answer at %s.", address)
		}
	}
	return lcm.Errorf(lcm.KindNotFound, "There is no network with the address %s.", address)
}

// listenInRouter opens a port in the router's network namespace. If the thread cannot return to its own namespace, no
// goroutine uses it again.
func (h *Hypervisor) listenInRouter(ctx context.Context, at netip.AddrPort) (listener net.Listener, err error) {
	runtime.LockOSThread()
	home, err := os.Open(fmt.Sprintf("/proc/self/task/%d/ns/net", unix.Gettid()))
	if err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	defer func() { _ = home.Close() }()
	router, err := os.Open(netnsDir + h.router())
	if err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	defer func() { _ = router.Close() }()
	if err = unix.Setns(int(router.Fd()), unix.CLONE_NEWNET); err == nil {
		listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp4", at.String())
	}
	if back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); back != nil {
		return listener, errors.Join(err, back)
	}
	runtime.UnlockOSThread()
	return listener, err
}

// serve accepts connections until the front is closed.
func (f *front) serve() {
	for {
		client, err := f.Accept()
		if err != nil {
			return
		}
		go f.carry(client)
	}
}

// carry connects a client to the next member that answers.
func (f *front) carry(client net.Conn) {
	defer func() { _ = client.Close() }()
	members := *f.members.Load()
	for range members {
		to := members[int(f.turn.Add(1))%len(members)]
		server, err := net.DialTimeout("tcp", to, memberTimeout)
		if err != nil {
			continue
		}
		go func() {
			_, _ = io.Copy(server, client)
			_ = server.Close()
		}()
		_, _ = io.Copy(client, server)
		return
	}
}

// closeBalancing closes the fronts of all load balancers of this process.
func (h *Hypervisor) closeBalancing() {
	h.balancing.mu.Lock()
	defer h.balancing.mu.Unlock()
	for _, b := range h.balancing.all {
		for _, f := range b.fronts {
			_ = f.Close()
		}
	}
	h.balancing.all = nil
}
