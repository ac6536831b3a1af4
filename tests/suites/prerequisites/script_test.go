package prerequisites

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// machine is a Debian with almost nothing: a directory of programs that write their calls into a log.
type machine struct {
	t        *testing.T
	bin, log string
}

// newMachine returns a machine whose user has this id. Programs that would change something only write into the log.
func newMachine(t *testing.T, uid int) machine {
	t.Helper()
	dir := t.TempDir()
	m := machine{t: t, bin: filepath.Join(dir, "bin"), log: filepath.Join(dir, "log")}
	require.NoError(t, os.Mkdir(m.bin, 0o755))
	for _, program := range []string{"bash", "cat", "dirname", "mktemp", "tail", "env"} {
		path, err := exec.LookPath(program)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(m.bin, program)))
	}
	m.has("id", fmt.Sprintf("echo %d", uid))
	for _, program := range []string{"tee", "chmod", "mkdir", "rm"} {
		m.has(program, "")
	}
	return m
}

// has adds a program to the machine.
func (m machine) has(name, code string) {
	m.t.Helper()
	text := "#!/bin/bash\necho \"" + name + " $*\" >>" + m.log + "\n" + code + "\n"
	require.NoError(m.t, os.WriteFile(filepath.Join(m.bin, name), []byte(text), 0o755)) //nolint:gosec // it is a program
}

// run runs the script, and returns its output and its exit code.
func (m machine) run(args ...string) (said string, code int) {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), filepath.Join(m.bin, "bash"), append([]string{script}, args...)...)
	cmd.Env = []string{"PATH=" + m.bin, "TMPDIR=" + m.t.TempDir()}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run()
	return out.String(), cmd.ProcessState.ExitCode()
}

func (m machine) called() string {
	b, _ := os.ReadFile(m.log)
	return string(b)
}

func TestScript_saysWhatToRunWhereItMayNotInstall(t *testing.T) {
	m := newMachine(t, 1000)
	m.has("apt-get", "exit 1")
	said, code := m.run("lint")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "This machine lacks git shellcheck.\nRun this once, as root:\n")
	require.Contains(t, said, "/tools/prerequisites.sh lint\n")
	require.NotContains(t, said, "sudo")

	m.has("sudo", "exit 1") // as if it needed a password
	said, code = m.run("lint")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "  sudo /")
	require.NotContains(t, m.called(), "apt-get")

	bare := newMachine(t, 0)
	said, code = bare.run("lint")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "It has no apt-get; install them by hand.")
}

func TestScript_installsWhatIsMissing(t *testing.T) {
	for name, uid := range map[string]int{"as root": 0, "with sudo": 1000} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, uid)
			m.has("sudo", `shift; "$@"`) // removes -n
			m.has("shellcheck", "")
			m.has("apt-get", `case "$*" in *install*git*) ln -s bash `+m.bin+`/git ;; esac`)
			require.NoError(t, os.Symlink("/bin/ln", filepath.Join(m.bin, "ln")))
			said, code := m.run("lint")
			require.Equal(t, 0, code, said)
			require.Equal(t, "Installing what is missing for lint: git\n", said)
			require.Regexp(t, `(?s)apt-get -q .*update\n.*apt-get -q .* install -y --no-install-recommends git\n`, m.called())
			said, code = m.run("lint")
			require.Equal(t, 0, code, said)
			require.Empty(t, said, "nothing is missing any more")
		})
	}
}

func TestScript_saysWhyItCannotInstall(t *testing.T) {
	m := newMachine(t, 0)
	m.has("apt-get", "echo E: no network; exit 100")
	said, code := m.run("lint")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "E: no network\ngit shellcheck cannot be installed")

	m.has("apt-get", "") // as if it had installed the packages
	said, code = m.run("lint")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "Still missing after their installation: git shellcheck.")
}

func TestScript_demoNeedsWhatItsArgumentsSay(t *testing.T) {
	user, machines := newMachine(t, 1000), newMachine(t, 0)
	machines.has("apt-get", "exit 100")
	for _, args := range [][]string{{"--exit"}, {"--help"}, {"-exit", "--machines", "nspawn"}} {
		said, code := user.run(append([]string{"demo"}, args...)...)
		require.Equal(t, 0, code, "%s: %s", args, said)
		require.Empty(t, said)
	}
	for _, args := range [][]string{nil, {"--machines", "nspawn"}, {"--level", "2", "-machines=nspawn"}, {"--cloud=lab"}} {
		said, code := user.run(append([]string{"demo"}, args...)...)
		require.Equal(t, 1, code, "%s: %s", args, said)
		require.Contains(t, said, "Real machines need root.", args)
		require.Contains(t, said, "go tool task demo -- --machines fake", args)
		said, _ = machines.run(append([]string{"demo"}, args...)...)
		require.Contains(t, said, "systemd-container mmdebstrap ", args)
		require.NotContains(t, said, "shellcheck", args)
	}
	for _, args := range [][]string{{"--machines", "fake"}, {"-machines=fake"}, {"--cloud", "openstack"}} {
		said, _ := machines.run(append([]string{"demo"}, args...)...)
		require.NotContains(t, said, "mmdebstrap", args)
		said, _ = user.run(append([]string{"demo"}, args...)...)
		require.NotContains(t, said, "Real machines", args)
	}
}

func TestScript_isQuickWhereNothingIsMissing(t *testing.T) {
	m := newMachine(t, 1000)
	for _, program := range []string{"git", "shellcheck"} {
		m.has(program, "")
	}
	start := time.Now()
	said, code := m.run("lint")
	require.Equal(t, 0, code, said)
	require.Empty(t, said)
	require.Less(t, time.Since(start), 2*time.Second)
	said, code = m.run("nothing")
	require.Equal(t, 64, code)
	require.Contains(t, said, "usage: ")
}
