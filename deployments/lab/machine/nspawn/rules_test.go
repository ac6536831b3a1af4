package nspawn

import (
	"flag"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
)

var update = flag.Bool("update", false, "write golden files")

func golden(t *testing.T, name, have string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(have), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), have)
}

func exampleRules() ruleset {
	return ruleset{
		HostLink: netip.MustParseAddr("169.254.17.5"),
		Ports: []machine.Port{
			{ID: "worker", MAC: "fa:16:3e:00:00:02", FixedIPs: []string{"10.78.0.21"}},
			{
				ID: "control-plane", MAC: "fa:16:3e:00:00:01", FixedIPs: []string{"10.78.0.11"},
				AllowedAddresses: []string{"10.78.0.10", "10.244.0.0/16", "10.244.1.0/24", "10.78.0.11/32", "fd00::10"},
			},
		},
		Floating: []machine.FloatingIP{{ID: "f", Address: "10.78.100.7", FixedIP: "10.78.0.11"}},
	}
}

func TestRules_letAPortSendFromItsOwnAndItsAllowedAddresses(t *testing.T) {
	text, err := exampleRules().render()
	require.NoError(t, err)
	golden(t, "rules.nft", text)

	reordered := exampleRules()
	reordered.Ports[0], reordered.Ports[1] = reordered.Ports[1], reordered.Ports[0]
	again, err := reordered.render()
	require.NoError(t, err)
	require.Equal(t, text, again)
}

func TestRules_areAcceptedByNftables(t *testing.T) {
	if _, err := exec.LookPath("nft"); err != nil || os.Geteuid() != 0 {
		t.Skip("not run: checking rules needs root and nft")
	}
	everything := exampleRules()
	everything.Ports[0].AllowedAddresses = []string{"0.0.0.0/0", "::/0"}
	dual, bare := exampleRules(), exampleRules()
	dual.Ports[0].IPv6 = []string{"fd00::5/64"}
	bare.Ports[0].FixedIPs, bare.Ports[0].AllowedAddresses = nil, nil
	for _, rules := range []ruleset{
		exampleRules(), everything, dual, bare,
		{HostLink: netip.MustParseAddr("169.254.17.5")},
	} {
		text, err := rules.render()
		require.NoError(t, err)
		check := exec.CommandContext(t.Context(), "unshare", "--net", "nft", "--check", "--file", "-")
		check.Stdin = strings.NewReader(text)
		out, err := check.CombinedOutput()
		require.NoError(t, err, "%s\n%s", out, text)
	}
}

func TestPorts_thatCannotBeEnforcedAreRefused(t *testing.T) {
	good := machine.Port{ID: "p", MAC: "fa:16:3e:00:00:02", FixedIPs: []string{"10.78.0.21"}, PrefixLen: 24}
	require.NoError(t, checkPort(good))
	require.NoError(t, checkPort(machine.Port{ID: "p", MAC: good.MAC}), "a port without addresses")
	require.NoError(t, checkPort(machine.Port{ID: "p", MAC: good.MAC, IPv6: []string{"fd00::5/64"}}),
		"a port with IPv6 alone")
	for name, spoil := range map[string]func(*machine.Port){
		"no address":      func(p *machine.Port) { p.FixedIPs = []string{"nowhere"} },
		"rule in IPv6":    func(p *machine.Port) { p.IPv6 = []string{"fd00::1 } accept/64"} },
		"rule in address": func(p *machine.Port) { p.AllowedAddresses = []string{"10.78.0.1 } accept"} },
		"rule in MAC":     func(p *machine.Port) { p.MAC = "fa:16:3e:00:00:02 drop" },
		"path in id":      func(p *machine.Port) { p.ID = "../p" },
		"no prefix":       func(p *machine.Port) { p.PrefixLen = 0 },
	} {
		p := good
		spoil(&p)
		require.Error(t, checkPort(p), name)
	}
}

func TestPortCommands_setAddressesOfIPv6(t *testing.T) {
	port := machine.Port{
		ID: "a", NetworkID: "n1", MAC: "fa:16:3e:00:00:01", FixedIPs: []string{"10.78.0.11"},
		PrefixLen: 24, IPv6: []string{"fd00::5/64"}, Gateway6: "fd00::1",
	}
	_, inside := portCommands("wl-ns", []machine.Port{port})
	require.Contains(t, inside, "addr add 10.78.0.11/24 dev eth0\naddr add fd00::5/64 dev eth0 nodad\nlink set eth0 up\n"+
		"route add ::/0 via fd00::1 dev eth0\n")
	_, again := replugCommands("wl-ns", []device{{Name: "eth0", MAC: port.MAC}}, []machine.Port{port})
	require.Contains(t, again.add, "addr replace fd00::5/64 dev eth0 nodad\n")
	require.Contains(t, again.add, "route replace ::/0 via fd00::1 dev eth0\n")
	rules, err := ruleset{HostLink: netip.MustParseAddr("169.254.17.5"), Ports: []machine.Port{port}}.render()
	require.NoError(t, err)
	require.Contains(t, rules, "ip6 saddr { fd00::5 } accept")
}

func TestPortCommands_useTheFirstGatewayOnly(t *testing.T) {
	outside, inside := portCommands("wl-ns", []machine.Port{
		{
			ID: "a", NetworkID: "n1", MAC: "fa:16:3e:00:00:01", FixedIPs: []string{"10.78.0.11"}, PrefixLen: 24,
			Gateway: "10.78.0.1",
		},
		{
			ID: "b", NetworkID: "n2", MAC: "fa:16:3e:00:00:02", FixedIPs: []string{"10.78.1.11", "10.78.1.12"}, PrefixLen: 24,
			Gateway: "10.78.1.1",
		},
	})
	golden(t, "ports.ip", outside+"---\n"+inside)
}

func TestCgroupMounts_areThoseBelowTheBase(t *testing.T) {
	const mountinfo = `24 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 24 0:26 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw
31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
32 30 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
33 24 0:29 / /elsewhere rw - cgroup cgroup rw,memory
broken line
`
	require.Equal(t, []string{"/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/unified"},
		cgroupMounts(mountinfo, "/sys/fs/cgroup"))
}

func TestCgroup_ofVersion2KeepsTheRunnerOutOfTheMachinesGroup(t *testing.T) {
	v2 := hierarchies{unified: true, roots: []string{"/sys/fs/cgroup"}, lab: "lab"}.machine("m")
	require.Equal(t, []string{"/sys/fs/cgroup/lab/m/runner"}, v2.runner)
	require.Equal(t, "/sys/fs/cgroup/lab/m/machine", v2.freezer())
	v1 := hierarchies{roots: []string{"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/freezer"}, lab: "lab"}.machine("m")
	require.Equal(t, v1.runner, v1.inside)
	require.Equal(t, "/sys/fs/cgroup/freezer/lab/m", v1.freezer())
	require.Equal(t, v1.freezer(), v1.runnerDir())
}

func TestLinkAddress_isLinkLocalAndNeverTheMetadataService(t *testing.T) {
	for _, tag := range []string{"000000", "99d3c4", "ffffff"} {
		host, router := linkAddress(tag, 1), linkAddress(tag, 2)
		require.True(t, host.IsLinkLocalUnicast())
		require.NotEqual(t, byte(169), host.As4()[2])
		require.True(t, netip.PrefixFrom(host, 30).Masked().Contains(router))
		require.NotEqual(t, host, router)
	}
}
