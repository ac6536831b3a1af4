package remote_test

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
)

func connect(t *testing.T, m *sshd) *remote.Host {
	host, err := remotetest.Dialer().Dial(t.Context(), m.Target())
	require.NoError(t, err)
	t.Cleanup(func() { _ = host.Close() })
	return host
}

func TestRun_saysWhereADiskIsFull(t *testing.T) {
	needs(t, "sshd", "openssh-server")
	t.Parallel()
	m := &sshd{t: t, dir: t.TempDir(), tiny: true}
	m.prepare("root")
	m.boot()
	_, err := connect(t, m).Run(t.Context(), remote.Command{ID: "big", Script: "#" + strings.Repeat("x", 100<<10)})
	require.Equal(t, lcm.KindExhausted, lcm.KindOf(err), "%v", err)
	require.Contains(t, err.Error(), "cp-1234abcd: no space left on the file system of /var/lib/windlass/run/big")

	err = connect(t, m).Put(t.Context(), remote.File{
		Path: "/var/lib/windlass/x", Mode: 0o600, Content: make([]byte, 100<<10),
	})
	require.Equal(t, lcm.KindExhausted, lcm.KindOf(err), "%v", err)
}

func TestRun_keepsTheExitCodeWhenTheDiskFillsUp(t *testing.T) {
	needs(t, "sshd", "openssh-server")
	t.Parallel()
	m := &sshd{t: t, dir: t.TempDir(), tiny: true}
	m.prepare("root")
	m.boot()
	script := "echo begin; head -c 200000 /dev/zero | tr '\\0' x; echo; exit 73"
	result, err := connect(t, m).Run(t.Context(), remote.Command{ID: "filler", Script: script})
	require.Equal(t, lcm.KindExhausted, lcm.KindOf(err), "%v", err)
	require.Equal(t, 73, result.ExitCode)
}

func TestRun_sweepsWhatIsOlderThanAWeek(t *testing.T) {
	needs(t, "sshd", "openssh-server")
	t.Parallel()
	m := startSSHD(t, "root")
	old, young := filepath.Join(m.dir, "lib/run/old"), filepath.Join(m.dir, "lib/run/young")
	for dir, age := range map[string]time.Duration{old: 9 * 24 * time.Hour, young: 6 * 24 * time.Hour} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
		require.NoError(t, os.Chtimes(dir, time.Now(), time.Now().Add(-age)))
	}
	_, err := connect(t, m).Run(t.Context(), remote.Command{ID: "now", Script: "true"})
	require.NoError(t, err)
	require.NoDirExists(t, old)
	require.DirExists(t, young)
}

// TestRun_sweepsSuccessesAfterAnHour checks that the runner removes old results of successful commands. It keeps
// failures, because the worker that ran the command may have died before it reported the failure.
func TestRun_sweepsSuccessesAfterAnHour(t *testing.T) {
	needs(t, "sshd", "openssh-server")
	t.Parallel()
	m := startSSHD(t, "root")
	host := connect(t, m)
	for id, age := range map[string]time.Duration{"young": 50 * time.Minute, "old": 70 * time.Minute} {
		_, err := host.Run(t.Context(), remote.Command{ID: id, Script: "true"})
		require.NoError(t, err)
		rc := filepath.Join(m.dir, "lib/run", id, "rc")
		require.NoError(t, os.Chtimes(rc, time.Now(), time.Now().Add(-age)))
	}
	_, err := host.Run(t.Context(), remote.Command{ID: "fails", Script: "exit 3"})
	require.Error(t, err)
	failed := filepath.Join(m.dir, "lib/run/fails/rc")
	require.NoError(t, os.Chtimes(failed, time.Now(), time.Now().Add(-70*time.Minute)))
	_, err = host.Run(t.Context(), remote.Command{ID: "now", Script: "true"})
	require.NoError(t, err)
	require.NoDirExists(t, filepath.Join(m.dir, "lib/run/old"))
	require.DirExists(t, filepath.Join(m.dir, "lib/run/young"))
	require.DirExists(t, filepath.Join(m.dir, "lib/run/fails"), "its failure may be unknown yet")
}

func TestRun_killsTheOrphansOfADeadSupervisorBeforeItStartsAgain(t *testing.T) {
	needs(t, "sshd", "openssh-server")
	t.Parallel()
	m := startSSHD(t, "root")
	id := "orphan-" + strings.ToLower(rand.Text()[:8])
	cmd := remote.Command{ID: id, Script: m.Script(remotetest.Behaviour{Name: id, Hang: true})}
	done := make(chan error, 1)
	host := connect(t, m)
	go func() {
		_, err := host.Run(t.Context(), cmd)
		done <- err
	}()
	require.Eventually(t, func() bool { return m.Running(id) == 1 }, remotetest.Patience, 10*time.Millisecond)
	killProcess(t, "\x00supervise\x00"+id)
	require.Eventually(t, func() bool { return m.Started(id) == 2 }, remotetest.Patience, 10*time.Millisecond)
	require.Eventually(t, func() bool { return m.Running(id) == 1 }, remotetest.Patience, 10*time.Millisecond,
		"the first one is gone")
	m.Release(id)
	require.NoError(t, <-done)
}

// TestRun_startsAgainWhenAShutdownEndsTheScriptFirst: a machine that shuts down ends the script and its supervisor in any
// order.
func TestRun_startsAgainWhenAShutdownEndsTheScriptFirst(t *testing.T) {
	needs(t, "sshd", "openssh-server")
	t.Parallel()
	m := startSSHD(t, "root")
	id := "first-" + strings.ToLower(rand.Text()[:8])
	done, host := make(chan error, 1), connect(t, m)
	go func() {
		_, err := host.Run(t.Context(), remote.Command{
			ID: id, Script: m.Script(remotetest.Behaviour{Name: id, Hang: true}),
		})
		done <- err
	}()
	require.Eventually(t, func() bool { return m.Running(id) == 1 }, remotetest.Patience, 10*time.Millisecond)
	killProcess(t, "/run/"+id+"/script\x00")
	time.Sleep(200 * time.Millisecond) // the supervisor has seen that the script is dead
	killProcess(t, "\x00supervise\x00"+id)
	require.Eventually(t, func() bool { return m.Started(id) == 2 || len(done) > 0 }, remotetest.Patience,
		10*time.Millisecond)
	m.Release(id)
	require.NoError(t, <-done)
	require.Equal(t, 2, m.Started(id))
}

// A script that somebody kills on a machine that stays up has failed.
func TestRun_reportsAScriptThatWasKilled(t *testing.T) {
	needs(t, "sshd", "openssh-server")
	t.Parallel()
	m := startSSHD(t, "root")
	_, err := connect(t, m).Run(t.Context(), remote.Command{ID: "killed", Script: "kill -KILL $$"})
	require.ErrorContains(t, err, "exit status 137")
}

// killProcess kills the processes with these words in their command lines.
func killProcess(t *testing.T, words string) {
	t.Helper()
	killed := 0
	for _, pid := range processes() {
		line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if strings.Contains(string(line), words) && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	require.NotZero(t, killed)
}

// TestRun_killsAnOrphanWhosePidWasNotWritten simulates a supervisor that was killed after it had started its command,
// but before it had written the pid.
func TestRun_killsAnOrphanWhosePidWasNotWritten(t *testing.T) {
	needs(t, "sshd", "openssh-server")
	t.Parallel()
	m := startSSHD(t, "root")
	id := "unwritten-" + strings.ToLower(rand.Text()[:8])
	dir := filepath.Join(m.dir, "lib/run", id)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "attempt"), []byte("earlier\n"), 0o600))
	orphan := exec.Command("sleep", "1000")
	orphan.Env = []string{"WINDLASS_RUN=" + id}
	require.NoError(t, orphan.Start())
	ended := make(chan error, 1)
	go func() { ended <- orphan.Wait() }()
	t.Cleanup(func() { _ = orphan.Process.Kill() })

	_, err := connect(t, m).Run(t.Context(), remote.Command{ID: id, Script: "true"})
	require.NoError(t, err)
	select {
	case err := <-ended:
		require.ErrorContains(t, err, "signal: terminated")
	case <-time.After(remotetest.Patience):
		t.Fatal("the orphan still runs")
	}
}

func TestRun_neverShowsASecretInArgv(t *testing.T) {
	needs(t, "sshd", "openssh-server")
	needs(t, "sudo", "sudo")
	t.Parallel()
	m := startSSHD(t, loginUser)
	secret := "argv-secret-" + rand.Text()
	id := "argv-" + strings.ToLower(rand.Text()[:8])
	cmd := remote.Command{
		ID: id, Sudo: true, Stdin: []byte(secret),
		Script: "# " + secret + "\n" + m.Script(remotetest.Behaviour{Name: id, Hang: true}),
	}
	done := make(chan error, 1)
	host := connect(t, m)
	go func() {
		_, err := host.Run(t.Context(), cmd)
		done <- err
	}()
	require.Eventually(t, func() bool { return m.Running(id) == 1 }, remotetest.Patience, 10*time.Millisecond)
	for _, pid := range processes() {
		line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		require.NotContains(t, string(line), secret)
		require.NotContains(t, string(line), loginPassword)
	}
	err := filepath.WalkDir(filepath.Join(m.dir, "lib"), func(path string, entry os.DirEntry, err error) error {
		if info, infoErr := entry.Info(); err == nil && infoErr == nil && entry.Type().IsRegular() {
			require.Zero(t, info.Mode().Perm()&0o077, path)
		}
		return err
	})
	require.NoError(t, err)
	m.Release(id)
	require.NoError(t, <-done)
}
