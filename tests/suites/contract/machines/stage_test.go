package machines

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
	"github.com/windlass-nfv/windlass/scripts"
)

// kindOfMachines are the machines on which a test runs scripts.
type kindOfMachines struct {
	driver  machine.Hypervisor
	network machine.Network
	port    string // of SSH
	// hold puts a Pod with a PodDisruptionBudget on a node. It stays there until free is called.
	hold func(s *stage, node string)
	free func(s *stage)
}

// stage has machines of one kind. A test plays turns on them.
type stage struct {
	kindOfMachines
	t       *testing.T
	hosts   map[string]*remote.Host // by the machines' names
	address map[string]string       // likewise
	vip     string
	own     string // this host's address in the machines' network
	volume  string // the id of the volume of storage-1
	haproxy string // the configuration that the control planes have got

	mu      sync.Mutex
	aliases []string        // pairs: a text that differs with the kind of machine, and its name here
	played  map[string]bool // by name: whether a turn has run the script
	runs    atomic.Int32
	broken  atomic.Bool // a turn had an unexpected outcome: the outcomes of later turns mean nothing
}

// turn is a script on a machine, and its outcome on every kind of machine. play runs a script that succeeds twice.
type turn struct {
	on     string
	script scripts.Script
	inputs []scripts.Input
	want   outcome
	again  []string // the results of the second run, if they differ
}

// outcome is what activities read: results, or the kind and the sentence of a failure. In a sentence, "..." at the
// beginning or the end stands for any text: other programs write it.
type outcome struct {
	results []string
	kind    lcm.ErrorKind
	says    string
}

func newStage(t *testing.T, kind kindOfMachines) *stage {
	t.Helper()
	s := &stage{
		kindOfMachines: kind, t: t, hosts: map[string]*remote.Host{}, address: map[string]string{}, volume: uuid.NewString(),
		played: map[string]bool{},
	}
	t.Cleanup(func() {
		for _, host := range s.hosts {
			_ = host.Close()
		}
		require.NoError(t, kind.driver.Down(context.WithoutCancel(t.Context())))
		require.NoError(t, kind.driver.Close())
	})
	require.NoError(t, kind.driver.EnsureNetwork(t.Context(), kind.network))
	s.vip = s.nth(9)
	key, authorized := remotetest.Key(t)
	names := []string{"cp-1", "cp-2", "worker-1", "storage-1"}
	for i, name := range names {
		s.boot(i, name, authorized)
	}
	for _, name := range names {
		s.logIn(name, key)
	}
	device, err := kind.driver.AttachVolume(t.Context(), s.server("storage-1"), machine.Volume{ID: s.volume, SizeGB: 1})
	require.NoError(t, err)
	require.Equal(t, "/dev/vdb", device)
	s.alias(s.volume, "<volume>")
	s.alias(s.vip, "<vip>")
	s.own = s.ownAddress()
	return s
}

// nth returns an address of the network.
func (s *stage) nth(n byte) string {
	b := s.network.CIDR.Addr().As4()
	b[3] = n
	return netip.AddrFrom4(b).String()
}

// server returns the id of a machine. The prefix avoids the ids of other tests.
func (s *stage) server(name string) string { return "scripts-" + name }

func (s *stage) boot(i int, name, authorized string) {
	s.t.Helper()
	image := "debian"
	if name == "storage-1" {
		image = "debian-12-services"
	}
	s.address[name] = s.nth(byte(11 + i))
	port := machine.Port{
		ID: "scripts-port-" + name, NetworkID: s.network.ID, MAC: fmt.Sprintf("fa:16:3e:00:23:%02x", i),
		FixedIPs: []string{s.address[name]}, PrefixLen: s.network.CIDR.Bits(), AllowedAddresses: []string{s.vip},
	}
	if s.network.Gateway.IsValid() {
		port.Gateway = s.network.Gateway.String()
	}
	require.NoError(s.t, s.driver.Create(s.t.Context(), machine.Machine{
		ID: s.server(name), Name: name, Image: image, AuthorizedKeys: []string{authorized}, Ports: []machine.Port{port},
	}))
	s.alias(s.address[name], "<"+name+">")
}

func (s *stage) logIn(name, key string) {
	s.t.Helper()
	dialer := &remote.Dialer{HostKeys: &remotetest.Pins{}}
	require.Eventually(s.t, func() bool {
		host, err := dialer.Dial(s.t.Context(), remote.Target{
			Node: name, Address: net.JoinHostPort(s.address[name], s.port), User: machine.User, PrivateKey: key,
			ServerID: s.server(name),
		})
		if err == nil {
			s.hosts[name] = host
		}
		return err == nil
	}, time.Minute, 100*time.Millisecond, "%s does not answer", name)
}

func (s *stage) ownAddress() string {
	s.t.Helper()
	conn, err := new(net.Dialer).DialContext(s.t.Context(), "udp", net.JoinHostPort(s.address["worker-1"], "9"))
	require.NoError(s.t, err)
	defer conn.Close()
	host, _, err := net.SplitHostPort(conn.LocalAddr().String())
	require.NoError(s.t, err)
	return host
}

// member returns the description of a node that scripts for the cluster need.
func (s *stage) member(name string) scripts.Member {
	return scripts.Member{
		Cluster: machinesCluster, Node: name, Address: s.address[name], ControlPlane: strings.HasPrefix(name, "cp-"),
	}
}

// play runs turns one after the other. It runs a script that succeeds a second time.
func (s *stage) play(turns ...turn) {
	s.t.Helper()
	for _, next := range turns {
		if s.broken.Load() {
			return
		}
		what := next.script.Name() + " on " + next.on
		s.holdAgainst(next.want, s.take(next), what)
		if next.want.kind != "" || s.broken.Load() {
			continue
		}
		if next.again != nil {
			next.want.results = next.again
		}
		s.holdAgainst(next.want, s.take(next), what+", the second time")
	}
}

func (s *stage) holdAgainst(want, have outcome, what string) {
	s.t.Helper()
	ok := assert.Equal(s.t, want.kind, have.kind, "%s: %s", what, have.says) &&
		assert.True(s.t, saysThat(have.says, want.says), "%s\nsays:        %s\nshould say:  %s", what, have.says, want.says) &&
		assert.ElementsMatch(s.t, want.results, have.results, what)
	if !ok {
		s.broken.Store(true)
	}
}

// saysThat compares sentences. "..." in the wanted one stands for any text.
func saysThat(have, want string) bool {
	switch begin, end := strings.CutPrefix(want, "..."); {
	case end:
		return strings.HasSuffix(have, begin)
	case strings.HasSuffix(want, "..."):
		return strings.HasPrefix(have, strings.TrimSuffix(want, "..."))
	}
	return have == want
}

// await runs a turn until it has the wanted results, for at most a minute.
func (s *stage) await(next turn) {
	for end := time.Now().Add(time.Minute); !s.broken.Load() && time.Now().Before(end); {
		if have := s.take(next); slices.Equal(have.results, next.want.results) {
			return
		}
	}
}

// take runs the script once, and returns what activities would read.
func (s *stage) take(next turn) outcome {
	result, err := s.run(next.on, next.script, next.inputs...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.played[next.script.Name()] = true
	if err != nil {
		return outcome{kind: lcm.KindOf(err), says: s.plain(strings.TrimPrefix(err.Error(), next.on+": "))}
	}
	var out outcome
	for line := range strings.Lines(result.Stdout) {
		if told, ok := strings.CutPrefix(strings.TrimSpace(line), scripts.ResultPrefix); ok {
			key, value, _ := strings.Cut(told, "=")
			out.results = append(out.results, key+"="+s.plain(s.read(next.script.Name(), key, value)))
		}
	}
	return out
}

func (s *stage) run(on string, script scripts.Script, inputs ...scripts.Input) (remote.Result, error) {
	text, err := script.Render()
	if err != nil {
		return remote.Result{}, err
	}
	return s.hosts[on].Run(s.t.Context(), remote.Command{
		ID: fmt.Sprintf("%s-%d", script.Name(), s.runs.Add(1)), Script: text, Stdin: scripts.Stdin(inputs...), Sudo: true,
	})
}

// look runs a script whose results the next turns need.
func (s *stage) look(on string, script scripts.Script, inputs ...scripts.Input) scripts.Results {
	s.t.Helper()
	result, err := s.run(on, script, inputs...)
	if !assert.NoError(s.t, err, script.Name()) {
		s.broken.Store(true)
	}
	return scripts.ParseResults(result.Stdout)
}

// file returns the content of a file of a machine, or "" if there is no such file.
func (s *stage) file(on, path string) string {
	content, err := s.hosts[on].Get(s.t.Context(), path, 1<<20)
	if err != nil && !lcm.Is(err, lcm.KindNotFound) {
		assert.NoError(s.t, err, path)
	}
	return string(content)
}

// together runs functions for different machines at the same time.
func (s *stage) together(plays ...func()) {
	var all sync.WaitGroup
	for _, play := range plays {
		all.Go(play)
	}
	all.Wait()
}
