//go:build linux && (amd64 || arm64)

package userdata

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hierarchy makes folders as the kernel has them for control groups.
func hierarchy(t *testing.T, self string, dirs ...string) groups {
	t.Helper()
	g := groups{root: t.TempDir(), self: filepath.Join(t.TempDir(), "cgroup"), pid: "42"}
	require.NoError(t, os.WriteFile(g.self, []byte(self), 0o600))
	for _, dir := range dirs {
		require.NoError(t, os.MkdirAll(filepath.Join(g.root, dir), 0o755))
	}
	return g
}

func TestGroups_haveTheFilesOfTheirVersion(t *testing.T) {
	t.Parallel()
	second := [][2]string{{"memory.max", "2147483648"}, {"pids.max", "512"}, {"cpu.max", "100000 100000"}}
	for name, c := range map[string]struct {
		self string
		dirs []string
		want []place // without spare
	}{
		"version 2": {
			"0::/system.slice/windlass.service\n",
			[]string{"system.slice/windlass.service"},
			[]place{{parent: "system.slice/windlass.service", former: "system.slice/windlass.service", limits: second}},
		},
		"version 2, with a group of the worker": {
			"0::/windlass.service/windlass-worker\n",
			[]string{"windlass.service/windlass-worker"},
			[]place{{parent: "windlass.service", former: "windlass.service/windlass-worker", limits: second}},
		},
		"version 2, in a container that sees the host's path": {
			"0::/kubepods/burstable/pod1\n", nil, []place{{parent: "", former: "", limits: second}},
		},
		"version 1": {
			"9:name=systemd:/\n8:pids:/a\n4:memory:/b\n2:cpu,cpuacct:/c\n0::/\n",
			[]string{"pids/a", "memory/b", "cpu,cpuacct/c"},
			[]place{
				{parent: "pids/a", former: "pids/a", limits: [][2]string{{"pids.max", "512"}}},
				{parent: "memory/b", former: "memory/b", limits: [][2]string{{"memory.limit_in_bytes", "2147483648"}}},
				{
					parent: "cpu,cpuacct/c", former: "cpu,cpuacct/c",
					limits: [][2]string{{"cpu.cfs_period_us", "100000"}, {"cpu.cfs_quota_us", "100000"}},
				},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := hierarchy(t, c.self, c.dirs...)
			got, err := g.places()
			require.NoError(t, err)
			require.Len(t, got, len(c.want))
			for i, want := range c.want {
				assert.Equal(t, filepath.Join(g.root, want.parent), got[i].parent)
				assert.Equal(t, filepath.Join(g.root, want.former), got[i].former)
				assert.Equal(t, want.limits, got[i].limits)
			}
		})
	}
	two := hierarchy(t, "0::/system.slice/windlass.service\n", "system.slice/windlass.service")
	require.ErrorContains(t, two.prepare("test"), "DelegateSubgroup=windlass-worker")
	g := hierarchy(t, "4:memory:/\n0::/\n", "memory")
	_, err := g.places()
	require.ErrorContains(t, err, "not all of memory, pids and cpu")
}

// TestGroups_limitARun is on the kernel of this host, if it lets this user make groups.
func TestGroups_limitARun(t *testing.T) {
	g := hostGroups()
	if err := g.prepare("test"); err != nil {
		t.Skip("Control groups are NOT tested: " + err.Error())
	}
	for range 2 { // a second run finds nothing of the first one
		leave, err := g.join("test")
		require.NoError(t, err)
		places, err := g.places()
		require.NoError(t, err)
		for _, p := range places {
			require.True(t, strings.HasSuffix(p.former, groupPrefix+"test"), p.former)
			for _, limit := range p.limits {
				text, err := os.ReadFile(filepath.Join(p.former, limit[0]))
				require.NoError(t, err)
				require.Equal(t, limit[1], strings.TrimSpace(string(text)), limit[0])
			}
		}
		leave()
		for _, p := range places {
			require.NoDirExists(t, p.former)
		}
	}
}
