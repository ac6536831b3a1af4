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
		assert.Equal(t, "the server shows another SSH host key than the one that Windlass has pinned for it",
			messageOf(t, map[string]any{"msg": said}))
	}
}

// warning is what kubeadm prints beside every reason, as kubespray configures it.
const warning = `W1127 12:44:50.718021    9342 utils.go:69] The recommended value for "clusterDNS" in ` +
	`"KubeletConfiguration" is: [10.96.0.10]; the provided value is: [10.96.0.3]`

// TestCallback_saysWhyAndNotWhatStandsBesideIt uses the output of kubeadm as kubespray runs it.
func TestCallback_saysWhyAndNotWhatStandsBesideIt(t *testing.T) {
	const failed, seeMore = "non-zero return code", "To see the stack trace of this error execute with --v=5 or higher"
	for name, c := range map[string]struct {
		result map[string]any
		says   string
	}{
		"a reason before the warning": {
			map[string]any{
				"msg": failed, "rc": 1, "cmd": []string{"kubeadm", "join"},
				"stderr": "error execution phase kubelet-start: the kubelet is not healthy\n" + warning + "\n" + seeMore,
			},
			"non-zero return code: error execution phase kubelet-start: the kubelet is not healthy",
		},
		"what kubeadm checks first": {
			map[string]any{
				"msg": failed, "rc": 1, "cmd": []string{"kubeadm", "init"},
				"stderr": warning + "\n\t[WARNING SystemVerification]: cgroups v1 support is in maintenance mode\n" +
					"[preflight] Some fatal errors occurred:\n" +
					"\t[ERROR Port-6443]: Port 6443 is in use\n\t[ERROR Port-10250]: Port 10250 is in use\n" +
					"[preflight] If you know what you are doing, you can make a check non-fatal with " +
					"`--ignore-preflight-errors=...`\nerror: error execution phase preflight: preflight checks failed\n" + seeMore,
			},
			"non-zero return code: [ERROR Port-6443]: Port 6443 is in use; [ERROR Port-10250]: Port 10250 is in use",
		},
		"a join that timeout ends": {
			map[string]any{
				"msg": failed, "rc": 124, "cmd": []string{"timeout", "-k", "120s", "120s", "kubeadm", "join"},
				"stderr": warning,
				"stdout": "[kubelet-start] Starting the kubelet\n[kubelet-check] Waiting for a healthy kubelet at " +
					"http://127.0.0.1:10248/healthz. This can take up to 4m0s",
			},
			"non-zero return code: it did not end in the time that it had; its last words: [kubelet-check] Waiting for a " +
				"healthy kubelet at http://127.0.0.1:10248/healthz. This can take up to 4m0s",
		},
		"a command that says nothing in time": {
			map[string]any{"msg": failed, "rc": 124, "cmd": "timeout 5 true", "stderr": ""},
			"non-zero return code: it did not end in the time that it had; its last words: none",
		},
		"nothing but warnings": {map[string]any{"msg": failed, "rc": 1, "stderr": warning}, failed},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.says, messageOf(t, c.result)) })
	}
}

// TestCallback_keepsTheEndOfALongMessage uses a message of kubespray's module kube, which has the reason at its end.
func TestCallback_keepsTheEndOfALongMessage(t *testing.T) {
	const begin = "error running kubectl (/usr/local/bin/kubectl --namespace=kube-system apply) command (rc=1), out='"
	const end = "', err='the namespace from the provided object does not match the namespace \"kube-system\"'"
	short := python(t, "windlass.one_line(given, windlass.LONGEST_MESSAGE)", begin+strings.Repeat("created ", 100)+end)
	assert.Len(t, short, 300)
	assert.True(t, strings.HasPrefix(short, begin[:90]), short)
	assert.True(t, strings.HasSuffix(short, end), short)
	assert.Equal(t, "short", python(t, "windlass.one_line(given, windlass.LONGEST_MESSAGE)", "short"))
}

// TestCallback_namesTheHostThatATaskIsDelegatedTo uses results of a loop and of a single task.
func TestCallback_namesTheHostThatATaskIsDelegatedTo(t *testing.T) {
	const template = "{{ groups['kube_control_plane'] | first }}"
	on := map[string]any{"_ansible_delegated_vars": map[string]any{"ansible_host": "192.0.2.11"}}
	for _, c := range []struct {
		said, place string
		result      map[string]any
	}{
		{"cp-2", "cp-2", on},
		{template, "192.0.2.11", on},
		{template, "192.0.2.11", map[string]any{"results": []any{on}}},
		{template, "", map[string]any{"results": []any{"a line"}}},
		{"", "", on},
	} {
		assert.Equal(t, c.place, python(t, "windlass.delegated_to(*given)", []any{c.said, c.result}), "%v", c)
	}
}

// messageOf returns what the plugin says of a task's result.
func messageOf(t *testing.T, result map[string]any) string {
	t.Helper()
	return python(t, "windlass.message_of(given)", result)
}

// python returns the value of an expression about given, in Ansible's Python.
func python(t *testing.T, expression string, given any) string {
	t.Helper()
	text, err := json.Marshal(given)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", "-B", "-c",
		"import json, sys, windlass; given = json.loads(sys.argv[1]); print("+expression+")", string(text))
	cmd.Env = append(os.Environ(), "PYTHONPATH=.")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSuffix(string(out), "\n")
}
