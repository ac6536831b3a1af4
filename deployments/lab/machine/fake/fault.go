package fake

import (
	"context"
	"slices"
)

// Fault makes scripts fail.
type Fault struct {
	Machine string `json:"machine,omitempty"` // id or host name; "" is any
	Script  string `json:"script,omitempty"`  // "" is any
	Times   int    `json:"times"`             // how often it strikes; 0 is once
	// ExitCode and Output are the script's result, after its simulated time.
	ExitCode int    `json:"exit_code"`
	Output   string `json:"output,omitempty"`
	// Hang makes the script run until something stops it.
	Hang bool `json:"hang,omitempty"`
}

// Inject adds a fault. Faults strike in the order of their addition.
func (d *Driver) Inject(f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f.Times = max(1, f.Times)
	d.faults = append(d.faults, &f)
}

// Faults returns the faults that have strikes left.
func (d *Driver) Faults() []Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := []Fault{}
	for _, f := range d.faults {
		left = append(left, *f)
	}
	return left
}

// ClearFaults removes all faults.
func (d *Driver) ClearFaults() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = nil
}

// fault uses up one strike of the first fault that matches.
func (d *Driver) fault(m *Machine, script string) *Fault {
	name := m.Name()
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, f := range d.faults {
		if (f.Machine == "" || f.Machine == m.id || f.Machine == name || f.Machine == m.def.Name) &&
			(f.Script == "" || f.Script == script) {
			if f.Times--; f.Times == 0 {
				d.faults = slices.Delete(d.faults, i, i+1)
			}
			return f
		}
	}
	return nil
}

func (f *Fault) strike(ctx context.Context, p Params) Result {
	p.Work(ctx)
	if f.Hang {
		<-ctx.Done()
	}
	if f.Output != "" {
		p.Print("%s", f.Output)
	}
	return Result{ExitCode: f.ExitCode}
}
