package e2e

import (
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/dev"
	"github.com/windlass-nfv/windlass/internal/freeport"
)

// operator runs a second Windlass as the pages say, with its own database and namespace in the test's PostgreSQL and
// Temporal.
type operator struct {
	*toolsDrill
	info dev.Info
	etc  string // instead of /etc/windlass
	// api and worker are host:port. The functions in servers stop what runs there.
	api, worker string
	servers     map[string]func()
}

// runningIt runs the commands of operations.md and security.md. temporalTools runs the chapter about Temporal's tools.
func runningIt(t *testing.T, b *bed) {
	o := newOperator(t, b)
	page := func(name string) string {
		text, err := os.ReadFile(filepath.Join(b.Root, "docs", name))
		require.NoError(t, err)
		return string(text)
	}
	operations := page("operations.md")
	before, after, found := strings.Cut(operations, "\n## With Temporal's tools\n")
	require.True(t, found)
	_, after, found = strings.Cut(after, "\n## ")
	require.True(t, found)
	statements := sqlStatement.FindAllString(operations, -1)
	require.Len(t, statements, 2)
	for _, s := range statements {
		o.carryOut(t, "psql "+quote(o.info.DatabaseURL)+" -v ON_ERROR_STOP=1 -c "+quote(strings.TrimSpace(s)))
	}
	commands := append(indented(before), indented(page("security.md"))...)
	// The page shows the processes first, and the commands that they need later.
	for _, first := range []bool{true, false} {
		for _, c := range append(commands, indented(after)...) {
			if first == strings.HasPrefix(c.text, "temporal ") && !strings.HasSuffix(c.text, " windlass dev") {
				o.carryOut(t, c.text)
			}
		}
	}
}

var sqlStatement = regexp.MustCompile(`(?m)^ {4}CREATE (ROLE|DATABASE) .*;$`)

func newOperator(t *testing.T, b *bed) *operator {
	t.Helper()
	info, err := b.Info()
	require.NoError(t, err)
	o := &operator{
		toolsDrill: &toolsDrill{bed: b, home: t.TempDir()}, info: info, etc: t.TempDir(), servers: map[string]func(){},
	}
	t.Cleanup(func() {
		for _, stop := range o.servers {
			stop()
		}
	})
	database, err := url.Parse(info.DatabaseURL)
	require.NoError(t, err)
	database.User, database.Path = url.UserPassword("second", "..."), "/second"
	for _, at := range []*string{&o.api, &o.worker} {
		port, err := freeport.Find(t.Context(), "127.0.0.1")
		require.NoError(t, err)
		*at = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	}
	o.makeToken(t)
	settings := "databaseUrl: " + database.String() + "\nkeys:\n  file: " + o.etc + "/keys\n  token: {module: " + softHSM +
		", pinFile: " + o.etc + "/token-pin}\ntemporal:\n  address: " +
		info.Temporal + "\n  namespace: second\napi:\n  listen: " + o.api + "\nworker:\n  metrics: " + o.worker + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(o.etc, "windlass.yaml"), []byte(settings), 0o600))
	o.carryOut(t, "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=vnfm.example "+
		"-keyout /etc/windlass/api-key.pem -out /etc/windlass/api.pem")
	return o
}

const softHSM = "/usr/lib/softhsm/libsofthsm2.so"

// makeToken makes the token of the chapter about keys, where SoftHSM looks by itself.
func (o *operator) makeToken(t *testing.T) {
	t.Helper()
	require.FileExists(t, softHSM, "tools/prerequisites.sh test installs it")
	dir := filepath.Join(o.home, ".config/softhsm2")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "tokens"), 0o700))
	for file, text := range map[string]string{
		filepath.Join(dir, "softhsm2.conf"): "directories.tokendir = " + dir + "/tokens\n", filepath.Join(o.etc, "token-pin"): "739184\n",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	o.carryOut(t, "softhsm2-util --init-token --free --label windlass --pin 739184 --so-pin 739184")
}

// second replaces what pages show of the first Windlass by the values of the second one.
func (o *operator) second(command string) string {
	return strings.NewReplacer(
		"/etc/windlass/", o.etc+"/", "--namespace windlass", "--namespace second", "0.0.0.0:9890", o.api,
		"http://127.0.0.1:9890", "http://"+o.api, "ROLE windlass", "ROLE second",
		"DATABASE windlass OWNER windlass", "DATABASE second OWNER second",
	).Replace(command)
}

// carryOut runs a command. A server runs until another of its kind replaces it.
func (o *operator) carryOut(t *testing.T, shown string) {
	t.Helper()
	cmd := o.tool(t, o.second(shown))
	switch {
	case strings.Contains(shown, "windlass apiserver "):
		scheme := "http://"
		if strings.Contains(shown, "--api-tls-") {
			scheme = "https://"
		}
		o.serve(t, shown, cmd, scheme+o.api+"/readyz")
		return
	case strings.Contains(shown, "windlass worker "):
		o.serve(t, shown, cmd, "http://"+o.worker+"/readyz")
		return
	case strings.Contains(shown, "keys generate"): // the page shows it twice, and the file may exist only once
		require.NoError(t, os.RemoveAll(filepath.Join(o.etc, "keys")))
	case strings.Contains(shown, "search-attribute create") && !strings.Contains(shown, "VnfInstanceId"):
		// This namespace has these attributes already, so the command creates other ones.
		shown = strings.NewReplacer("--name VnfInstanceName", "--name OfAnEarlierRelease", "--name VimName", "").Replace(shown)
		cmd = o.tool(t, o.second(shown))
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", shown, out)
}

// serve starts a server, and waits until it is ready. First it stops the former server of the same kind.
func (o *operator) serve(t *testing.T, shown string, cmd *exec.Cmd, ready string) {
	t.Helper()
	kind := "worker"
	if strings.Contains(shown, "apiserver") {
		kind = "apiserver"
	}
	if stop := o.servers[kind]; stop != nil {
		stop()
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	var stopped bool
	o.servers[kind] = func() {
		if !stopped {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
			_ = cmd.Wait()
			stopped = true
		}
	}
	require.Eventually(t, func() bool {
		return exec.CommandContext(context.Background(), "curl", "-skf", ready).Run() == nil
	}, quick, 50*time.Millisecond, "%s is not ready", shown)
}
