package fake

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// power is one period between power-on and power-off.
type power struct {
	ctx    context.Context //nolint:containedctx // the lifetime of all activity of the machine
	cancel context.CancelFunc
	all    sync.WaitGroup
	booted bool

	listeners map[string]net.Listener // by address
	conns     map[net.Conn]string     // to the local address of each
}

func (m *Machine) powerOn(delay time.Duration, addresses []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.power != nil {
		return nil
	}
	m.ice.thaw()
	ctx, cancel := context.WithCancel(context.Background())
	p := &power{ctx: ctx, cancel: cancel, listeners: map[string]net.Listener{}, conns: map[net.Conn]string{}}
	m.power = p
	m.console.print("[    0.000000] Linux version 6.1.0 (fake) on " + m.hostname)
	if delay == 0 {
		return m.ready(p, addresses) // so that the creator can connect at once
	}
	p.all.Go(func() {
		if sleep(ctx, delay) {
			m.finishBoot(p)
		}
	})
	return nil
}

// finishBoot opens the machine's present addresses. If the power went off meanwhile, it opens none: nothing would close
// them again.
func (m *Machine) finishBoot(p *power) {
	m.hypervisor.mu.Lock()
	defer m.hypervisor.mu.Unlock()
	addresses := m.hypervisor.addresses(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.ctx.Err() == nil {
		_ = m.ready(p, addresses) // the console shows the error
	}
}

// ready opens the addresses. The caller holds m.mu.
func (m *Machine) ready(p *power, addresses []string) error {
	for _, address := range addresses {
		if err := m.open(p, address); err != nil {
			m.console.print(err.Error())
			return err
		}
	}
	p.booted = true
	m.console.print("[  OK  ] Started ssh.service - OpenBSD Secure Shell server.\n\n" +
		"Debian GNU/Linux 12 " + m.hostname + " ttyS0\n\n" + m.hostname + " login:")
	return nil
}

// open listens on an address. The caller holds m.mu.
func (m *Machine) open(p *power, address string) error {
	if p.listeners[address] != nil {
		return nil
	}
	listener, err := net.Listen("tcp", m.hypervisor.hostPort(address))
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "machine %s cannot listen on %s; is another lab running?",
			m.id, m.hypervisor.hostPort(address))
	}
	p.listeners[address] = listener
	p.all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			m.accept(p, conn, address)
		}
	})
	return nil
}

func (m *Machine) accept(p *power, conn net.Conn, address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.ctx.Err() != nil || p.listeners[address] == nil {
		_ = conn.Close()
		return
	}
	p.conns[conn] = address
	p.all.Go(func() {
		m.serve(p.ctx, icyConn{Conn: conn, ice: m.ice, ctx: p.ctx})
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(p.conns, conn)
	})
}

// listen adds an address to a running machine; a machine that is off opens the address at its next boot.
func (m *Machine) listen(address string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.power == nil || !m.power.booted {
		return nil
	}
	return m.open(m.power, address)
}

func (m *Machine) unlisten(address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.power == nil {
		return
	}
	m.power.close(address)
}

func (p *power) close(address string) {
	if listener := p.listeners[address]; listener != nil {
		_ = listener.Close()
		delete(p.listeners, address)
	}
	for conn, at := range p.conns {
		if at == address {
			_ = conn.Close()
		}
	}
}

// cut closes the connections, as a network failure would, and returns their number.
func (m *Machine) cut() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.power == nil {
		return 0
	}
	for conn := range m.power.conns {
		_ = conn.Close()
	}
	return len(m.power.conns)
}

// powerOff drops all state except the disk.
func (m *Machine) powerOff() {
	m.mu.Lock()
	p := m.power
	m.power = nil
	if p != nil {
		p.cancel()
		for address := range p.listeners {
			p.close(address)
		}
		m.console.print("[   99.999999] reboot: Power down")
	}
	m.mu.Unlock()
	if p == nil {
		return
	}
	p.all.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, r := range m.runs {
		if !r.ended() {
			delete(m.runs, id)
		}
	}
}

func (m *Machine) freeze() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.power == nil {
		return lcm.Errorf(lcm.KindConflict, "the machine %s is off", m.id)
	}
	m.ice.freeze()
	return nil
}
