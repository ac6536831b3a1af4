package remote_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRemote_onSSHD_asRoot(t *testing.T) {
	needs(t, "sshd", "openssh-server")
	remotetest.Run(t, func(t *testing.T) remotetest.Machine { return startSSHD(t, "root") })
}

func TestRemote_onSSHD_withSudoPassword(t *testing.T) {
	needs(t, "sshd", "openssh-server")
	needs(t, "sudo", "sudo")
	remotetest.Run(t, func(t *testing.T) remotetest.Machine { return startSSHD(t, loginUser) })
}

// needs fails in CI and skips elsewhere if the program is missing, and names the package to install.
func needs(t *testing.T, program, pkg string) {
	_, err := exec.LookPath(program)
	reason := ""
	switch {
	case os.Geteuid() != 0:
		reason = "a real sshd with users of its own needs root"
	case err != nil:
		reason = program + " is missing: apt-get install -y " + pkg
	default:
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// The login that exists only in the sshd's mount namespace.
const (
	loginUser     = "windlass-test"
	loginPassword = "a pass word"
	// openssl passwd -6 -salt windlass 'a pass word'
	loginHash = "$6$windlass$da4fs79FZzZ9Yt6DH3jWY8q/XC5a6YRYf/6bNaYvGe/gKfXXvGRwXegSeG63jvptZZ/NX6d65u5KLe/gaTb9K."
)

// sshd is a real sshd on loopback. It runs in its own mount namespace, with accounts and files of Windlass that belong
// to the test. The namespace also identifies its processes.
type sshd struct {
	t   *testing.T
	dir string
	// address is a loopback address of this machine only. A free port of 127.0.0.1 could be taken before sshd listens
	// on it, and again during a reboot.
	address string
	target  remote.Target
	server  *exec.Cmd
	tiny    bool // /var/lib/windlass has space for little more than the runner
}

var lastAddress atomic.Int32

// nextAddress returns a new address, which also differs from those of other runs of these tests on this host.
func nextAddress(t *testing.T) string {
	for range 100 {
		n := lastAddress.Add(1)
		address := fmt.Sprintf("127.%d.%d.%d", 80+os.Getpid()%100, int32(os.Getpid()/100%200)+n/250, 1+n%250)
		if l, err := net.Listen("tcp", net.JoinHostPort(address, "2222")); err == nil {
			require.NoError(t, l.Close())
			return address
		}
	}
	require.FailNow(t, "somebody listens on port 2222 of all loopback addresses")
	return ""
}

func startSSHD(t *testing.T, user string) *sshd {
	m := &sshd{t: t, dir: t.TempDir()}
	m.prepare(user)
	m.boot()
	return m
}

func (m *sshd) prepare(user string) {
	t := m.t
	require.NoError(t, os.Chmod(filepath.Dir(m.dir), 0o755)) //nolint:gosec // the login user must get through
	require.NoError(t, os.Chmod(m.dir, 0o777))               //nolint:gosec // and its scripts leave traces
	m.address = nextAddress(t)
	private, authorized := remotetest.Key(t)
	hostKey, _ := remotetest.Key(t)
	home := filepath.Join(m.dir, "home")
	for _, dir := range []string{home, filepath.Join(m.dir, "lib")} {
		require.NoError(t, os.Mkdir(dir, 0o700))
	}
	require.NoError(t, os.Chown(home, 64123, 64123))
	m.write("host_key", hostKey, 0o600)
	m.write("authorized_keys", authorized, 0o644)
	m.write("passwd", "root:x:0:0::/root:/bin/bash\nsshd:x:105:65534::/run/sshd:/usr/sbin/nologin\n"+
		loginUser+":x:64123:64123::"+home+":/bin/bash\n", 0o644)
	m.write("shadow", "root:*:19000::::::\n"+loginUser+":"+loginHash+":19000::::::\n", 0o640)
	m.write("sudoers", "root ALL=(ALL) ALL\n"+loginUser+" ALL=(ALL:ALL) ALL\nDefaults lecture=never\n", 0o440)
	m.write("sshd_config", strings.Join([]string{
		"ListenAddress " + m.address + ":2222", "HostKey " + m.dir + "/host_key",
		"AuthorizedKeysFile " + m.dir + "/authorized_keys", "StrictModes no", "UsePAM no",
		"PermitRootLogin yes", "PasswordAuthentication yes", "PidFile none", "MaxStartups 100",
		"Subsystem sftp internal-sftp", "MaxSessions 20",
	}, "\n")+"\n", 0o600)
	m.target = remote.Target{
		Node: "cp-1234abcd", Address: m.address + ":2222", User: user,
		PrivateKey: private, ServerID: "server-" + m.address,
	}
	if user == loginUser {
		m.target.Password = loginPassword
	}
	t.Cleanup(m.powerOff)
}

func (m *sshd) write(name, content string, mode os.FileMode) {
	require.NoError(m.t, os.WriteFile(filepath.Join(m.dir, name), []byte(content), mode))
}

func (m *sshd) boot() {
	for _, dir := range []string{"/run/sshd", runner.RootBase} {
		require.NoError(m.t, os.MkdirAll(dir, 0o755))
	}
	sshdPath, err := exec.LookPath("sshd")
	require.NoError(m.t, err)
	mounts := ""
	for from, to := range map[string]string{
		"passwd": "/etc/passwd", "shadow": "/etc/shadow", "sudoers": "/etc/sudoers", "lib": runner.RootBase,
	} {
		if _, err := os.Stat(to); err == nil {
			mounts += "mount --bind " + runner.Quote(filepath.Join(m.dir, from)) + " " + to + " && "
		}
	}
	if m.tiny {
		mounts += "mount -t tmpfs -o size=64k tmpfs " + runner.RootBase + " && "
	}
	m.server = exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c",
		mounts+"exec "+sshdPath+" -D -e -f "+runner.Quote(m.dir+"/sshd_config"))
	log, err := os.OpenFile(filepath.Join(m.dir, "sshd.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(m.t, err)
	defer func() { _ = log.Close() }()
	m.server.Stdout, m.server.Stderr = log, log
	require.NoError(m.t, m.server.Start())
	require.Eventually(m.t, func() bool {
		conn, err := net.Dial("tcp", m.address+":2222")
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, remotetest.Patience, 10*time.Millisecond, "sshd listens")
}

// powerOff kills everything in the namespace at once.
func (m *sshd) powerOff() {
	namespace, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", m.server.Process.Pid))
	require.NoError(m.t, err)
	for found := true; found; {
		found = false
		for _, pid := range processes() {
			if its, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", pid)); err == nil && its == namespace {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil && pid != m.server.Process.Pid || found
			}
		}
	}
	_ = m.server.Wait()
}

func processes() []int {
	entries, _ := os.ReadDir("/proc")
	var pids []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (m *sshd) Target() remote.Target { return m.target }
func (m *sshd) TempDir() string       { return m.dir }

func (m *sshd) Reboot() {
	m.powerOff()
	m.boot()
}

func (m *sshd) Running(name string) int {
	count := 0
	for _, pid := range processes() {
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if strings.Contains(string(environ), "HANG="+m.dir+"/"+name+"\x00") {
			count++
		}
	}
	return count
}

func (m *sshd) Started(name string) int {
	content, _ := os.ReadFile(filepath.Join(m.dir, "started-"+name))
	return len(content)
}

func (m *sshd) Release(name string) { m.write("release-"+name, "", 0o644) }

func (m *sshd) ReadFile(path string) (string, uint32) {
	if rest, ok := strings.CutPrefix(path, runner.RootBase); ok {
		path = filepath.Join(m.dir, "lib", rest)
	}
	content, _ := os.ReadFile(path)
	info, err := os.Stat(path)
	if err != nil {
		return "", 0
	}
	return string(content), uint32(info.Mode().Perm())
}

func (m *sshd) WriteCount(path string) any {
	info, err := os.Stat(path)
	require.NoError(m.t, err)
	return fmt.Sprint(info.Sys().(*syscall.Stat_t).Ino, info.ModTime().UnixNano())
}

func (m *sshd) Script(b remotetest.Behaviour) string {
	var s strings.Builder
	fmt.Fprintf(&s, "#!/bin/bash\nset -eu\nd=%s\nprintf x >>\"$d/started-%s\"\n", runner.Quote(m.dir), b.Name)
	for _, line := range b.Stdout {
		fmt.Fprintf(&s, "printf '%%s\\n' %s\n", runner.Quote(line))
	}
	if b.Repeat > 0 {
		fmt.Fprintf(&s, "(yes %s || true) | head -n %d\n", runner.Quote(strings.Join(b.Stdout, "\n")), b.Repeat)
	}
	for _, line := range b.Stderr {
		fmt.Fprintf(&s, "printf '%%s\\n' %s >&2\n", runner.Quote(line))
	}
	if b.Echo {
		s.WriteString("cat\n")
	}
	if b.Hang {
		fmt.Fprintf(&s, "HANG=\"$d/%s\" setsid sleep 1000 &\nchild=$!\n"+
			"until [ -e \"$d/release-%s\" ]; do sleep 0.02; done\nkill \"$child\"\n", b.Name, b.Name)
	}
	fmt.Fprintf(&s, "exit %d\n", b.Exit)
	return s.String()
}
