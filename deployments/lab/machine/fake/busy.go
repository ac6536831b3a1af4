package fake

import (
	"context"
	"strings"
)

// kubeadms are the scripts at work on this machine that run kubeadm, but for one.
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

// stopKubeadms ends what an earlier try has left running; false when there was nothing to stop.
func (m *Machine) stopKubeadms(ctx context.Context, p Params) bool {
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
