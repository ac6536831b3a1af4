package openstack

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	lab "github.com/windlass-nfv/windlass/deployments/lab/openstack"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// machines is a hypervisor whose calls do nothing. A test can make the calls hang that create or stop a machine.
type machines struct {
	machine.Hypervisor

	create, stop chan struct{} // a call hangs while its channel is open and not nil
	mu           sync.Mutex
	stopped      map[string]int
}

func (m *machines) EnsureNetwork(context.Context, machine.Network) error { return nil }
func (m *machines) Delete(context.Context, string) error                 { return nil }
func (m *machines) DeleteNetwork(context.Context, string) error          { return nil }

func (m *machines) State(context.Context, string) (machine.State, error) { return "", nil }

func (m *machines) Create(ctx context.Context, _ machine.Machine) error { return hang(ctx, m.create) }

func (m *machines) Stop(ctx context.Context, id string) error {
	m.mu.Lock()
	m.stopped[id]++
	m.mu.Unlock()
	return hang(ctx, m.stop)
}

// stops returns how often each machine got a call to stop.
func (m *machines) stops() []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.stopped))
}

func hang(ctx context.Context, until chan struct{}) error {
	if until != nil {
		select {
		case <-until:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// site is a lab and a connection to it.
type site struct {
	t        *testing.T
	url      string
	machines *machines
	cloud    *openstack.Cloud
	calls    func() []string // "METHOD path" of the requests so far, except requests to the lab's own API

	mu    sync.Mutex
	lines []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, machines: &machines{stopped: map[string]int{}}}
	store, err := state.Open(filepath.Join(t.TempDir(), "lab.db"))
	require.NoError(t, err)
	var handler http.Handler
	var mu sync.Mutex
	var calls []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/lab/") {
			mu.Lock()
			calls = append(calls, r.Method+" "+r.URL.Path)
			mu.Unlock()
		}
		handler.ServeHTTP(w, r)
	}))
	s.url, s.calls = server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(calls)
	}
	cloud, err := lab.New(lab.Config{
		Store: store, Machines: s.machines, Endpoint: server.URL, DemoPassword: "demo-secret",
		AdminPassword: "admin-secret",
	})
	require.NoError(t, err)
	handler = cloud.Handler()
	t.Cleanup(func() { server.Close(); cloud.Close(); require.NoError(t, store.Close()) })
	s.cloud, err = openstack.Connect(t.Context(), lcm.Vim{
		Name: "lab", AuthURL: server.URL + "/identity/v3",
		Project: map[string]any{"name": "demo", "project_domain_name": "Default"},
	}, map[string]any{"username": "demo", "password": "demo-secret", "user_domain_name": "Default"}, outbound.Guard{})
	require.NoError(t, err)
	return s
}

const owner = "windlass-vnf-1"

// stack returns a stack of two servers, and of a network that Heat makes after them.
func stack(operation string) openstack.Stack {
	return openstack.Stack{Name: "vnf-1", Owner: owner, Operation: operation, Timeout: time.Minute, Template: `
heat_template_version: 2021-04-16
resources:
  one: {type: OS::Nova::Server, properties: {name: one, flavor: m1.small, image: debian-12-k8s, networks: [{network: net0}]}}
  two: {type: OS::Nova::Server, properties: {name: two, flavor: m1.small, image: debian-12-k8s, networks: [{network: net0}]}}
  last: {type: OS::Neutron::Net, depends_on: [one, two]}
`}
}

func (s *site) show(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
}

func (s *site) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}

func (s *site) lab(method, path string, body any) map[string][]map[string]any {
	s.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(s.t, err)
	req, err := http.NewRequestWithContext(context.Background(), method, s.url+"/lab"+path, bytes.NewReader(raw))
	require.NoError(s.t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	require.NoError(s.t, err)
	require.Less(s.t, res.StatusCode, 300, "%s", answer)
	out := map[string][]map[string]any{}
	_ = json.Unmarshal(answer, &out) // some answers have no body, or a body of another form
	return out
}

// begin creates the stack. It cancels the context while the servers boot.
func (s *site) begin() {
	s.t.Helper()
	s.machines.create = make(chan struct{})
	ctx, stop := context.WithCancel(s.t.Context())
	created := make(chan error, 1)
	go func() {
		_, err := s.cloud.CreateStack(ctx, stack("windlass-op-1"), s.show)
		created <- err
	}()
	require.Eventually(s.t, func() bool { return len(s.lab("GET", "/resources", nil)["servers"]) == 2 }, time.Minute,
		time.Millisecond)
	stop()
	require.Error(s.t, <-created)
	require.Equal(s.t, "CREATE_IN_PROGRESS", s.status(), "the end of a context alone stops nothing in Heat")
}

func (s *site) status() any {
	s.t.Helper()
	list := s.lab("GET", "/resources", nil)["stacks"]
	require.Len(s.t, list, 1)
	return list[0]["status"]
}

func TestCancelStack_stopsHeatAndARetryMakesTheStackAnew(t *testing.T) {
	s := newSite(t)
	s.begin()
	require.NoError(t, s.cloud.CancelStack(t.Context(), "vnf-1", "windlass-vnf-2", s.show))
	require.Equal(t, "CREATE_IN_PROGRESS", s.status(), "another's stack is left alone")
	require.NoError(t, s.cloud.CancelStack(t.Context(), "vnf-1", owner, s.show))
	require.Equal(t, "CREATE_FAILED", s.status(), "it returns when Heat has stopped")
	require.Contains(t, s.said(), "The stack is CREATE_FAILED: Stack CREATE cancelled")
	require.NoError(t, s.cloud.CancelStack(t.Context(), "vnf-1", owner, s.show), "again")

	close(s.machines.create)
	_, err := s.cloud.CreateStack(t.Context(), stack("windlass-op-1"), s.show)
	require.NoError(t, err)
	require.Equal(t, "CREATE_COMPLETE", s.status())
	require.Contains(t, s.said(), "A stack of an earlier attempt is CREATE_FAILED: Windlass deletes it first.")

	require.NoError(t, s.cloud.CancelStack(t.Context(), "vnf-1", owner, s.show), "Heat was faster")
	require.Equal(t, "CREATE_COMPLETE", s.status())
	require.NoError(t, s.cloud.DeleteStack(t.Context(), "vnf-1", owner, s.show))
	require.NoError(t, s.cloud.CancelStack(t.Context(), "vnf-1", owner, s.show), "there is none")
}

func TestCancelStack_takesHeatsRefusalForAnAnswer(t *testing.T) {
	for _, status := range []int{400, 404, 409} {
		s := newSite(t)
		s.begin()
		s.lab("POST", "/faults", map[string]any{
			"service": "heat", "method": "POST", "path": "/actions$", "status": status, "message": "not this time",
		})
		require.NoError(t, s.cloud.CancelStack(t.Context(), "vnf-1", owner, s.show))
		require.Contains(t, s.said(), "not this time")
	}
	s := newSite(t)
	s.begin()
	s.lab("POST", "/faults", map[string]any{"service": "heat", "method": "POST", "path": "/actions$", "status": 503})
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(s.cloud.CancelStack(t.Context(), "vnf-1", owner, s.show)))
}

func (s *site) made() *site {
	s.t.Helper()
	_, err := s.cloud.CreateStack(s.t.Context(), stack("windlass-op-1"), s.show)
	require.NoError(s.t, err)
	return s
}

func (s *site) shutDown(owner string, limit time.Duration) []string {
	s.t.Helper()
	left, err := s.cloud.ShutDown(s.t.Context(), "vnf-1", owner, time.Now().Add(limit), s.show)
	require.NoError(s.t, err)
	return left
}

// power lists the states of the servers as Nova reports them.
func (s *site) power() (out []any) {
	s.t.Helper()
	for _, m := range s.lab("GET", "/machines", nil)["machines"] {
		out = append(out, m["status"])
	}
	return out
}

func TestShutDown_stopsEveryServerOnceAndWaitsUntilTheyAreOff(t *testing.T) {
	s := newSite(t).made()
	require.Empty(t, s.shutDown("windlass-vnf-2", time.Minute))
	require.Equal(t, []any{"ACTIVE", "ACTIVE"}, s.power(), "another's servers are left alone")

	before := len(s.calls())
	require.Empty(t, s.shutDown(owner, time.Minute))
	require.Equal(t, []any{"SHUTOFF", "SHUTOFF"}, s.power())
	require.Contains(t, s.said(), "one: off")
	require.Contains(t, s.said(), "two: off")
	require.Empty(t, s.shutDown(owner, time.Minute), "again")
	require.Equal(t, []int{1, 1}, s.machines.stops())
	for _, call := range s.calls()[before:] {
		require.NotContains(t, call, "/networking/", "ports are of no interest")
	}

	require.NoError(t, s.cloud.DeleteStack(t.Context(), "vnf-1", owner, s.show))
	require.Empty(t, s.shutDown(owner, time.Minute), "there is no stack")
}

func TestShutDown_goesOnWhenTheTimeIsOver(t *testing.T) {
	s := newSite(t).made()
	s.machines.stop = make(chan struct{})
	require.ElementsMatch(t, []string{"one", "two"}, s.shutDown(owner, 200*time.Millisecond))
	require.Contains(t, s.said(), "one: still ACTIVE. Windlass deletes it anyway.")
	require.Len(t, s.shutDown(owner, 0), 2, "a later attempt asks nobody again")
	close(s.machines.stop)
	require.Empty(t, s.shutDown(owner, time.Minute))
	require.Equal(t, []int{1, 1}, s.machines.stops())
}

func TestShutDown_doesNotWaitForAServerThatNovaRefuses(t *testing.T) {
	s := newSite(t).made()
	s.lab("POST", "/faults", map[string]any{
		"service": "nova", "method": "POST", "path": "/action$", "status": 409,
		"message": "it is in vm_state paused", "count": 2,
	})
	require.Len(t, s.shutDown(owner, time.Hour), 2)
	require.Contains(t, s.said(), "it is in vm_state paused")
}

func TestShutDown_asksAgainWhenNovaIsAway(t *testing.T) {
	s := newSite(t).made()
	s.lab("POST", "/faults", map[string]any{
		"service": "nova", "method": "POST", "path": "/action$", "status": 503, "count": 3,
	})
	require.Empty(t, s.shutDown(owner, time.Minute))
	require.Equal(t, []any{"SHUTOFF", "SHUTOFF"}, s.power())
}

func TestShutDown_endsWithItsContext(t *testing.T) {
	s := newSite(t).made()
	s.machines.stop = make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	_, err := s.cloud.ShutDown(ctx, "vnf-1", owner, time.Now().Add(time.Hour), func(line string) {
		if strings.Contains(line, "servers are on") {
			stop()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
}
