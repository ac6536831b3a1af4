// Package ansible_test runs the callback plugin in a real Ansible on this machine.
package ansible_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// The secrets of the run: in extra variables, in the play, and one that a template derives from another.
const passwords = `{"windlass_passwords": {"node-b": "hunter2-b", "node-d": "hunter2-d"}}`

var secrets = []string{"hunter2", "abcdef.0123456789abcdef", "prefix-", "hidden-word"}

func play(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	extra := filepath.Join(dir, "extra.json")
	require.NoError(t, os.WriteFile(extra, []byte(passwords), 0o600))
	plugins, err := filepath.Abs(".")
	require.NoError(t, err)
	// With one fork, the hosts come in their order.
	cmd := exec.CommandContext(t.Context(), "ansible-playbook", "--inventory", "hosts.ini", "--forks", "1",
		"--extra-vars", "@"+extra, "events.yml")
	cmd.Dir = "testdata"
	cmd.Env = append(os.Environ(), "ANSIBLE_CALLBACK_PLUGINS="+plugins, "ANSIBLE_STDOUT_CALLBACK=windlass",
		"ANSIBLE_HOST_KEY_CHECKING=False", "ANSIBLE_LOCAL_TEMP="+dir, "ANSIBLE_NOCOLOR=1", "PYTHONDONTWRITEBYTECODE=1",
		"LC_ALL=C.UTF-8", "WINDLASS_HEARTBEAT=0.5")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Run(), &exit, "%s%s", &stdout, &stderr)
	require.Equal(t, 4, exit.ExitCode(), "a host cannot be reached\n%s%s", &stdout, &stderr)
	return stdout.String()
}

// passing matches lines that depend on time, and lines that only some versions of Ansible print: the question itself,
// and a handler that runs on no host.
var passing = regexp.MustCompile(`(?m)^(TASK \[.*\]: still at .* after \d+s|\[Confirm it\]|Really\?:|TASK \[Restart it\])\n`)

func TestCallback_tellsEachEventInALine(t *testing.T) {
	out := play(t)
	for _, secret := range secrets {
		assert.NotContains(t, out, secret)
	}
	assert.Regexp(t, `(?m)^TASK \[Take long\]: still at node-a after \d+s$`, out)
	const file = "testdata/events.txt"
	got := passing.ReplaceAllString(out, "") + "\n" + results(t, out)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run the test with -update")
	assert.Equal(t, string(want), got)
}

// results decodes the output for programs as Windlass does.
func results(t *testing.T, out string) string {
	t.Helper()
	var b strings.Builder
	for _, key := range []string{"asked", "failed"} {
		for _, text := range scripts.ParseResults(out).Texts(key) {
			for _, secret := range secrets {
				assert.NotContains(t, text, secret)
			}
			require.True(t, json.Valid([]byte(text)), text)
			b.WriteString(key + " " + text + "\n")
		}
	}
	return b.String()
}

// TestCallback_saysOfAHostKeyWhatIsMeant uses the output of ssh for a changed host key, and for an unknown one.
func TestCallback_saysOfAHostKeyWhatIsMeant(t *testing.T) {
	for _, said := range []string{
		"Failed to connect to the host via ssh: @@@@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @@@@",
		"Failed to connect to the host via ssh: Host key verification failed.",
	} {
		cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", "-B", "-c", // Ansible's Python
			"import sys, windlass; print(windlass.message_of({'msg': sys.argv[1]}))",
			said)
		cmd.Env = append(os.Environ(), "PYTHONPATH=.")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, "the server shows another SSH host key than the one that Windlass has pinned for it\n", string(out))
	}
}
