package fake

import (
	"crypto/ed25519"
	"crypto/rand"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Machine is one fake server.
type Machine struct {
	id         string
	hypervisor *Hypervisor
	config     *ssh.ServerConfig
	hostKey    []byte // the key's seed
	files      *files
	console    *console
	ice        *ice

	gone     atomic.Bool // deleted
	mu       sync.Mutex
	def      machine.Machine
	hostname string
	power    *power // nil when off
	runs     map[string]*run
	devices  []string
	// cancelled are the tokens of starts that a kill has cancelled in advance.
	cancelled map[string]bool
}

// newMachine makes a machine; it generates the host key when hostKey is nil.
func newMachine(d *Hypervisor, def machine.Machine, hostKey []byte) (*Machine, error) {
	if hostKey == nil {
		hostKey = make([]byte, ed25519.SeedSize)
		_, _ = rand.Read(hostKey) // never fails
	}
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(hostKey))
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "machine %s: no host key", def.ID)
	}
	for _, port := range def.Ports {
		for _, ip := range port.FixedIPs {
			if net.ParseIP(ip) == nil {
				return nil, lcm.Errorf(lcm.KindInvalid, "machine %s: %q is not an address", def.ID, ip)
			}
		}
	}
	m := &Machine{
		id: def.ID, hypervisor: d, def: def, hostname: def.Name, files: newFiles(), console: &console{}, ice: newIce(),
		hostKey: hostKey, runs: map[string]*run{}, cancelled: map[string]bool{},
	}
	m.config = newLogins(def).config(signer)
	return m, nil
}

// privateKey is the host key.
func (m *Machine) privateKey() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(m.hostKey) }

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

// works reports whether the machine is booted and not frozen.
func (m *Machine) works() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.power != nil && m.power.booted && !m.ice.frozen()
}
