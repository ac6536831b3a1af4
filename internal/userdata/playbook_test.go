package userdata

import (
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// play runs tasks of a playbook on this host, confined.
func play(t *testing.T, tasks string, files map[string][]byte) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("ansible-playbook"); err != nil {
		t.Skip("Playbooks are NOT tested: this host has no Ansible.")
	}
	in := scripts.PlayInput{
		Package:   map[string][]byte{"Scripts/play.yaml": []byte("- hosts: 127.0.0.1\n  connection: local\n  gather_facts: false\n  tasks:\n" + tasks)},
		Inventory: "192.0.2.1\n", Variables: `{"host": "192.0.2.1", "word": "hunter2-of-the-request"}`,
	}
	maps.Copy(in.Package, files)
	var out []string
	err := (&Playbooks{}).Play(t.Context(), in, "Scripts/play.yaml", []string{"hunter2-of-the-request"},
		func(line string) { out = append(out, line) })
	return strings.Join(out, "\n"), err
}

func TestPlay_runsPlaybooksWithTheirFiles(t *testing.T) {
	out, err := play(t, `
    - command: cat {{ windlass_package }}/Scripts/words.txt
      register: words
    - debug: {msg: "{{ words.stdout }} for {{ host }}"}
    - debug: {msg: "{{ word }}"}
    - template: {src: words.j2, dest: "{{ lookup('env', 'HOME') }}/words"}
`, map[string][]byte{"Scripts/words.txt": []byte("well played"), "Scripts/words.j2": []byte("{{ host }}")})
	require.NoError(t, err, out)
	require.Contains(t, out, "well played for 192.0.2.1")
	require.NotContains(t, out, "hunter2")
}

func TestPlay_tellsWhatFailed(t *testing.T) {
	out, err := play(t, "    - name: Do what cannot be done\n      command: /bin/false\n", nil)
	require.Error(t, err)
	require.True(t, lcm.Is(err, lcm.KindBroken), "%v %s", err, out)
	require.ErrorContains(t, err, "Do what cannot be done")
}

// TestPlay_hasItsFilesInMemory looks while a playbook runs: a worker that is killed then can take nothing away.
func TestPlay_hasItsFilesInMemory(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	looked := false
	in := scripts.PlayInput{
		Package: map[string][]byte{"play.yaml": []byte("- hosts: 127.0.0.1\n  connection: local\n  gather_facts: false\n" +
			"  tasks:\n    - command: test -s {{ windlass_key }}\n")},
		Inventory: "192.0.2.1\n", Variables: `{"word": "hunter2-of-the-request"}`, Key: "a key",
	}
	err := (&Playbooks{}).Play(t.Context(), in, "play.yaml", nil, func(string) {
		looked = true
		left, err := os.ReadDir(dir)
		assert.NoError(t, err)
		assert.Empty(t, left)
		assert.NoDirExists(t, playDirectory, "it is of the run's own mounts")
	})
	require.NoError(t, err)
	require.True(t, looked)
}

func TestPlay_tellsWhetherTheTaskThatFailedBecomesAnotherUser(t *testing.T) {
	_, err := play(t, "    - file: {path: /usr/local/windlass-was-here, state: touch}\n      become: true\n", nil)
	require.ErrorIs(t, err, ErrBecome)
	require.ErrorContains(t, err, "Read-only file system")
	_, err = play(t, "    - debug: {msg: x}\n      become: true\n    - command: /bin/false\n", nil)
	require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
	require.NotErrorIs(t, err, ErrBecome)
}

// TestPlay_isConfined lets a playbook try what it must not do.
func TestPlay_isConfined(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("hush"), 0o644))
	for name, command := range map[string]string{
		"read a file":         "cat " + secret,
		"read host keys":      "ls /etc/ssh",
		"write a file":        "touch /usr/local/windlass-was-here",
		"change a file":       "chmod 0600 " + secret,
		"see other processes": "kill -0 " + pid(),
		"have other users":    "unshare -U true",
		"mount":               "mount -t tmpfs none /mnt",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := play(t, "    - shell: "+command+"\n", nil)
			require.True(t, lcm.Is(err, lcm.KindBroken), "%v: %s", err, out)
			require.Contains(t, out, "127.0.0.1: FAILED: non-zero return code", "the command itself has failed")
		})
	}
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	require.NoError(t, os.Chmod(socket, 0o777))
	require.NoError(t, os.Chmod(filepath.Dir(socket), 0o755))
	require.NoError(t, os.Chmod(filepath.Dir(filepath.Dir(socket)), 0o755))
	out, err := play(t, "    - shell: python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('"+socket+"')\"\n", nil)
	require.True(t, lcm.Is(err, lcm.KindBroken), "a socket of the host's, as that of its database: %v: %s", err, out)
	text, err := os.ReadFile(secret)
	require.NoError(t, err)
	require.Equal(t, "hush", string(text))
}

// resolversVariable tells a process of TestPlay_findsResolversBelowRun that /etc is its own.
const resolversVariable = "WINDLASS_TEST_RESOLVERS"

// ownEtc makes /etc/resolv.conf a link into /run, as hosts with systemd-resolved have it, for one process alone.
const ownEtc = `set -e
mount -t tmpfs none /run; mount -t tmpfs none /mnt
mkdir /run/resolve /mnt/upper /mnt/work; echo nameserver 192.0.2.53 >/run/resolve/resolv.conf
mount -t overlay none -o lowerdir=/etc,upperdir=/mnt/upper,workdir=/mnt/work /etc
ln -sf /run/resolve/resolv.conf /etc/resolv.conf
exec "$@"`

// TestPlay_findsResolversBelowRun shows that a playbook finds hosts by name although /run is hidden from it.
func TestPlay_findsResolversBelowRun(t *testing.T) {
	if os.Getenv(resolversVariable) != "" {
		out, err := play(t, "    - shell: test -L /etc/resolv.conf && cat /etc/resolv.conf\n      register: found\n"+
			"    - debug: {msg: \"{{ found.stdout }}\"}\n", nil)
		require.NoError(t, err, out)
		require.Contains(t, out, "192.0.2.53")
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("Only root can give a process an /etc of its own.")
	}
	again := exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-c", ownEtc, "sh",
		os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	again.Env = append(os.Environ(), resolversVariable+"=1")
	out, err := again.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
}

func pid() string { return strconv.Itoa(os.Getpid()) }
