package ownnet

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
)

// inside runs a shell in a network of its own, and returns its output, and the addresses that it may not reach.
func inside(t *testing.T, p Policy, command string) (out string, denied []string, err error) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("Networks of runs are NOT tested here: this user is not root.")
	}
	device, shell, went := make(chan *os.File), make(chan struct{}), make(chan error, 1)
	var said strings.Builder
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			went <- err
			return
		}
		file, err := Open(p.Loopback())
		if err != nil {
			went <- err
			return
		}
		device <- file
		<-shell
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "bash", "-c", command)
		cmd.Stdout, cmd.Stderr = &said, &said
		went <- cmd.Run()
	}()
	var file *os.File
	select {
	case file = <-device:
	case err := <-went:
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EPERM) {
			t.Skip("Networks of runs are NOT tested here: " + err.Error())
		}
		require.NoError(t, err)
	}
	var mu sync.Mutex
	stop, err := Serve(t.Context(), file, p, func(to netip.AddrPort) {
		mu.Lock()
		defer mu.Unlock()
		denied = append(denied, to.String())
	})
	require.NoError(t, err)
	defer stop()
	close(shell)
	err = <-went
	mu.Lock()
	defer mu.Unlock()
	return said.String(), denied, err
}

// greeter answers with what it gets, in capitals, when the other side has ended its part.
func greeter(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				text, _ := io.ReadAll(io.LimitReader(c, 5))
				_, _ = io.WriteString(c, strings.ToUpper(string(text))+strings.Repeat(".", 1<<20))
			}()
		}
	}()
	return l.Addr().String()
}

func tcp5(address string) string {
	host, port, _ := net.SplitHostPort(address)
	return "exec 3<>/dev/tcp/" + host + "/" + port + " && printf hello >&3 && cat <&3"
}

func TestServe_relaysStreamsAndDatagrams(t *testing.T) {
	t.Parallel()
	out, denied, err := inside(t, Policy{}, tcp5(greeter(t)))
	require.NoError(t, err, out)
	require.True(t, strings.HasPrefix(out, "HELLO"))
	require.Len(t, out, 5+1<<20, "all of it")
	require.Empty(t, denied)

	echo, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = echo.Close() })
	go func() {
		packet := make([]byte, 100)
		if n, from, err := echo.ReadFrom(packet); err == nil {
			_, _ = echo.WriteTo([]byte(strings.ToUpper(string(packet[:n]))), from)
		}
	}()
	_, port, _ := net.SplitHostPort(echo.LocalAddr().String())
	out, _, err = inside(t, Policy{}, "exec 3<>/dev/udp/127.0.0.1/"+port+" && printf hello >&3 && timeout 10 head -c 5 <&3")
	require.NoError(t, err, out)
	require.Equal(t, "HELLO", out)
}

func TestServe_deniesNetworksAndServersOfWindlass(t *testing.T) {
	t.Parallel()
	loopback := netip.MustParsePrefix("127.0.0.0/8")
	temporal := greeter(t)
	for name, c := range map[string]struct {
		policy  Policy
		command string
		denied  []string
	}{
		"a server of Windlass on this host": {Policy{Peers: []string{temporal}}, tcp5(temporal), []string{temporal}},
		"a server of Windlass elsewhere": {
			Policy{Peers: []string{"192.0.2.7:5432"}}, tcp5("192.0.2.7:22"), []string{"192.0.2.7:22"},
		},
		"a denied network": {
			Policy{Denied: []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16")}},
			tcp5("169.254.169.254:80"),
			[]string{"169.254.169.254:80"},
		},
		"loopback":                  {Policy{Denied: []netip.Prefix{loopback}}, tcp5(temporal), nil}, // that of the run
		"the address of the device": {Policy{Denied: []netip.Prefix{loopback}}, tcp5(Resolver + ":80"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, denied, err := inside(t, c.policy, c.command)
			require.Error(t, err)
			assert.Contains(t, out, "Connection refused")
			assert.Equal(t, c.denied, denied)
		})
	}
}

func TestPolicy_deniesTheAddressesOfThisHostWithItsLoopback(t *testing.T) {
	t.Parallel()
	closed, err := Policy{Denied: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}.resolve(t.Context())
	require.NoError(t, err)
	for _, p := range ownAddresses() {
		assert.False(t, closed.allows(netip.AddrPortFrom(p.Addr(), 7233)), p)
	}
	assert.True(t, closed.allows(netip.MustParseAddrPort("192.0.2.9:22")))
	assert.False(t, closed.allows(netip.MustParseAddrPort("[::ffff:127.0.0.1]:22")), "the same address in another form")
	assert.False(t, closed.allows(netip.MustParseAddrPort("224.0.0.1:22")))

	p := Policy{Denied: closed.networks, Peers: []string{"temporal.example:7233"}}
	again, err := Parse(p.String())
	require.NoError(t, err)
	require.Equal(t, p, again)
}

// TestPolicy_deniesAPortOfThisHostOnAllAddresses is for windlass dev, where loopback is open.
func TestPolicy_deniesAPortOfThisHostOnAllAddresses(t *testing.T) {
	t.Parallel()
	r, err := Policy{Peers: []string{"dns:///127.0.0.1:7233"}}.resolve(t.Context())
	require.NoError(t, err)
	for _, a := range append(ownAddresses(), netip.MustParsePrefix("127.0.0.2/32"), netip.MustParsePrefix("::1/128"),
		netip.MustParsePrefix("0.0.0.0/32")) {
		assert.False(t, r.allows(netip.AddrPortFrom(a.Addr(), 7233)), a)
		assert.True(t, r.allows(netip.AddrPortFrom(a.Addr(), 7234)), a)
	}
	for _, unknown := range []string{"no-such-host.invalid:7233", "temporal"} {
		_, err = Policy{Peers: []string{unknown}}.resolve(t.Context())
		require.ErrorContains(t, err, "a server of Windlass", unknown)
	}
}

// TestServe_leavesNothingBehind has a server that never ends a connection.
func TestServe_leavesNothingBehind(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	host, port, _ := net.SplitHostPort(silent.Addr().String())
	before := files(t)
	for range 3 {
		out, _, err := inside(t, Policy{}, "for i in $(seq 20); do exec 3<>/dev/tcp/"+host+"/"+port+"; exec 3>&-; done")
		require.NoError(t, err, out)
	}
	require.Eventually(t, func() bool { return files(t) <= before }, 10*time.Second, 10*time.Millisecond)
}

func files(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(open)
}

func TestRelay_asksTheHostsResolver(t *testing.T) {
	t.Parallel()
	rules, err := Policy{Denied: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}.resolve(t.Context())
	require.NoError(t, err)
	r := &relay{rules: rules, dns: "127.0.0.53:53"}
	id := stack.TransportEndpointID{LocalAddress: tcpip.AddrFrom4([4]byte{192, 0, 0, 1}), LocalPort: 53}
	to, may := r.target(id)
	require.True(t, may, "although loopback is denied")
	require.Equal(t, "127.0.0.53:53", to)
	id.LocalPort = 54
	_, may = r.target(id)
	require.False(t, may)
}

func TestResolvConf_namesTheRelay(t *testing.T) {
	t.Parallel()
	require.True(t, strings.HasPrefix(string(ResolvConf()), "nameserver 192.0.0.1\n"))
	require.Equal(t, 1, strings.Count(string(ResolvConf()), "nameserver"))
}
