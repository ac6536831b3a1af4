package dev_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"

	// A dependency of the started binary, so that Go's cache of test results knows it.
	_ "github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/deployments/dev"
	"github.com/windlass-nfv/windlass/internal/certtest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	_ "github.com/windlass-nfv/windlass/worker"
)

// binary builds windlass once; with Go's cache, a second build is fast.
var binary = sync.OnceValues(func() (string, error) {
	file, err := filepath.Abs("../../.build/dev-test/windlass")
	if err != nil {
		return "", err
	}
	for _, pattern := range []string{"../../cmd/windlass/*.go", "temporal/*.go", "temporal/go.*"} {
		sources, _ := filepath.Glob(pattern)
		for _, source := range sources {
			_, _ = os.ReadFile(source) // so that Go's cache knows the sources that the test's result depends on
		}
	}
	build := exec.Command("go", "build", "-o", file, "../../cmd/windlass")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // compiled for other tests already, unlike what the race detector needs
	out, err := build.CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return file, nil
})

// stateDir returns a directory that PostgreSQL's account may enter, unlike t.TempDir.
func stateDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "windlass-dev-test-state-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// running is a `windlass dev` process.
type running struct {
	cmd  *exec.Cmd
	dir  string
	out  strings.Builder
	done chan struct{}
}

func start(t *testing.T, dir string, flags ...string) *running {
	t.Helper()
	file, err := binary()
	require.NoError(t, err)
	if len(flags) == 0 {
		flags = withTemporal(t)
	}
	r := &running{dir: dir, done: make(chan struct{})}
	r.cmd = exec.Command(file, append([]string{
		"dev", "--state-dir", dir, "--api", "127.0.0.1:0", "--temporal", "127.0.0.1:0", "--ui", "127.0.0.1:0",
	}, flags...)...)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	require.NoError(t, r.cmd.Start())
	go func() {
		_ = r.cmd.Wait()
		close(r.done)
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.done
	})
	return r
}

// withTemporal returns the flag for the windlass-temporal that the task has built, if there is one: windlass dev itself
// builds another one.
func withTemporal(t *testing.T) []string {
	t.Helper()
	program, err := filepath.Abs("../../bin/windlass-temporal")
	require.NoError(t, err)
	if _, err := os.Stat(program); err != nil {
		return nil
	}
	return []string{"--temporal-bin", program}
}

// stop stops all processes and returns their output.
func (r *running) stop(t *testing.T) string {
	t.Helper()
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	<-r.done
	return r.out.String()
}

// await returns the content of dev.json when all processes run and answer.
func (r *running) await(t *testing.T, whole func(dev.Info) bool) dev.Info {
	t.Helper()
	var info dev.Info
	ok := assert.Eventually(t, func() bool {
		select {
		case <-r.done:
			return true
		default:
		}
		var err error
		info, err = dev.ReadInfo(r.dir)
		return err == nil && len(info.Processes) == 4 && whole(info) && answers(t.Context(), info.API+"/readyz")
	}, 10*time.Minute, 50*time.Millisecond)
	select {
	case <-r.done:
		t.Fatalf("windlass dev has ended:\n%s", r.out.String())
	default:
	}
	require.True(t, ok, r.dir)
	return info
}

func answers(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestDev_bringsEverythingUpAndStartsAgainWhatIsKilled(t *testing.T) {
	r := start(t, stateDir(t))
	info := r.await(t, func(dev.Info) bool { return true })

	assert.True(t, answers(t.Context(), info.TemporalUI), "the Web UI")
	assertNamespace(t, client.Options{HostPort: info.Temporal, Namespace: info.Namespace})
	stat, err := os.Stat(dev.InfoFile(r.dir))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), stat.Mode().Perm(), "dev.json holds a password")

	for _, name := range []string{"worker", "apiserver", "temporal", "postgres"} {
		killed := info.Processes[name]
		require.NoError(t, syscall.Kill(killed, syscall.SIGKILL), name)
		info = r.await(t, func(now dev.Info) bool { return now.Processes[name] != killed })
	}

	said := r.stop(t)
	assert.Zero(t, r.cmd.ProcessState.ExitCode(), said)
	assert.Contains(t, said, "The worker has ended (signal: killed) and is started again")
	assert.Contains(t, said, "PostgreSQL has ended and is started again")
	for name, pid := range info.Processes {
		assert.False(t, alive(pid), name)
	}
	assert.NoFileExists(t, dev.InfoFile(r.dir))
}

// TestDev_leavesNoProcessWhenItIsKilledAndGoesOnWhereItWas also has Temporal ask its clients for a certificate and an API
// key, as a cluster of production does: Windlass' own servers have them.
func TestDev_leavesNoProcessWhenItIsKilledAndGoesOnWhereItWas(t *testing.T) {
	dir := stateDir(t)
	flags, known := secureTemporal(t)
	first := start(t, dir, flags...)
	info := first.await(t, func(dev.Info) bool { return true })
	require.NoError(t, first.cmd.Process.Kill())
	<-first.done
	for name, pid := range info.Processes {
		assert.Eventually(t, func() bool { return !alive(pid) }, time.Minute, 20*time.Millisecond, name)
	}

	again := start(t, dir, flags...)
	killed := info.PID
	info = again.await(t, func(now dev.Info) bool { return now.PID != killed })
	known.HostPort, known.Namespace = info.Temporal, info.Namespace
	assertNamespace(t, known)
	for without, change := range map[string]func(o *client.Options){
		"TLS":           func(o *client.Options) { o.ConnectionOptions.TLS = nil },
		"a certificate": func(o *client.Options) { o.ConnectionOptions.TLS.Certificates = nil },
		"the API key":   func(o *client.Options) { o.Credentials = nil },
	} {
		stranger := known
		stranger.ConnectionOptions.TLS = known.ConnectionOptions.TLS.Clone()
		change(&stranger)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		c, err := client.DialContext(ctx, stranger)
		cancel()
		if err == nil {
			_, err = c.OperatorService().ListSearchAttributes(t.Context(),
				&operatorservice.ListSearchAttributesRequest{Namespace: info.Namespace})
			c.Close()
		}
		assert.Error(t, err, "without %s", without)
	}
	assertNamespace(t, known) // it answers those whom it knows
	again.stop(t)
}

// secureTemporal has Temporal ask for certificates and an API key, and gives them to Windlass' servers, as its settings,
// and to the test.
func secureTemporal(t *testing.T) (flags []string, known client.Options) {
	t.Helper()
	dir, of := t.TempDir(), certtest.New(t, "authority")
	file := func(name string) string { return filepath.Join(dir, name) }
	of.Write(dir, "temporal.example", func(c *x509.Certificate) { c.DNSNames = []string{"temporal.example"} })
	of.Write(dir, "windlass.example")
	require.NoError(t, os.WriteFile(file("api.key"), []byte("key-of-windlass\n"), 0o600))
	built := withTemporal(t)
	if built == nil {
		t.Skip("not run: there is no bin/windlass-temporal (go tool task temporal)")
	}
	require.NoError(t, os.WriteFile(file("temporal"), fmt.Appendf(nil, "#!/bin/sh\nexec %s \"$@\" --tls-cert %s --tls-key %s "+
		"--tls-ca %s --api-key-file %s\n", built[1], file("temporal.example.pem"), file("temporal.example.key"), file("CA.pem"),
		file("api.key")), 0o755))
	for name, value := range map[string]string{
		"CA_FILE": file("CA.pem"), "CERT_FILE": file("windlass.example.pem"), "KEY_FILE": file("windlass.example.key"),
		"SERVER_NAME": "temporal.example", "API_KEY_FILE": file("api.key"),
	} {
		t.Setenv("WINDLASS_TEMPORAL_"+name, value)
	}
	own, err := tls.LoadX509KeyPair(file("windlass.example.pem"), file("windlass.example.key"))
	require.NoError(t, err)
	known.ConnectionOptions.TLS = &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: of.Pool(), Certificates: []tls.Certificate{own}, ServerName: "temporal.example",
	}
	known.Credentials = client.NewAPIKeyStaticCredentials("key-of-windlass")
	return []string{"--temporal-bin", file("temporal")}, known
}

// assertNamespace checks that operations can be listed by their search attributes.
func assertNamespace(t *testing.T, o client.Options) {
	t.Helper()
	c, err := client.Dial(o)
	require.NoError(t, err)
	defer c.Close()
	known, err := c.OperatorService().ListSearchAttributes(t.Context(),
		&operatorservice.ListSearchAttributesRequest{Namespace: o.Namespace})
	require.NoError(t, err)
	for _, name := range lcm.SearchAttributes {
		assert.Contains(t, known.GetCustomAttributes(), name)
	}
}
