package tackerclient

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// python is Debian's Python: another one in PATH would not have Debian's modules.
const python = "/usr/bin/python3"

// missing says why the client cannot run here, and "" if it can.
func missing(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), python, "-c",
		"import openstackclient.shell, tackerclient.osc.plugin").CombinedOutput()
	if err == nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return "Tacker's client is not installed: apt-get install --no-install-recommends python3-tackerclient " +
		"python3-openstackclient (" + lines[len(lines)-1] + ")"
}

// client is Tacker's client with one way of authentication and one version of the API.
type client struct {
	t   *testing.T
	dir string
	// global are the options before each command.
	global  []string
	in      *json.Encoder
	answers *bufio.Scanner
	// offered are the commands that the client has; driven are those that the tests have run.
	offered []string
	driven  *[]string
}

func newClient(t *testing.T, version string, environment []string, global ...string) *client {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, "drive.py")
	cmd.Env = append([]string{
		"PATH=/usr/bin:/bin", "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8", "PYTHONWARNINGS=ignore", "NO_PROXY=127.0.0.1",
	}, environment...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close() // the process ends with its input
		_ = cmd.Wait()
	})
	c := &client{
		t: t, dir: t.TempDir(), global: append(global, "--os-tacker-api-version", version),
		in: json.NewEncoder(stdin), answers: bufio.NewScanner(stdout), driven: new([]string),
	}
	var commands map[string][]string
	c.answer(&commands)
	c.offered = commands[version]
	require.NotEmpty(t, c.offered)
	return c
}

func (c *client) answer(into any) {
	c.t.Helper()
	for c.answers.Scan() {
		if json.Unmarshal(c.answers.Bytes(), into) == nil {
			return
		}
	}
	require.FailNow(c.t, "the client's process has ended", "%v", c.answers.Err())
}

// with returns the client for a subtest: its failures are failures of t.
func (c *client) with(t *testing.T) *client {
	other := *c
	other.t = t
	return &other
}

// run runs a command and returns its standard output, its standard error and its exit code.
func (c *client) run(args ...string) (out, errors string, code int) {
	c.t.Helper()
	c.note(args)
	begun := time.Now()
	files := [2]string{filepath.Join(c.dir, "out"), filepath.Join(c.dir, "err")}
	require.NoError(c.t, c.in.Encode(map[string]any{
		"args": slices.Concat(c.global, args), "out": files[0], "err": files[1],
	}))
	var answer struct{ Code int }
	c.answer(&answer)
	var texts [2]string
	for i, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(c.t, err)
		texts[i] = string(b)
	}
	c.t.Logf("%5.1f s  openstack %s: %d", time.Since(begun).Seconds(), strings.Join(args, " "), answer.Code)
	return texts[0], texts[1], answer.Code
}

// note records which command was run.
func (c *client) note(args []string) {
	for len(args) > 1 && strings.HasPrefix(args[0], "--") { // skips options before the command, each with its value
		args = args[2:]
	}
	line := strings.Join(args, " ") + " "
	best := ""
	for _, name := range c.offered {
		if strings.HasPrefix(line, name+" ") && len(name) > len(best) {
			best = name
		}
	}
	require.NotEmpty(c.t, best, "the client has no command %q", line)
	if !slices.Contains(*c.driven, best) {
		*c.driven = append(*c.driven, best)
	}
}

// ok runs a command that must succeed.
func (c *client) ok(args ...string) string {
	c.t.Helper()
	out, errors, code := c.run(args...)
	require.Zero(c.t, code, "openstack %s\n%s%s", strings.Join(args, " "), out, errors)
	return out
}

// fails runs a command that must fail, and returns its output.
func (c *client) fails(args ...string) string {
	c.t.Helper()
	out, errors, code := c.run(args...)
	require.NotZero(c.t, code, "openstack %s\n%s%s", strings.Join(args, " "), out, errors)
	require.NotContains(c.t, errors, "Traceback")
	return errors
}

// show runs a command that shows one resource.
func (c *client) show(args ...string) map[string]any {
	c.t.Helper()
	var doc map[string]any
	c.decode(c.ok(append(args, "-f", "json")...), "{", &doc)
	return doc
}

// list runs a command that lists resources.
func (c *client) list(args ...string) []map[string]any {
	c.t.Helper()
	var doc []map[string]any
	c.decode(c.ok(append(args, "-f", "json")...), "[", &doc)
	return doc
}

// decode reads the JSON in the text. Some commands print other text before it.
func (c *client) decode(text, begin string, into any) {
	c.t.Helper()
	i := strings.Index(text, begin)
	require.GreaterOrEqual(c.t, i, 0, "%s", text)
	require.NoError(c.t, json.Unmarshal([]byte(text[i:]), into), "%s", text)
}

// file writes a file for the client. Content that is not text is written as JSON.
func (c *client) file(name string, content any) string {
	c.t.Helper()
	text, ok := content.([]byte)
	if !ok {
		var err error
		text, err = json.Marshal(content)
		require.NoError(c.t, err)
	}
	path := filepath.Join(c.dir, name)
	require.NoError(c.t, os.WriteFile(path, text, 0o600))
	return path
}
