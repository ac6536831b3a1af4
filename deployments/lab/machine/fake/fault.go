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
func (h *Hypervisor) Inject(f Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f.Times = max(1, f.Times)
	h.faults = append(h.faults, &f)
}

// Faults returns the faults that have strikes left.
func (h *Hypervisor) Faults() []Fault {
	h.mu.Lock()
	defer h.mu.Unlock()
	left := []Fault{}
	for _, f := range h.faults {
		left = append(left, *f)
	}
	return left
}

// ClearFaults removes all faults.
func (h *Hypervisor) ClearFaults() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = nil
}

// fault uses up one strike of the first fault that matches.
func (h *Hypervisor) fault(m *Machine, script string) *Fault {
	name := m.Name()
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, f := range h.faults {
		if (f.Machine == "" || f.Machine == m.id || f.Machine == name || f.Machine == m.def.Name) &&
			(f.Script == "" || f.Script == script) {
			if f.Times--; f.Times == 0 {
				h.faults = slices.Delete(h.faults, i, i+1)
			}
			return f
		}
	}
	return nil
}

func (f *Fault) strike(ctx context.Context, p ScriptParams) Result {
	p.Work(ctx)
	if f.Hang {
		<-ctx.Done()
	}
	if f.Output != "" {
		p.Print("%s", f.Output)
	}
	return Result{ExitCode: f.ExitCode}
}
