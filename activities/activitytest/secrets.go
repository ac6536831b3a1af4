package activitytest

import (
	"context"
	"strings"
	"sync"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Secrets is a vault that stores its values unencrypted.
type Secrets struct {
	mu     sync.Mutex
	Values map[lcm.SecretRef]string
}

// NewSecrets returns an empty vault.
func NewSecrets() *Secrets { return &Secrets{Values: map[lcm.SecretRef]string{}} }

// Get implements activities.Secrets.
func (m *Secrets) Get(_ context.Context, ref lcm.SecretRef) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.Values[ref]
	if !ok {
		return "", lcm.Errorf(lcm.KindNotFound, "There is no secret %s.", ref)
	}
	return value, nil
}

// Ensure implements activities.Secrets.
func (m *Secrets) Ensure(_ context.Context, ref lcm.SecretRef, generate func() (string, error)) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value, ok := m.Values[ref]; ok {
		return value, nil
	}
	value, err := generate()
	m.Values[ref] = value
	return value, err
}

// Put implements activities.Secrets.
func (m *Secrets) Put(_ context.Context, ref lcm.SecretRef, clear string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Values[ref] = clear
	return nil
}

// Ending lists the values whose references end with suffix.
func (m *Secrets) Ending(suffix string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for ref, value := range m.Values {
		if strings.HasSuffix(string(ref), suffix) {
			out = append(out, value)
		}
	}
	return out
}
