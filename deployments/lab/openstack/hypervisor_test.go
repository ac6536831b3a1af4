package openstack_test

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// memory is a machine hypervisor that keeps its machines in memory. It continues to exist when a cloud ends, as machines do
// when the lab ends.
type memory struct {
	mu        sync.Mutex
	networks  map[string]machine.Network
	machines  map[string]machine.Machine
	states    map[string]machine.State
	ports     map[string]machine.Port // by port id, from the last call
	volumes   map[string]string       // volume -> machine
	floating  map[string]machine.FloatingIP
	boots     map[string]int
	hold      chan struct{} // while it is open, the creation of a machine waits
	recovered int
}

func newMemory() *memory {
	return &memory{
		networks: map[string]machine.Network{}, machines: map[string]machine.Machine{}, states: map[string]machine.State{},
		ports: map[string]machine.Port{}, volumes: map[string]string{}, floating: map[string]machine.FloatingIP{},
		boots: map[string]int{},
	}
}

func (d *memory) EnsureNetwork(_ context.Context, n machine.Network) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.networks[n.ID] = n
	return nil
}

func (d *memory) DeleteNetwork(_ context.Context, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.networks, id)
	return nil
}

func (d *memory) Create(ctx context.Context, m machine.Machine) error {
	d.mu.Lock()
	hold := d.hold
	d.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range m.Ports {
		if _, known := d.networks[p.NetworkID]; !known {
			return lcm.Errorf(lcm.KindBug, "port %s is on network %s, which nobody made", p.ID, p.NetworkID)
		}
		d.ports[p.ID] = p
	}
	if _, again := d.machines[m.ID]; !again {
		d.boots[m.ID]++
	}
	d.machines[m.ID], d.states[m.ID] = m, machine.Running
	return nil
}

func (d *memory) set(id string, to machine.State) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.machines[id]; !known {
		return lcm.Errorf(lcm.KindNotFound, "there is no machine %s", id)
	}
	d.states[id] = to
	return nil
}

func (d *memory) Start(_ context.Context, id string) error { return d.set(id, machine.Running) }
func (d *memory) Stop(_ context.Context, id string) error  { return d.set(id, machine.Stopped) }
func (d *memory) Kill(_ context.Context, id string) error  { return d.set(id, machine.Stopped) }

func (d *memory) Reboot(_ context.Context, id string, _ bool) error {
	return d.set(id, machine.Running)
}

func (d *memory) Freeze(_ context.Context, id string) error { return d.set(id, machine.Frozen) }
func (d *memory) Cut(context.Context, string) (int, error)  { return 0, nil }
func (d *memory) Thaw(_ context.Context, id string) error   { return d.set(id, machine.Running) }

func (d *memory) Delete(_ context.Context, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.machines, id)
	delete(d.states, id)
	return nil
}

func (d *memory) State(_ context.Context, id string) (machine.State, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, known := d.states[id]; known {
		return s, nil
	}
	return machine.Absent, nil
}

func (d *memory) Console(context.Context, string) (string, error) { return "one\ntwo\nthree\n", nil }

func (d *memory) UpdatePort(_ context.Context, _ string, p machine.Port) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ports[p.ID] = p
	return nil
}

func (d *memory) Replug(_ context.Context, id string, ports []machine.Port) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	m, known := d.machines[id]
	if !known {
		return lcm.Errorf(lcm.KindNotFound, "There is no machine %s.", id)
	}
	m.Ports = slices.Clone(ports)
	d.machines[id] = m
	for _, p := range ports {
		d.ports[p.ID] = p
	}
	return nil
}

func (d *memory) AttachVolume(_ context.Context, id string, v machine.Volume) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.volumes[v.ID] = id
	n := 0
	for _, m := range d.volumes {
		if m == id {
			n++
		}
	}
	return fmt.Sprintf("/dev/vd%c", 'a'+n), nil
}

func (d *memory) DetachVolume(_ context.Context, _, volume string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.volumes[volume] = ""
	return nil
}

func (d *memory) DeleteVolume(_ context.Context, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.volumes[id] != "" {
		return lcm.Errorf(lcm.KindConflict, "volume %s is attached", id)
	}
	delete(d.volumes, id)
	return nil
}

func (d *memory) BindFloatingIP(_ context.Context, f machine.FloatingIP) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.floating[f.ID] = f
	return nil
}

func (d *memory) UnbindFloatingIP(_ context.Context, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.floating, id)
	return nil
}

func (d *memory) Recover(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recovered++
	return nil
}

func (d *memory) Close() error               { return nil }
func (d *memory) Down(context.Context) error { return nil }

// names lists the machines' host names.
func (d *memory) names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, m := range d.machines {
		out = append(out, m.Name)
	}
	slices.Sort(out)
	return out
}

func (d *memory) port(id string) machine.Port {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ports[id]
}

var _ machine.Hypervisor = (*memory)(nil)
