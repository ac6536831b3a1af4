package fake

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Machine is one fake server.
type Machine struct {
	id      string
	driver  *Driver
	config  *ssh.ServerConfig
	files   *files
	console *console
	ice     *ice

	gone     atomic.Bool // deleted
	mu       sync.Mutex
	def      machine.Machine
	hostname string
	power    *power // nil: off
	runs     map[string]*run
	devices  []string
	// cancelled are starts that a kill has forestalled.
	cancelled map[string]bool
}

// power is one period between power-on and power-off.
type power struct {
	ctx    context.Context //nolint:containedctx // it is the lifetime of everything that the machine does
	cancel context.CancelFunc
	all    sync.WaitGroup
	booted bool

	listeners map[string]net.Listener // by address
	conns     map[net.Conn]string     // and the address they came to
}

func newMachine(d *Driver, def machine.Machine) (*Machine, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "machine %s: no host key", def.ID)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "machine %s: no host key", def.ID)
	}
	for _, port := range def.Ports {
		for _, ip := range port.FixedIPs {
			if parsed := net.ParseIP(ip); parsed == nil || !parsed.IsLoopback() {
				return nil, lcm.Errorf(lcm.KindInvalid,
					"machine %s: fake machines listen on loopback addresses, not on %q", def.ID, ip)
			}
		}
	}
	m := &Machine{
		id: def.ID, driver: d, def: def, hostname: def.Name, files: newFiles(), console: &console{}, ice: newIce(),
		runs: map[string]*run{}, cancelled: map[string]bool{},
	}
	m.config = newLogins(def).config(signer)
	return m, nil
}

// ID is the server's id.
func (m *Machine) ID() string { return m.id }

// Name is the host name.
func (m *Machine) Name() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hostname
}

// WriteFile puts a file on the machine, for handlers.
func (m *Machine) WriteFile(path string, content []byte, mode uint32) {
	m.files.write(path, content, mode)
}

// ReadFile reads a file of the machine.
func (m *Machine) ReadFile(path string) (content []byte, ok bool) {
	f, ok := m.files.read(path)
	return f.content, ok
}

func (m *Machine) ports() []machine.Port {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.def.Ports)
}

func (m *Machine) hasAddress(address string) bool {
	return slices.ContainsFunc(m.ports(), func(p machine.Port) bool { return slices.Contains(p.FixedIPs, address) })
}

func (m *Machine) updatePort(p machine.Port) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.def.Ports {
		if m.def.Ports[i].ID == p.ID {
			m.def.Ports[i] = p
			return nil
		}
	}
	return lcm.Errorf(lcm.KindNotFound, "machine %s has no port %s", m.id, p.ID)
}

func (m *Machine) state() machine.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.power == nil:
		return machine.Stopped
	case m.ice.frozen():
		return machine.Frozen
	}
	return machine.Running
}

// works tells whether the machine does its work: it is booted and not frozen.
func (m *Machine) works() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.power != nil && m.power.booted && !m.ice.frozen()
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
		return m.ready(p, addresses) // so that whoever created it can connect at once
	}
	p.all.Go(func() {
		if !sleep(ctx, delay) {
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if err := m.ready(p, addresses); err != nil {
			m.console.print(err.Error())
		}
	})
	return nil
}

// ready is called with m.mu held.
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

// open is called with m.mu held.
func (m *Machine) open(p *power, address string) error {
	if p.listeners[address] != nil {
		return nil
	}
	listener, err := net.Listen("tcp", m.driver.hostPort(address))
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "machine %s cannot listen on %s; is another lab running?",
			m.id, m.driver.hostPort(address))
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

// listen adds an address to a machine that is up; one that boots later gets it then.
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

// powerOff loses everything but the disk.
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

// console is what a serial console shows.
type console struct {
	mu    sync.Mutex
	lines strings.Builder
}

func (c *console) print(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines.Len() < 64<<10 {
		c.lines.WriteString(line + "\n")
	}
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines.String()
}

// sleep tells whether it slept to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
