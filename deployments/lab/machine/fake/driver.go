// Package fake runs the lab's machines as SSH servers inside the lab's own process: no root, no
// containers, and hundreds of machines on a laptop. They speak the protocol of internal/remote and act
// out Windlass's scripts on a model of the cluster; no shell ever runs. For tests of the lifecycle
// and for load: no real cluster is made.
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

// DefaultPort is where the machines listen: 22 belongs to the host and to root.
const DefaultPort = 2222

// Options are the knobs of a Driver. The zero value boots at once and works in no time.
type Options struct {
	// Dir is where Close saves the machines for Recover; "" saves nothing.
	Dir  string
	Port int
	// BootDelay is the time from power-on to the first answer on SSH.
	BootDelay time.Duration
	// Work is how long a script takes; nil is no time.
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
		networks: map[string]machine.Network{}, machines: map[string]*Machine{},
		volumes: map[string]string{}, floating: map[string]machine.FloatingIP{}, balancers: map[string]machine.LoadBalancer{},
		world: newWorld(),
	}
	d.registerScripts()
	return d
}

// Handle registers what a script of that name does.
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

// SetPace changes boot delay and work for what starts from now on.
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

// DeleteNetwork forgets the network unless a machine is in it.
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

// addresses are those that m listens on: the fixed ones that this host has, and the floating ones.
func (d *Driver) addresses(m *Machine) []string {
	var all []string
	for _, port := range m.ports() {
		for _, ip := range port.FixedIPs {
			if parsed := net.ParseIP(ip); parsed.IsLoopback() { // others are of networks that the host has no way to
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

// Kill takes the power away: connections drop, and what ran is lost.
func (d *Driver) Kill(_ context.Context, id string) error {
	m, err := d.machine(id)
	if err != nil {
		return err
	}
	m.powerOff()
	return nil
}

// Reboot is Kill and Start: there is no init system that would make a soft one differ.
func (d *Driver) Reboot(ctx context.Context, id string, _ bool) error {
	if err := d.Kill(ctx, id); err != nil {
		return err
	}
	return d.Start(ctx, id)
}

// Freeze lets a machine accept connections but answer nothing.
func (d *Driver) Freeze(_ context.Context, id string) error {
	m, err := d.machine(id)
	if err != nil {
		return err
	}
	return m.freeze()
}

// Thaw undoes Freeze.
func (d *Driver) Thaw(_ context.Context, id string) error {
	m, err := d.machine(id)
	if err != nil {
		return err
	}
	m.ice.thaw()
	return nil
}

// Cut closes the SSH connections to a machine, and tells how many there were. Commands go on.
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

// State tells how a machine is.
func (d *Driver) State(_ context.Context, id string) (machine.State, error) {
	d.mu.Lock()
	m, known := d.machines[id]
	d.mu.Unlock()
	if !known {
		return machine.Absent, nil
	}
	return m.state(), nil
}

// Console returns what a machine printed since it was made.
func (d *Driver) Console(_ context.Context, id string) (string, error) {
	m, err := d.machine(id)
	if err != nil {
		return "", err
	}
	return m.console.text(), nil
}

// UpdatePort changes a port.
func (d *Driver) UpdatePort(_ context.Context, machineID string, p machine.Port) error {
	m, err := d.machine(machineID)
	if err != nil {
		return err
	}
	return m.updatePort(p)
}

// Replug gives a machine other ports. One that runs answers on their addresses at once, and no longer on the others.
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

// Close saves what Recover needs and powers all machines off: they cannot outlive the process.
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
