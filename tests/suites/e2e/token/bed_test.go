// Package token runs the real API server with keys that a key in a token wraps. The token is SoftHSM's, in files. The
// tests need no Temporal.
package token

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/freeport"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

const (
	module   = "/usr/lib/softhsm/libsofthsm2.so"
	pin      = "7391846205"
	wrongPIN = "1111111111"
	patience = 2 * time.Minute // a limit that even a busy machine does not reach
)

// bed is a folder with tokens, a PIN and a key file, and a database.
type bed struct {
	*testing.T
	windlass, dir, keys string
	env                 map[string]string
}

func newBed(t *testing.T) *bed {
	t.Helper()
	require.FileExists(t, module, "tools/prerequisites.sh test installs it")
	root, err := environment.Root()
	require.NoError(t, err)
	dir := t.TempDir()
	b := &bed{T: t, windlass: environment.Site{Root: root}.Bin("windlass"), dir: dir, keys: filepath.Join(dir, "keys")}
	b.env = map[string]string{
		"SOFTHSM2_CONF": b.file("softhsm2.conf"), "WINDLASS_KEYS_FILE": b.keys,
		"WINDLASS_KEYS_TOKEN_MODULE": module, "WINDLASS_KEYS_TOKEN_PIN_FILE": b.file("pin"),
	}
	require.NoError(t, os.Mkdir(b.file("tokens"), 0o700))
	b.write("softhsm2.conf", "directories.tokendir = "+b.file("tokens")+"\nlog.level = ERROR\n")
	b.write("pin", pin+"\n")
	return b
}

func (b *bed) file(name string) string { return filepath.Join(b.dir, name) }

func (b *bed) write(name, content string) {
	b.Helper()
	require.NoError(b, os.WriteFile(b.file(name), []byte(content), 0o600))
}

// setenv changes a setting; "" removes it.
func (b *bed) setenv(name, value string) {
	if b.env[name] = value; value == "" {
		delete(b.env, name)
	}
}

func (b *bed) environment() (env []string) {
	for _, name := range slices.Sorted(maps.Keys(b.env)) {
		env = append(env, name+"="+b.env[name])
	}
	return env
}

// newToken makes an empty token.
func (b *bed) newToken(label string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "softhsm2-util", "--init-token", "--free", "--label", label,
		"--pin", pin, "--so-pin", pin)
	cmd.Env = b.environment()
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, "%s", out)
}

// run runs a command of windlass, and returns its exit code and all that it has printed.
func (b *bed) run(args ...string) (code int, printed string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), b.windlass, args...)
	cmd.Env = b.environment()
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code, err = exit.ExitCode(), nil
	}
	require.NoError(b, err)
	require.NotContains(b, string(out), pin)
	return code, string(out)
}

// does runs a command that must succeed.
func (b *bed) does(args ...string) string {
	b.Helper()
	code, printed := b.run(args...)
	require.Zero(b, code, "%s", printed)
	return printed
}

// refuses runs a command that must fail with that exit code, and say so.
func (b *bed) refuses(code int, want string, args ...string) {
	b.Helper()
	got, printed := b.run(args...)
	require.Equal(b, code, got, "%s", printed)
	require.Contains(b, printed, want)
}

// server is a running API server.
type server struct {
	*bed
	url   string
	log   *testbed.Log
	cmd   *exec.Cmd
	ended chan struct{}
}

// start runs an API server until stop or the end of the test.
func (b *bed) start() *server {
	b.Helper()
	port, err := freeport.Find(b.Context(), "127.0.0.1")
	require.NoError(b, err)
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	s := &server{bed: b, url: "http://" + address, log: &testbed.Log{}, ended: make(chan struct{})}
	s.cmd = exec.CommandContext(context.WithoutCancel(b.Context()), b.windlass, "apiserver",
		"--api-listen", address, "--temporal-address", "127.0.0.1:1")
	s.cmd.Env, s.cmd.Stderr = b.environment(), s.log
	require.NoError(b, s.cmd.Start())
	go func() {
		_ = s.cmd.Wait() // its log says why it ended
		close(s.ended)
	}()
	b.Cleanup(s.stop)
	require.Eventually(b, func() bool {
		select {
		case <-s.ended:
			return true
		default:
		}
		resp, err := http.Get(s.url + "/healthz") //nolint:noctx // it answers at once or not at all
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	}, patience, 20*time.Millisecond, "the server does not come up:\n%s", s.log)
	select {
	case <-s.ended:
		require.FailNow(b, "the server has ended", "%s", s.log)
	default:
	}
	return s
}

// stop ends the server. Its log has no PIN.
func (s *server) stop() {
	s.Helper()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
	require.NotContains(s, s.log.String(), pin)
	require.NotContains(s, s.log.String(), password)
}

const password = "sealed-hunter2"

var subscriptions atomic.Int64

// sealOne lets the server seal a password: that of a new subscription, which differs from the others by its callback.
func (s *server) sealOne() {
	s.Helper()
	body := `{"callbackUri": "http://192.0.2.7/` + strconv.FormatInt(subscriptions.Add(1), 10) + `", "authentication": {"authType": ["BASIC"],
		"paramsBasic": {"userName": "nfvo", "password": "` + password + `"}}}`
	req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.url+"/vnflcm/v1/subscriptions",
		strings.NewReader(body))
	require.NoError(s, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s, err)
	defer resp.Body.Close()
	var answer bytes.Buffer
	_, err = answer.ReadFrom(resp.Body)
	require.NoError(s, err)
	require.Equal(s, http.StatusCreated, resp.StatusCode, "%s", answer.String())
}
