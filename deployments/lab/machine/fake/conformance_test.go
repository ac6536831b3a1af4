package fake_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/netip"
	"path"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/machinetest"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRemote_onFakeMachine(t *testing.T) {
	remotetest.Run(t, func(t *testing.T) remotetest.Machine { return bootActor(t) })
}

func TestDriver_keepsThePromisesOfMachines(t *testing.T) {
	dir := t.TempDir()
	machinetest.Run(t, machinetest.Subject{
		Open:     func(*testing.T) machine.Hypervisor { return fake.New(fake.Options{Dir: dir}) },
		CIDR:     netip.MustParsePrefix("127.78.200.0/24"),
		Floating: netip.MustParsePrefix("127.78.201.0/24"),
		SSHPort:  fake.DefaultPort,
	})
}

var lastAddress atomic.Int32

// nextAddress returns a new loopback address for each machine of these tests.
func nextAddress() string {
	n := lastAddress.Add(1)
	return fmt.Sprintf("127.78.%d.%d", 100+n/250, 1+n%250)
}

// actor is a fake machine that executes the behaviours of remotetest.
type actor struct {
	t          *testing.T
	hypervisor *fake.Hypervisor
	target     remote.Target

	mu       sync.Mutex
	started  map[string]int
	running  map[string]int
	released map[string]chan struct{}
}

func bootActor(t *testing.T) *actor {
	a := &actor{
		t: t, hypervisor: fake.New(fake.Options{}),
		started: map[string]int{}, running: map[string]int{}, released: map[string]chan struct{}{},
	}
	a.hypervisor.Handle("behave", a.behave)
	private, authorized := remotetest.Key(t)
	address := nextAddress()
	t.Cleanup(func() { require.NoError(t, a.hypervisor.Close()) })
	require.NoError(t, a.hypervisor.EnsureNetwork(t.Context(), machine.Network{ID: "net0"}))
	require.NoError(t, a.hypervisor.Create(t.Context(), machine.Machine{
		ID: "server-1", Name: "machine-1", AuthorizedKeys: []string{authorized}, AdminPass: "a pass word",
		Ports: []machine.Port{{ID: "port-1", NetworkID: "net0", FixedIPs: []string{address}, PrefixLen: 24}},
	}))
	a.target = remote.Target{
		Node: "cp-1234abcd", Address: address + ":2222", User: machine.User,
		PrivateKey: private, Password: "a pass word", ServerID: "server-1",
	}
	return a
}

func (a *actor) Script(b remotetest.Behaviour) string {
	text, err := json.Marshal(b)
	require.NoError(a.t, err)
	return "#!/bin/bash\n# windlass: behave\nBEHAVIOUR='" + base64.StdEncoding.EncodeToString(text) + "'\n\nset -eu\n"
}

func (a *actor) behave(ctx context.Context, _ *fake.Machine, p fake.ScriptParams) fake.Result {
	var b remotetest.Behaviour
	text, _ := base64.StdEncoding.DecodeString(p.Get("BEHAVIOUR"))
	if json.Unmarshal(text, &b) != nil {
		return p.Fail(65, "no behaviour")
	}
	a.count(a.started, b.Name, 1)
	for range b.Repeat + 1 {
		for _, line := range b.Stdout {
			p.Print("%s", line)
		}
	}
	for _, line := range b.Stderr {
		p.Warn("%s", line)
	}
	if b.Echo {
		p.Write(p.Stdin)
	}
	if b.Hang {
		a.count(a.running, b.Name, 1)
		defer a.count(a.running, b.Name, -1)
		select {
		case <-ctx.Done():
		case <-a.release(b.Name):
		}
	}
	return fake.Result{ExitCode: b.Exit}
}

func (a *actor) count(counter map[string]int, name string, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	counter[name] += n
}

func (a *actor) release(name string) chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.released[name] == nil {
		a.released[name] = make(chan struct{})
	}
	return a.released[name]
}

func (a *actor) Target() remote.Target { return a.target }
func (a *actor) TempDir() string       { return "/srv" }
func (a *actor) Release(name string)   { close(a.release(name)) }

func (a *actor) Reboot() {
	require.NoError(a.t, a.hypervisor.Reboot(a.t.Context(), "server-1", true))
}

func (a *actor) Started(name string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.started[name]
}

func (a *actor) Running(name string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running[name]
}

func (a *actor) ReadFile(name string) (string, uint32) {
	content, mode, _ := a.hypervisor.File("server-1", path.Clean(name))
	return string(content), mode
}

func (a *actor) WriteCount(name string) any {
	_, _, writes := a.hypervisor.File("server-1", name)
	return writes
}
