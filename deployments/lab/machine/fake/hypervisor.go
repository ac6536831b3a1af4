// Package fake runs the lab's machines as SSH servers inside the lab's own process. It needs no root and no containers,
// and a laptop runs hundreds of machines. The machines speak the protocol of internal/remote. They act out Windlass's
// scripts on a model of the cluster; no shell ever runs. The package serves lifecycle tests and load tests; it makes no
// real cluster.
package fake

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// DefaultPort is the machines' SSH port: on the host, port 22 is in use and needs root.
const DefaultPort = 2222

// Options configure a Hypervisor. With the zero value, machines boot at once and scripts take no time.
type Options struct {
	// Dir is where Close saves the machines for Recover; "" saves nothing.
	Dir  string
	Port int
	// BootDelay is the time from power-on to the first answer on SSH.
	BootDelay time.Duration
	// Work returns how long a script takes; nil means no time.
	Work func(script string) time.Duration
}

// Hypervisor is the fake machine.Hypervisor.
type Hypervisor struct {
	dir  string
	port int

	mu        sync.Mutex
	bootDelay time.Duration
	work      func(script string) time.Duration
	networks  map[string]machine.Network
	machines  map[string]*Machine
	volumes   map[string]string // volume id -> machine id, "" when detached
	floating  map[string]machine.FloatingIP
	balancers map[string]machine.LoadBalancer // of the cloud, by id
	handlers  map[string]Handler
	faults    []*Fault
	world     *world
}

var _ machine.Hypervisor = (*Hypervisor)(nil)

// New makes a hypervisor without machines.
func New(o Options) *Hypervisor {
	d := &Hypervisor{
		dir: o.Dir, port: cmp.Or(o.Port, DefaultPort), bootDelay: o.BootDelay, work: o.Work,
		networks: map[string]machine.Network{}, machines: map[string]*Machine{}, volumes: map[string]string{},
		floating: map[string]machine.FloatingIP{}, balancers: map[string]machine.LoadBalancer{}, world: newWorld(),
	}
	d.registerScripts()
	return d
}

// Handle registers the handler of a script.
func (h *Hypervisor) Handle(script string, act Handler) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.handlers[script] = act
}

// Scripts are the names of the scripts that the machines can act out.
func (h *Hypervisor) Scripts() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.handlers))
}

// SetPace changes the boot delay and the work time for later boots and scripts.
func (h *Hypervisor) SetPace(boot time.Duration, work func(script string) time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bootDelay, h.work = boot, work
}

// EnsureNetwork remembers the network.
func (h *Hypervisor) EnsureNetwork(_ context.Context, n machine.Network) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.networks[n.ID] = n
	return nil
}

// DeleteNetwork removes the network unless a machine is in it.
func (h *Hypervisor) DeleteNetwork(_ context.Context, id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.machines {
		for _, port := range m.ports() {
			if port.NetworkID == id {
				return lcm.Errorf(lcm.KindConflict, "network %s still has the machine %s", id, m.id)
			}
		}
	}
	delete(h.networks, id)
	return nil
}

// Create defines a machine and boots it.
func (h *Hypervisor) Create(_ context.Context, def machine.Machine) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.machines[def.ID]; known {
		return nil
	}
	if err := checkUserData(def); err != nil {
		return err
	}
	for _, port := range def.Ports {
		if _, known := h.networks[port.NetworkID]; !known {
			return lcm.Errorf(lcm.KindNotFound, "machine %s: there is no network %s", def.ID, port.NetworkID)
		}
	}
	m, err := newMachine(h, def, nil)
	if err != nil {
		return err
	}
	if err := m.powerOn(h.bootDelay, h.addresses(m)); err != nil {
		m.powerOff()
		return err
	}
	h.machines[def.ID] = m
	return nil
}

// addresses returns the addresses that m listens on: fixed ones that this host has, and floating ones.
func (h *Hypervisor) addresses(m *Machine) []string {
	var all []string
	for _, port := range m.ports() {
		for _, ip := range port.FixedIPs {
			if parsed := net.ParseIP(ip); parsed.IsLoopback() { // the host has no route to other addresses
				all = append(all, ip)
			}
		}
	}
	for _, f := range h.floating {
		if m.hasAddress(f.FixedIP) {
			all = append(all, f.Address)
		}
	}
	return all
}

func (h *Hypervisor) machine(id string) (*Machine, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m, known := h.machines[id]
	if !known {
		return nil, lcm.Errorf(lcm.KindNotFound, "there is no machine %s", id)
	}
	return m, nil
}

// with does something with a machine.
func (h *Hypervisor) with(id string, do func(m *Machine) error) error {
	m, err := h.machine(id)
	if err != nil {
		return err
	}
	return do(m)
}

// Start boots a stopped machine.
func (h *Hypervisor) Start(_ context.Context, id string) error {
	m, err := h.machine(id)
	if err != nil {
		return err
	}
	h.mu.Lock()
	delay, addresses := h.bootDelay, h.addresses(m)
	h.mu.Unlock()
	return m.powerOn(delay, addresses)
}

// Stop shuts a machine down.
func (h *Hypervisor) Stop(ctx context.Context, id string) error { return h.Kill(ctx, id) }

// Kill takes the power away: connections drop, and running scripts are lost.
func (h *Hypervisor) Kill(_ context.Context, id string) error {
	return h.with(id, func(m *Machine) error { m.powerOff(); return nil })
}

// Reboot is Kill and Start: without an init system, a soft reboot is the same as a hard one.
func (h *Hypervisor) Reboot(ctx context.Context, id string, _ bool) error {
	if err := h.Kill(ctx, id); err != nil {
		return err
	}
	return h.Start(ctx, id)
}

// Freeze makes a machine accept connections but answer nothing.
func (h *Hypervisor) Freeze(_ context.Context, id string) error { return h.with(id, (*Machine).freeze) }

// Thaw undoes Freeze.
func (h *Hypervisor) Thaw(_ context.Context, id string) error {
	return h.with(id, func(m *Machine) error { m.ice.thaw(); return nil })
}

// Cut closes the SSH connections to a machine, and returns their number. Running commands continue.
func (h *Hypervisor) Cut(_ context.Context, id string) (connections int, err error) {
	m, err := h.machine(id)
	if err != nil {
		return 0, err
	}
	return m.cut(), nil
}

// Delete removes a machine.
func (h *Hypervisor) Delete(_ context.Context, id string) error {
	h.mu.Lock()
	m, known := h.machines[id]
	delete(h.machines, id)
	for volume, holder := range h.volumes {
		if holder == id {
			h.volumes[volume] = ""
		}
	}
	h.mu.Unlock()
	if known {
		m.gone.Store(true)
		m.powerOff()
		h.state().drop(m)
	}
	return nil
}

// State returns a machine's state.
func (h *Hypervisor) State(_ context.Context, id string) (machine.State, error) {
	h.mu.Lock()
	m, known := h.machines[id]
	h.mu.Unlock()
	if !known {
		return machine.Absent, nil
	}
	return m.state(), nil
}

// Console returns the whole console output of a machine.
func (h *Hypervisor) Console(_ context.Context, id string) (string, error) {
	m, err := h.machine(id)
	if err != nil {
		return "", err
	}
	return m.console.text(), nil
}

// UpdatePort changes a port.
func (h *Hypervisor) UpdatePort(_ context.Context, machineID string, p machine.Port) error {
	return h.with(machineID, func(m *Machine) error { return m.updatePort(p) })
}

// Replug replaces a machine's ports. A running machine at once listens on the new addresses and no longer on the old.
func (h *Hypervisor) Replug(_ context.Context, id string, ports []machine.Port) error {
	m, err := h.machine(id)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, port := range ports {
		if _, known := h.networks[port.NetworkID]; !known {
			return lcm.Errorf(lcm.KindNotFound, "machine %s: there is no network %s", id, port.NetworkID)
		}
	}
	before := h.addresses(m)
	m.mu.Lock()
	m.def.Ports = slices.Clone(ports)
	m.mu.Unlock()
	after := h.addresses(m)
	for _, address := range before {
		if !slices.Contains(after, address) {
			m.unlisten(address)
		}
	}
	for _, address := range after {
		if err := m.listen(address); err != nil {
			return err
		}
	}
	return nil
}

// Close saves the state for Recover and powers all machines off: they cannot outlive the process.
func (h *Hypervisor) Close() error {
	err := h.save()
	h.powerOff()
	return err
}

func (h *Hypervisor) powerOff() {
	h.mu.Lock()
	machines := make([]*Machine, 0, len(h.machines))
	for _, m := range h.machines {
		machines = append(machines, m)
	}
	h.mu.Unlock()
	var all sync.WaitGroup
	for _, m := range machines {
		all.Go(m.powerOff)
	}
	all.Wait()
}

// Down removes everything.
func (h *Hypervisor) Down(context.Context) error {
	h.powerOff()
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.machines)
	clear(h.networks)
	clear(h.volumes)
	clear(h.floating)
	h.world = newWorld()
	if h.dir == "" {
		return nil
	}
	if err := os.Remove(h.file()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return lcm.Wrap(lcm.KindUnavailable, err, "%s cannot be removed", h.file())
	}
	return nil
}

func (h *Hypervisor) hostPort(address string) string {
	return net.JoinHostPort(address, strconv.Itoa(h.port))
}
