package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// asCommand makes the test binary run as windlass-lab.
const asCommand = "WINDLASS_LAB_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

func TestOpenRC_failsAlsoWhereItIsEvaluated(t *testing.T) {
	out, err := command(t.Context(), "openrc", "--state-dir", t.TempDir()).Output()
	require.Error(t, err)
	require.Error(t, exec.CommandContext(t.Context(), "sh", "-c", string(out)).Run())
}

// process is a process of windlass-lab up.
type process struct {
	t   *testing.T
	dir string
	cmd *exec.Cmd
	out *bytes.Buffer
}

func start(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := &process{t: t, dir: dir, out: &bytes.Buffer{}}
	p.cmd = command(context.Background(),
		append([]string{"up", "--machines", "fake", "--listen", "127.0.0.1:0", "--state-dir", dir}, args...)...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	require.Eventually(t, func() bool { lab, err := running(dir); return err == nil && lab.PID == p.cmd.Process.Pid },
		time.Minute, 20*time.Millisecond)
	return p
}

func (p *process) end(sig syscall.Signal) {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Signal(sig)
		_ = p.cmd.Wait() // Wait returns an error for a killed process
	}
}

func (p *process) openrc(args ...string) map[string]string {
	p.t.Helper()
	out, err := command(p.t.Context(), append([]string{"openrc", "--state-dir", p.dir}, args...)...).Output()
	require.NoError(p.t, err)
	env := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "export ")), "=")
		env[name] = strings.Trim(value, "'")
	}
	return env
}

func (p *process) heat() *gophercloud.ServiceClient {
	p.t.Helper()
	env := p.openrc()
	provider, err := client.AuthenticatedClient(p.t.Context(), gophercloud.AuthOptions{
		IdentityEndpoint: env["OS_AUTH_URL"], Username: env["OS_USERNAME"], Password: env["OS_PASSWORD"],
		TenantName: env["OS_PROJECT_NAME"], DomainName: env["OS_USER_DOMAIN_NAME"],
	})
	require.NoError(p.t, err)
	sc, err := client.NewOrchestrationV1(provider, gophercloud.EndpointOpts{Region: env["OS_REGION_NAME"]})
	require.NoError(p.t, err)
	return sc
}

const group = `
heat_template_version: 2018-08-31
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: 4
      resource_def:
        type: OS::Nova::Server
        properties: {name: "node-%index%", image: debian-12-k8s, flavor: m1.small, networks: [{network: net0}]}
`

func TestKilledLabComesBackAndDownLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lab")
	p := start(t, dir)
	sc := p.heat()
	url := p.openrc()["OS_AUTH_URL"]
	tmpl := new(stacks.Template)
	tmpl.Bin = []byte(group)
	created, err := stacks.Create(t.Context(), sc, stacks.CreateOpts{Name: "s", TemplateOpts: tmpl, Timeout: 5}).Extract()
	require.NoError(t, err)
	p.end(syscall.SIGKILL)

	p = start(t, dir)
	require.Equal(t, url, p.openrc()["OS_AUTH_URL"], "clients know the address")
	require.Eventually(t, func() bool {
		st, err := stacks.Get(t.Context(), sc, "s", created.ID).Extract() // the old token is valid, too
		return err == nil && st.Status == "CREATE_COMPLETE"
	}, 20*time.Second, 50*time.Millisecond)
	res, err := http.Get(strings.TrimSuffix(url, "/identity/v3") + "/lab/resources") //nolint:noctx // a test
	require.NoError(t, err)
	var all map[string][]any
	require.NoError(t, json.NewDecoder(res.Body).Decode(&all))
	require.NoError(t, res.Body.Close())
	require.Len(t, all["servers"], 4)
	out, err := command(t.Context(), "status", "--state-dir", dir).Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "node-3")

	out, err = command(t.Context(), "down", "--state-dir", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, p.cmd.Wait(), "it ended by itself")
	_, err = os.Stat(dir)
	require.ErrorIs(t, err, fs.ErrNotExist)
	out, err = command(t.Context(), "down", "--state-dir", dir).CombinedOutput()
	require.NoError(t, err, "again: %s", out)
}

func TestPasswordsAreSecret(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lab")
	p := start(t, dir)
	demo, admin := p.openrc()["OS_PASSWORD"], p.openrc("--user", "admin")["OS_PASSWORD"]
	require.Greater(t, len(demo), 20)
	require.NotEqual(t, demo, admin)
	stat, err := os.Stat(filepath.Join(dir, passwordFile))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), stat.Mode().Perm())
	p.heat()
	p.end(syscall.SIGTERM)
	for _, secret := range []string{demo, admin} {
		require.NotContains(t, p.out.String(), secret)
		for _, name := range []string{infoFile, databaseFile} {
			b, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.NotContains(t, string(b), secret, name)
		}
	}
	p = start(t, dir)
	require.Equal(t, demo, p.openrc()["OS_PASSWORD"])
	p.end(syscall.SIGTERM)

	require.NoError(t, os.Chmod(filepath.Join(dir, passwordFile), 0o644))
	out, err := command(t.Context(), "up", "--machines", "fake", "--listen", "127.0.0.1:0", "--state-dir",
		dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "Other users can read")
}

func TestOneLabADirectoryButSeveralAHost(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lab")
	first := start(t, dir)
	out, err := command(t.Context(), "up", "--machines", "fake", "--listen", "127.0.0.1:0", "--state-dir",
		dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "Another windlass-lab runs")
	second := start(t, filepath.Join(t.TempDir(), "lab"))
	one, err := readInfo(first.dir)
	require.NoError(t, err)
	two, err := readInfo(second.dir)
	require.NoError(t, err)
	require.NotEqual(t, one.Net0, two.Net0, "their machines do not meet")
}

func TestBadFlagsAreNamedTogether(t *testing.T) {
	o := upOptions{stateDir: t.TempDir(), machines: machinesFake, net0: "nonsense", public: "10.0.0.0/31"}
	_, err := takeSubnets(t.Context(), o)
	require.True(t, lcm.Is(err, lcm.KindInvalid))
	require.ErrorContains(t, err, "--net0")
	require.ErrorContains(t, err, "--public")
	require.ErrorContains(t, up(t.Context(), upOptions{machines: "qemu"}), "qemu")
}
