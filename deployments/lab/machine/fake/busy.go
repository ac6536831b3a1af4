package fake

import (
	"context"
	"strings"
)

// kubeadms returns the running scripts on this machine that use kubeadm, except but.
func (m *Machine) kubeadms(but *run) (running []*run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.runs {
		if r == but || !strings.HasPrefix(r.script, "kubeadm-") {
			continue
		}
		select {
		case <-r.done:
		default:
			running = append(running, r)
		}
	}
	return running
}

// stopKubeadms ends the scripts that an earlier try has left running; it returns false when there were none.
func (m *Machine) stopKubeadms(ctx context.Context, p ScriptParams) bool {
	running := m.kubeadms(p.run)
	for _, r := range running {
		r.cancel(errKilled)
	}
	for _, r := range running {
		select {
		case <-r.done:
		case <-ctx.Done():
		}
	}
	if len(running) > 0 {
		p.Print("stopping the kubeadm of an earlier try")
	}
	return len(running) > 0
}
