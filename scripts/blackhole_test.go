package scripts_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/freeport"
	"github.com/windlass-nfv/windlass/scripts"
)

// apiServerPort is the port of the API servers in Windlass's configuration of HAProxy.
const apiServerPort = 6443

// apiServer answers as a ready API server until it becomes a black hole.
type apiServer struct {
	*httptest.Server
	address  string
	listener *gate
}

// gate is a listener with a short queue. Once it is shut, nobody takes connections out of the queue. A full queue drops
// packets without a word, as a server without power does.
type gate struct {
	net.Listener
	shut, done chan struct{}
}

const queue = 16

func (g *gate) Accept() (net.Conn, error) {
	select {
	case <-g.shut:
		<-g.done
		return nil, net.ErrClosed
	default:
	}
	return g.Listener.Accept()
}

// listen is net.Listen with a short queue.
func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	require.NoError(t, syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
	to := &syscall.SockaddrInet4{Port: apiServerPort}
	copy(to.Addr[:], net.ParseIP(address).To4())
	require.NoError(t, syscall.Bind(fd, to))
	require.NoError(t, syscall.Listen(fd, queue))
	file := os.NewFile(uintptr(fd), address)
	defer file.Close()
	l, err := net.FileListener(file)
	require.NoError(t, err)
	return l
}

func newAPIServer(t *testing.T, address string) *apiServer {
	t.Helper()
	g := &gate{Listener: listen(t, address), shut: make(chan struct{}), done: make(chan struct{})}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, address)
	}))
	require.NoError(t, s.Listener.Close())
	s.Listener = g
	s.StartTLS()
	t.Cleanup(func() { close(g.done); s.CloseClientConnections(); s.Close() })
	return &apiServer{s, address, g}
}

// vanish makes the server a black hole.
func (s *apiServer) vanish(ctx context.Context) {
	close(s.listener.shut)
	for range 2 * queue {
		go func() {
			dialer := net.Dialer{Timeout: time.Minute}
			conn, err := dialer.DialContext(ctx, "tcp", fmt.Sprintf("%s:%d", s.address, apiServerPort))
			if err == nil {
				<-ctx.Done()
				_ = conn.Close()
			}
		}()
	}
}

// prober opens a new connection 20 times a second, as clients that are patient for a short time.
type prober struct {
	client *http.Client
	url    string
	mu     sync.Mutex
	failed time.Time // when the last probe began that got no answer
}

const patience = 300 * time.Millisecond

func newProber(port int) *prober {
	return &prober{url: fmt.Sprintf("https://127.0.0.1:%d/version", port), client: &http.Client{
		Timeout: patience,
		Transport: &http.Transport{
			DisableKeepAlives: true,
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // the servers are this process
		},
	}}
}

// probe asks once, and tells whether an answer came.
func (p *prober) probe(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return false
	}
	answer, err := p.client.Do(req)
	if err == nil {
		_ = answer.Body.Close()
	}
	return err == nil && answer.StatusCode == http.StatusOK
}

// run probes until no probe has failed for the time calm, and until the limit at the latest.
func (p *prober) run(ctx context.Context, calm, limit time.Duration) {
	began := time.Now()
	p.failed = began
	var probes sync.WaitGroup
	defer probes.Wait()
	every := time.NewTicker(50 * time.Millisecond)
	defer every.Stop()
	for now := range every.C {
		p.mu.Lock()
		over := now.Sub(p.failed) > calm || now.Sub(began) > limit
		p.mu.Unlock()
		if over {
			return
		}
		probes.Go(func() {
			if p.probe(ctx) {
				return
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if now.After(p.failed) {
				p.failed = now
			}
		})
	}
}

// startHAProxy runs HAProxy with Windlass's configuration, without the parts that need root or syslog. It serves the API
// servers at one port, and a Service of the cluster at the other one.
func startHAProxy(t *testing.T, port, servicePort int, servers ...*apiServer) {
	t.Helper()
	haproxy, err := exec.LookPath("haproxy")
	if err != nil {
		t.Skip("haproxy is not installed")
	}
	conf := scripts.HAProxyConf{Port: port, NodePorts: []scripts.ServedPort{{Port: servicePort, NodePort: apiServerPort}}}
	for i, s := range servers {
		conf.Backends = append(conf.Backends, scripts.Backend{Name: fmt.Sprintf("cp-%d", i), Address: s.address})
	}
	conf.Nodes = conf.Backends
	text, err := conf.Render()
	require.NoError(t, err)
	text = regexp.MustCompile(`(?m)^ +(log|chroot|user|group) .*$`).ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "bind *:", "bind 127.0.0.1:")
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	ctx, end := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, haproxy, "-db", "-f", file)
	out := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		end()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(out.String())
		}
	})
}

// TestHAProxy_whileAServerIsABlackHole lets one of three servers answer nothing. New connections that go there fail
// until HAProxy sends none there. The limit is twice the time that this takes on a busy machine.
func TestHAProxy_whileAServerIsABlackHole(t *testing.T) {
	t.Parallel()
	var servers []*apiServer
	for i := range 3 { // another run of this test has other addresses
		servers = append(servers, newAPIServer(t, fmt.Sprintf("127.77.%d.%d", os.Getpid()/250%250+1, 4*(os.Getpid()%60)+i+1)))
	}
	var probers []*prober
	var ports []int
	for range 2 {
		port, err := freeport.Find(t.Context(), "127.0.0.1")
		require.NoError(t, err)
		ports, probers = append(ports, port), append(probers, newProber(port))
	}
	startHAProxy(t, ports[0], ports[1], servers...)
	all := func(calm, limit time.Duration) {
		var running sync.WaitGroup
		for _, p := range probers {
			running.Go(func() { p.run(t.Context(), calm, limit) })
		}
		running.Wait()
	}
	all(2*time.Second, 30*time.Second) // until all servers have passed their checks

	began := time.Now()
	servers[1].vanish(t.Context())
	all(4*time.Second, 30*time.Second)
	for i, of := range []string{"API servers", "a Service"} {
		silence := max(probers[i].failed.Sub(began), 0)
		t.Logf("New connections to %s failed for %.1f s.", of, silence.Seconds())
		require.Less(t, silence, 5*time.Second)
	}
}
