package testbed

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// Lab calls the lab's own API.
func (b *Bed) Lab(t testing.TB, method, path string, body any) Answer {
	t.Helper()
	lab, ok := b.Cloud.(*environment.Lab)
	require.True(t, ok, "only a lab takes orders")
	return Request(t, method, lab.OrderURL()+path, body)
}

// LabInto reads something of the lab's own API.
func (b *Bed) LabInto(t testing.TB, path string, into any) {
	t.Helper()
	a := b.Lab(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, a.Status, "%s: %s", path, a.Body)
	require.NoError(t, json.Unmarshal(a.Body, into))
}

// MachineOf returns the machine of a node: a node's name ends with the first digits of its server's id.
func (b *Bed) MachineOf(t testing.TB, node string) string {
	t.Helper()
	all := b.machines(t)
	_, digits, _ := strings.Cut(node, "-")
	for _, m := range all {
		if strings.HasPrefix(m.ID, digits) {
			return m.ID
		}
	}
	require.FailNow(t, "no machine", "of node %s among %v", node, all)
	return ""
}

// Fault adds a fault to the lab's services.
func (b *Bed) Fault(t testing.TB, fault map[string]any) {
	t.Helper()
	a := b.Lab(t, http.MethodPost, "/faults", fault)
	require.Less(t, a.Status, 300, "%s", a.Body)
}

// ScriptFault adds a fault of a script on fake machines.
func (b *Bed) ScriptFault(t testing.TB, fault map[string]any) {
	t.Helper()
	a := b.Lab(t, http.MethodPost, "/scripts/faults", fault)
	require.Less(t, a.Status, 300, "%s", a.Body)
}

// ClearFaults removes all faults of Fault and ScriptFault.
func (b *Bed) ClearFaults(t testing.TB) {
	t.Helper()
	b.Lab(t, http.MethodDelete, "/faults", nil)
	b.Lab(t, http.MethodDelete, "/scripts/faults", nil)
}

// Pace sets how long fake machines need to boot and to run a script.
func (b *Bed) Pace(t testing.TB, boot, work time.Duration) {
	t.Helper()
	a := b.Lab(t, http.MethodPut, "/scripts/pace",
		map[string]any{"boot_ms": boot.Milliseconds(), "work_ms": work.Milliseconds()})
	require.Less(t, a.Status, 300, "%s", a.Body)
}

// RequireNothingLeft requires that the lab has nothing except what it had at its start.
func (b *Bed) RequireNothingLeft(t testing.TB) {
	t.Helper()
	a := b.Lab(t, http.MethodGet, "/resources", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	var left map[string][]any
	require.NoError(t, json.Unmarshal(a.Body, &left))
	for kind, list := range left {
		require.Empty(t, list, "%s are left in the lab", kind)
	}
}
