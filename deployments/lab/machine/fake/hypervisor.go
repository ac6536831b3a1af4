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

// Options configure a Driver. With the zero value, machines boot at once and scripts take no time.
type Options struct {
	// Dir is where Close saves the machines for Recover; "" saves nothing.
	Dir  string
	Port int
	// BootDelay is the time from power-on to the first answer on SSH.
	BootDelay time.Duration
	// Work returns how long a script takes; nil means no time.
	Work func(script string) time.Duration
}

// Driver is the fake machine.Driver.
type Driver struct {
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

var _ machine.Driver = (*Driver)(nil)

// New makes a driver without machines.
func New(o Options) *Driver {
	d := &Driver{
		dir: o.Dir, port: cmp.Or(o.Port, DefaultPort), bootDelay: o.BootDelay, work: o.Work,
		networks: map[string]machine.Network{}, machines: map[string]*Machine{}, volumes: map[string]string{},
		floating: map[string]machine.FloatingIP{}, balancers: map[string]machine.LoadBalancer{}, world: newWorld(),
	}
	d.registerScripts()
	return d
}

// Handle registers the handler of a script.
func (d *Driver) Handle(script string, h Handler) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handlers[script] = h
}

// Scripts are the names of the scripts that the machines can act out.
func (d *Driver) Scripts() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.handlers))
}

// SetPace changes the boot delay and the work time for later boots and scripts.
func (d *Driver) SetPace(boot time.Duration, work func(script string) time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bootDelay, d.work = boot, work
}

// EnsureNetwork remembers the network.
func (d *Driver) EnsureNetwork(_ context.Context, n machine.Network) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.networks[n.ID] = n
	return nil
}

// DeleteNetwork removes the network unless a machine is in it.
func (d *Driver) DeleteNetwork(_ context.Context, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.machines {
		for _, port := range m.ports() {
			if port.NetworkID == id {
				return lcm.Errorf(lcm.KindConflict, "network %s still has the machine %s", id, m.id)
			}
		}
	}
	delete(d.networks, id)
	return nil
}

// Create defines a machine and boots it.
func (d *Driver) Create(_ context.Context, def machine.Machine) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.machines[def.ID]; known {
		return nil
	}
	if err := checkUserData(def); err != nil {
		return err
	}
	for _, port := range def.Ports {
		if _, known := d.networks[port.NetworkID]; !known {
			return lcm.Errorf(lcm.KindNotFound, "machine %s: there is no network %s", def.ID, port.NetworkID)
		}
	}
	m, err := newMachine(d, def, nil)
	if err != nil {
		return err
	}
	if err := m.powerOn(d.bootDelay, d.addresses(m)); err != nil {
		m.powerOff()
		return err
	}
	d.machines[def.ID] = m
	return nil
}

// addresses returns the addresses that m listens on: fixed ones that this host has, and floating ones.
func (d *Driver) addresses(m *Machine) []string {
	var all []string
	for _, port := range m.ports() {
		for _, ip := range port.FixedIPs {
			if parsed := net.ParseIP(ip); parsed.IsLoopback() { // the host has no route to other addresses
				all = append(all, ip)
			}
		}
	}
	for _, f := range d.floating {
		if m.hasAddress(f.FixedIP) {
			all = append(all, f.Address)
		}
	}
	return all
}

func (d *Driver) machine(id string) (*Machine, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m, known := d.machines[id]
	if !known {
		return nil, lcm.Errorf(lcm.KindNotFound, "there is no machine %s", id)
	}
	return m, nil
}

// with does something with a machine.
func (d *Driver) with(id string, do func(m *Machine) error) error {
	m, err := d.machine(id)
	if err != nil {
		return err
	}
	return do(m)
}

// Start boots a stopped machine.
func (d *Driver) Start(_ context.Context, id string) error {
	m, err := d.machine(id)
	if err != nil {
		return err
	}
	d.mu.Lock()
	delay, addresses := d.bootDelay, d.addresses(m)
	d.mu.Unlock()
	return m.powerOn(delay, addresses)
}

// Stop shuts a machine down.
func (d *Driver) Stop(ctx context.Context, id string) error { return d.Kill(ctx, id) }

// Kill takes the power away: connections drop, and running scripts are lost.
func (d *Driver) Kill(_ context.Context, id string) error {
	return d.with(id, func(m *Machine) error { m.powerOff(); return nil })
}

// Reboot is Kill and Start: without an init system, a soft reboot is the same as a hard one.
func (d *Driver) Reboot(ctx context.Context, id string, _ bool) error {
	if err := d.Kill(ctx, id); err != nil {
		return err
	}
	return d.Start(ctx, id)
}

// Freeze makes a machine accept connections but answer nothing.
func (d *Driver) Freeze(_ context.Context, id string) error { return d.with(id, (*Machine).freeze) }

// Thaw undoes Freeze.
func (d *Driver) Thaw(_ context.Context, id string) error {
	return d.with(id, func(m *Machine) error { m.ice.thaw(); return nil })
}

// Cut closes the SSH connections to a machine, and returns their number. Running commands continue.
func (d *Driver) Cut(_ context.Context, id string) (connections int, err error) {
	m, err := d.machine(id)
	if err != nil {
		return 0, err
	}
	return m.cut(), nil
}

// Delete removes a machine.
func (d *Driver) Delete(_ context.Context, id string) error {
	d.mu.Lock()
	m, known := d.machines[id]
	delete(d.machines, id)
	for volume, holder := range d.volumes {
		if holder == id {
			d.volumes[volume] = ""
		}
	}
	d.mu.Unlock()
	if known {
		m.gone.Store(true)
		m.powerOff()
		d.state().drop(m)
	}
	return nil
}

// State returns a machine's state.
func (d *Driver) State(_ context.Context, id string) (machine.State, error) {
	d.mu.Lock()
	m, known := d.machines[id]
	d.mu.Unlock()
	if !known {
		return machine.Absent, nil
	}
	return m.state(), nil
}

// Console returns the whole console output of a machine.
func (d *Driver) Console(_ context.Context, id string) (string, error) {
	m, err := d.machine(id)
	if err != nil {
		return "", err
	}
	return m.console.text(), nil
}

// UpdatePort changes a port.
func (d *Driver) UpdatePort(_ context.Context, machineID string, p machine.Port) error {
	return d.with(machineID, func(m *Machine) error { return m.updatePort(p) })
}

// Replug replaces a machine's ports. A running machine at once listens on the new addresses and no longer on the old.
func (d *Driver) Replug(_ context.Context, id string, ports []machine.Port) error {
	m, err := d.machine(id)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, port := range ports {
		if _, known := d.networks[port.NetworkID]; !known {
			return lcm.Errorf(lcm.KindNotFound, "machine %s: there is no network %s", id, port.NetworkID)
		}
	}
	before := d.addresses(m)
	m.mu.Lock()
	m.def.Ports = slices.Clone(ports)
	m.mu.Unlock()
	after := d.addresses(m)
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
func (d *Driver) Close() error {
	err := d.save()
	d.powerOff()
	return err
}

func (d *Driver) powerOff() {
	d.mu.Lock()
	machines := make([]*Machine, 0, len(d.machines))
	for _, m := range d.machines {
		machines = append(machines, m)
	}
	d.mu.Unlock()
	var all sync.WaitGroup
	for _, m := range machines {
		all.Go(m.powerOff)
	}
	all.Wait()
}

// Down removes everything.
func (d *Driver) Down(context.Context) error {
	d.powerOff()
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.machines)
	clear(d.networks)
	clear(d.volumes)
	clear(d.floating)
	d.world = newWorld()
	if d.dir == "" {
		return nil
	}
	if err := os.Remove(d.file()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return lcm.Wrap(lcm.KindUnavailable, err, "%s cannot be removed", d.file())
	}
	return nil
}

func (d *Driver) hostPort(address string) string {
	return net.JoinHostPort(address, strconv.Itoa(d.port))
}
