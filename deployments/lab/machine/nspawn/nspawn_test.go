package nspawn_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/machinetest"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/nspawn"
)

// With stateEnv, the test binary is the lab process that TestMachines_surviveTheSuddenDeathOfTheLab kills.
const (
	stateEnv  = "WINDLASS_TEST_LAB_STATE"
	subnetEnv = "WINDLASS_TEST_LAB_SUBNET"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(stateEnv); dir != "" {
		runLab(dir, netip.MustParsePrefix(os.Getenv(subnetEnv)))
		return
	}
	os.Exit(m.Run())
}

// imageDir returns the directory of the node image.
func imageDir() string {
	if dir := os.Getenv("WINDLASS_LAB_IMAGE_DIR"); dir != "" {
		return dir
	}
	return image.DefaultDir
}

func nodeImage(t *testing.T) image.Image {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not run: real machines need root")
	}
	img, ok := image.Find(image.Options{Dir: imageDir()})
	if !ok {
		t.Skipf("not run: no node image of this source in %s; WINDLASS_LAB_BUILD_IMAGE=%[1]s go test "+
			"-C deployments/lab ./image builds it", imageDir())
	}
	return img
}

// stateDir returns a directory on the same file system as the image, so that machines can hard-link its files.
func stateDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "windlass-lab-test-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestDriver_keepsThePromisesOfACloud(t *testing.T) {
	img, dir := nodeImage(t), stateDir(t)
	before := forwarding(t)
	free := freeSubnets(t, 2)
	t.Run("conformance", func(t *testing.T) {
		machinetest.Run(t, machinetest.Subject{
			Open: func(t *testing.T) machine.Hypervisor {
				d, err := nspawn.New(nspawn.Options{StateDir: dir, Image: img, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
				require.NoError(t, err)
				t.Cleanup(func() { _ = d.Close() })
				return d
			},
			CIDR: free[0], Floating: free[1], SSHPort: 22, Shell: true, Services: true,
		})
	})
	requireNothingOf(t, dir)
	require.Equal(t, before, forwarding(t))
}

func freeSubnets(t *testing.T, n int) []netip.Prefix {
	t.Helper()
	free, err := nspawn.FreeSubnets(t.Context(), n)
	require.NoError(t, err)
	return free
}

func labMachine(subnet netip.Prefix) (machine.Network, machine.Machine) {
	gateway := subnet.Addr().Next()
	n := machine.Network{ID: "killed", CIDR: subnet, Gateway: gateway}
	return n, machine.Machine{ID: "survivor", Name: "survivor", Image: "debian", Ports: []machine.Port{{
		ID: "port", NetworkID: n.ID, MAC: "fa:16:3e:00:00:05", FixedIPs: []string{gateway.Next().String()},
		PrefixLen: 24, Gateway: gateway.String(),
	}}}
}

// runLab boots a machine and waits to be killed.
func runLab(dir string, subnet netip.Prefix) {
	img, _ := image.Find(image.Options{Dir: imageDir()})
	d, err := nspawn.New(nspawn.Options{StateDir: dir, Image: img})
	n, m := labMachine(subnet)
	if err == nil {
		err = d.EnsureNetwork(context.Background(), n)
	}
	if err == nil {
		err = d.Create(context.Background(), m)
	}
	if err != nil {
		_, _ = os.Stdout.WriteString("error: " + err.Error() + "\n")
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("booted\n")
	select {}
}

func TestMachines_surviveTheSuddenDeathOfTheLab(t *testing.T) {
	img, dir := nodeImage(t), stateDir(t)
	t.Cleanup(func() { // also if a check below fails
		if d, err := nspawn.New(nspawn.Options{StateDir: dir, Image: img}); err == nil {
			_ = d.Down(context.WithoutCancel(t.Context()))
			_ = d.Close()
		}
	})
	lab := exec.CommandContext(t.Context(), os.Args[0])
	lab.Env = append(os.Environ(), stateEnv+"="+dir, subnetEnv+"="+freeSubnets(t, 1)[0].String())
	out, err := lab.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, lab.Start())
	line := make([]byte, 512)
	n, _ := out.Read(line)
	require.Equal(t, "booted\n", string(line[:n]))
	_, err = nspawn.New(nspawn.Options{StateDir: dir, Image: img})
	require.ErrorContains(t, err, "Another process")
	require.NoError(t, lab.Process.Kill())
	_ = lab.Wait()

	d, err := nspawn.New(nspawn.Options{StateDir: dir, Image: img})
	require.NoError(t, err)
	require.NoError(t, d.Recover(t.Context()))
	state, err := d.State(t.Context(), "survivor")
	require.NoError(t, err)
	require.Equal(t, machine.Running, state)
	require.NoError(t, d.Down(t.Context()))
	require.NoError(t, d.Close())
	requireNothingOf(t, dir)
}

func TestBoot_ofFiveAtOnce(t *testing.T) {
	img, dir := nodeImage(t), stateDir(t)
	d, err := nspawn.New(nspawn.Options{StateDir: dir, Image: img})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	defer func() { require.NoError(t, d.Down(context.WithoutCancel(t.Context()))) }()
	subnet := freeSubnets(t, 1)[0]
	gateway := subnet.Addr().Next()
	address := make([]string, 5)
	for k, last := 0, gateway; k < len(address); k++ {
		last = last.Next()
		address[k] = last.String()
	}
	n := machine.Network{ID: "fast", CIDR: subnet, Gateway: gateway}
	require.NoError(t, d.EnsureNetwork(t.Context(), n))
	began := time.Now()
	var boots errgroup.Group
	for k := range 5 {
		boots.Go(func() error {
			name := fmt.Sprintf("fast-%d", k)
			return d.Create(t.Context(), machine.Machine{ID: name, Name: name, Ports: []machine.Port{{
				ID: name, NetworkID: n.ID, MAC: fmt.Sprintf("fa:16:3e:00:01:%02x", k),
				FixedIPs: []string{address[k]}, PrefixLen: 24, Gateway: gateway.String(),
			}}})
		})
	}
	require.NoError(t, boots.Wait())
	created := time.Since(began)
	for k := range 5 {
		machinetest.AwaitBanner(t, net.JoinHostPort(address[k], "22"))
	}
	requireRefusals(t, gateway.String())
	t.Logf("5 machines created in %s, sshd on all after %s", created.Round(time.Millisecond),
		time.Since(began).Round(time.Millisecond))
}

// requireRefusals asks for names where no resolver listens, more often than Linux answers by itself. Each program that
// misses the refusal waits for five seconds.
func requireRefusals(t *testing.T, gateway string) {
	t.Helper()
	for range 500 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "udp", net.JoinHostPort(gateway, "53"))
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(3*time.Second)))
		_, err = conn.Write([]byte("a question"))
		require.NoError(t, err)
		_, err = conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		require.NoError(t, conn.Close())
	}
}

// requireNothingOf looks in every place where a lab could leave something. Other labs may run on this host.
func requireNothingOf(t *testing.T, dir string) {
	t.Helper()
	mark := regexp.MustCompile(nspawn.Tag(dir) + "|" + regexp.QuoteMeta(filepath.Base(dir)))
	for name, command := range map[string]string{
		"links":      `ip -d link`,
		"routes":     `ip route show table all; ip -6 route show table all`,
		"namespaces": `ip netns; ls /run/netns`,
		"mounts":     `cat /proc/self/mountinfo`,
		"loops":      `losetup --list --noheadings --output NAME,BACK-FILE`,
		"cgroups":    `find /sys/fs/cgroup -type d`,
		"processes":  `ps -eo args | grep -v nspawn.test`,
		"nspawn":     `find /run/systemd/nspawn /run/host 2>/dev/null`,
		"rules":      `nft list ruleset`,
		"files":      `ls -a /var/tmp`,
	} {
		out, _ := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c", command).Output()
		for line := range strings.Lines(string(out)) {
			require.NotRegexp(t, mark, line, "left behind: %s", name)
		}
	}
}

// forwarding returns the host's own setting, which a lab must not change.
func forwarding(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("/proc/sys/net/ipv4/ip_forward")
	require.NoError(t, err)
	return string(b)
}
