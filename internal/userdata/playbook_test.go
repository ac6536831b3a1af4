package userdata

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/ownnet"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

// play runs tasks of a playbook on this host, confined.
func play(t *testing.T, tasks string, files map[string][]byte) (string, error) {
	t.Helper()
	p := playbooks(t)
	in := playing(tasks)
	maps.Copy(in.Package, files)
	var out []string
	err := perform(t.Context(), t, p, "once", in, func(line string) { out = append(out, line) })
	return strings.Join(out, "\n"), err
}

func playbooks(t *testing.T) *Playbooks {
	t.Helper()
	if _, err := exec.LookPath("ansible-playbook"); err != nil {
		t.Skip("Playbooks are NOT tested: this host has no Ansible.")
	}
	networks(t)
	return &Playbooks{Dir: filepath.Join(t.TempDir(), "windlass")}
}

// networks skips a test whose runs need a network of their own, where this user can make none.
func networks(t *testing.T) {
	t.Helper()
	device, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
	if err != nil {
		t.Skip("Runs with a network are NOT tested: " + err.Error())
	}
	require.NoError(t, device.Close())
}

func playing(tasks string) scripts.PlayInput {
	return scripts.PlayInput{
		Package: map[string][]byte{
			"Scripts/play.yaml": []byte("- hosts: 127.0.0.1\n  connection: local\n  gather_facts: false\n  tasks:\n" + tasks),
		},
		Inventory: "192.0.2.1\n", Variables: `{"host": "192.0.2.1", "word": "hunter2-of-the-request"}`, Key: "the key of a server",
	}
}

// perform does the same as the activity: the same id means the same run.
func perform(
	ctx context.Context, t *testing.T, p *Playbooks, id string, in scripts.PlayInput, lines func(string),
) error {
	t.Helper()
	script, err := p.Script("Scripts/play.yaml")
	require.NoError(t, err)
	stdin, err := p.Input(in)
	require.NoError(t, err)
	host, err := p.Host()
	require.NoError(t, err)
	defer func() { _ = host.Close() }()
	claim, stop, err := p.Follow(id)
	require.NoError(t, err)
	defer stop()
	script.Claim = claim
	text, err := script.Render()
	require.NoError(t, err)
	_, err = host.Run(ctx, remote.Command{
		ID: id, Script: text, Stdin: stdin, Deadline: time.Minute, Mask: []string{"hunter2-of-the-request"}, Output: lines,
	})
	return err
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

// TestPlay_hasItsFilesInMemory looks while a playbook runs. The folder by which a later worker finds the run must not
// contain any of its secrets.
func TestPlay_hasItsFilesInMemory(t *testing.T) {
	t.Parallel()
	p, looked, claimed := playbooks(t), false, 0
	err := perform(t.Context(), t, p, "looked-at", playing("    - command: test -s {{ windlass_key }}\n"), func(string) {
		looked = true
		for _, secret := range []string{"hunter2-of-the-request", "the key of a server"} {
			found, _ := exec.Command("grep", "-rlF", secret, p.Dir).Output()
			assert.Empty(t, string(found))
		}
		assert.NoDirExists(t, playDirectory, "it is of the run's own mounts")
		claims, _ := os.ReadDir(filepath.Join(p.Dir, "claims"))
		claimed = max(claimed, len(claims)) // the claim may be gone when the last lines come
	})
	require.NoError(t, err)
	require.True(t, looked)
	require.Equal(t, 1, claimed)
	left, err := os.ReadDir(filepath.Join(p.Dir, "claims"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// gate returns tasks that wait until open listens on a port of this host.
func gate(t *testing.T) (tasks string, open func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, port, _ := strings.Cut(address, ":")
	return "    - debug: {msg: \"number {{ 999999999 | random }} waits\"}\n" +
			"    - wait_for: {host: 127.0.0.1, port: " + port + ", timeout: 50, sleep: 1}\n", func() {
			again, err := net.Listen("tcp", address)
			assert.NoError(t, err)
			t.Cleanup(func() { _ = again.Close() })
		}
}

func TestPlay_goesOnWithoutItsWorker(t *testing.T) {
	t.Parallel()
	p := playbooks(t)
	tasks, open := gate(t)
	ctx, lose := context.WithCancelCause(t.Context())
	defer lose(nil)
	var first, second string
	err := perform(ctx, t, p, "goes-on", playing(tasks), func(line string) {
		if strings.Contains(line, "number ") {
			first = line
			lose(remote.ErrDetach)
		}
	})
	require.ErrorIs(t, err, remote.ErrDetach)
	err = perform(t.Context(), t, p, "goes-on", playing(tasks), func(line string) {
		if strings.Contains(line, "number ") {
			second = line
			open()
		}
	})
	require.NoError(t, err)
	require.NotEmpty(t, first)
	require.Equal(t, first, second, "it is the same run")
}

func TestPlay_endsWhenNobodyFollowsIt(t *testing.T) {
	t.Parallel()
	p := playbooks(t)
	p.Lease = 2 * time.Second
	tasks, _ := gate(t)
	ctx, lose := context.WithCancelCause(t.Context())
	defer lose(nil)
	err := perform(ctx, t, p, "alone", playing(tasks), func(line string) {
		if strings.Contains(line, "number ") {
			lose(remote.ErrDetach)
		}
	})
	require.ErrorIs(t, err, remote.ErrDetach)
	ended := filepath.Join(p.Dir, ".windlass/run/alone/rc")
	require.Eventually(t, func() bool {
		_, err := os.Stat(ended)
		return err == nil
	}, p.Patience(), 20*time.Millisecond, "before another host may begin it again")
	err = perform(t.Context(), t, p, "alone", playing(tasks), func(string) {})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	require.ErrorContains(t, err, "no worker followed the playbook for 2s, so it was ended")
}

// TestPlay_endsWhatItHasStartedWhenCancelled starts a process that leaves its session.
func TestPlay_endsWhatItHasStartedWhenCancelled(t *testing.T) {
	t.Parallel()
	p := playbooks(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sleep := fmt.Sprintf("sleep 61234.%d", os.Getpid()) // no other process on this machine sleeps so
	tasks := "    - shell: setsid " + sleep + " &\n    - debug: {msg: begun}\n    - command: " + sleep + "\n"
	err := perform(ctx, t, p, "cancelled", playing(tasks), func(line string) {
		if strings.Contains(line, "msg: begun") || strings.Contains(line, "ok: begun") {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Empty(c, processes(sleep)) }, time.Minute,
		50*time.Millisecond, "processes are left")
}

// processes are the processes with this command line.
func processes(command string) (found []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		line, _ := os.ReadFile(file) // it may have ended
		if strings.Contains(strings.ReplaceAll(string(line), "\x00", " "), command) {
			found = append(found, file)
		}
	}
	return found
}

func TestPlaybooks_haveANameForTheirHost(t *testing.T) {
	dir := t.TempDir()
	first, err := (&Playbooks{Dir: filepath.Join(dir, "a")}).Name()
	require.NoError(t, err)
	again, err := (&Playbooks{Dir: filepath.Join(dir, "a")}).Name()
	require.NoError(t, err)
	require.Equal(t, first, again)
	other, err := (&Playbooks{Dir: filepath.Join(dir, "b")}).Name()
	require.NoError(t, err)
	require.NotEqual(t, first, other)
	require.Len(t, first, 26)
}

// TestPlay_isBounded lets a playbook take all processes and all memory of the host.
func TestPlay_isBounded(t *testing.T) {
	for name, c := range map[string]struct{ program, want string }{
		"processes": {`
import os, time
begun = 0
try:
    for begun in range(5000):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
except OSError as e:
    print("stopped after", begun, e.strerror)
    raise SystemExit(1)
`, "Resource temporarily unavailable"},
		"memory of a process": {"bytearray(3 << 30)", "MemoryError"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := play(t, "    - command: python3 {{ windlass_package }}/Scripts/greedy.py\n",
				map[string][]byte{"Scripts/greedy.py": []byte(c.program)})
			require.True(t, lcm.Is(err, lcm.KindBroken), "%v: %s", err, out)
			require.Contains(t, out+lcm.Sentence(err), c.want)
		})
	}
}

// TestPlay_isLimitedInAll lets the processes of a playbook take memory together, where the host has control groups.
func TestPlay_isLimitedInAll(t *testing.T) {
	if err := PrepareGroups(); err != nil {
		t.Skip("Control groups are NOT tested: " + err.Error())
	}
	out, err := play(t, "    - shell: grep -E ':(memory|pids|cpu)[:,]|^0::/.' /proc/self/cgroup\n"+
		"      register: mine\n    - debug: {msg: \"{{ mine.stdout }}\"}\n", nil)
	require.NoError(t, err, out)
	require.Contains(t, out, groupPrefix, "all that the playbook starts is in groups of its own")
}

// TestPlay_reachesWhatIsAllowed has a server of this host, as Temporal may be, and another one, as a VNF's server is.
func TestPlay_reachesWhatIsAllowed(t *testing.T) {
	other, temporal := listening(t), listening(t)
	p := playbooks(t)
	p.Reach = ownnet.Policy{Peers: []string{temporal}}
	task := func(address string) string {
		host, port, _ := net.SplitHostPort(address)
		return "    - wait_for: {host: " + host + ", port: " + port + ", timeout: 2, connect_timeout: 1}\n"
	}
	var out []string
	hear := func(line string) { out = append(out, line) }
	require.NoError(t, perform(t.Context(), t, p, "allowed", playing(task(other)), hear), out)
	err := perform(t.Context(), t, p, "denied", playing(task(temporal)), hear)
	require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
	require.Contains(t, strings.Join(out, "\n"), "The playbook may not connect to "+temporal+" from the worker's host")
}

// TestPlay_saysWhyItsNetworkCannotBeServed has a name of Temporal that nobody knows: its address could not be denied.
func TestPlay_saysWhyItsNetworkCannotBeServed(t *testing.T) {
	p := playbooks(t)
	p.Reach = ownnet.Policy{Peers: []string{"temporal.invalid:7233"}}
	err := perform(t.Context(), t, p, "unknown", playing("    - debug: {msg: begun}\n"), func(string) {})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	require.ErrorContains(t, err, "its network cannot be served: a server of Windlass: lookup temporal.invalid")
}

// listening is the address of a server that accepts connections.
func listening(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}

// TestPlay_isConfined lets a playbook try forbidden actions.
func TestPlay_isConfined(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("hush"), 0o644))
	opt := "/opt/windlass-test-" + pid()
	if os.Geteuid() == 0 {
		require.NoError(t, os.MkdirAll("/opt", 0o755))
		require.NoError(t, os.WriteFile(opt, []byte("hush"), 0o644))
		t.Cleanup(func() { _ = os.Remove(opt) })
	}
	for name, command := range map[string]string{
		"read a file":         "cat " + secret,
		"read a file in /opt": "cat " + opt,
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

// resolversVariable is set in the process of TestPlay_findsResolversBelowRun that has its own /etc.
const resolversVariable = "WINDLASS_TEST_RESOLVERS"

// ownEtc makes /etc/resolv.conf a link into /run, as hosts with systemd-resolved have it, for one process only.
const ownEtc = `set -e
mount -t tmpfs none /run; mount -t tmpfs none /mnt
mkdir /run/resolve /mnt/upper /mnt/work; echo nameserver 192.0.2.53 >/run/resolve/resolv.conf
mount -t overlay none -o lowerdir=/etc,upperdir=/mnt/upper,workdir=/mnt/work /etc
ln -sf /run/resolve/resolv.conf /etc/resolv.conf
exec "$@"`

// TestPlay_findsResolversBelowRun shows that a playbook finds hosts by name although /run is hidden from it.
func TestPlay_findsResolversBelowRun(t *testing.T) {
	networks(t)
	if os.Getenv(resolversVariable) != "" {
		out, err := play(t, "    - shell: test -L /etc/resolv.conf && cat /etc/resolv.conf\n      register: found\n"+
			"    - debug: {msg: \"{{ found.stdout }}\"}\n", nil)
		require.NoError(t, err, out)
		require.Contains(t, out, "nameserver "+ownnet.Resolver, "the relay asks the host's own")
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
