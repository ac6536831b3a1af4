package model

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	scriptsVnfdID   = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e37"
	playbooksVnfdID = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e38"
)

// hooked creates the package of servers, with the hooks of a folder in its VNFD, and the files of that folder.
func hooked(t *testing.T, bed *testbed.Bed, folder, id string) {
	t.Helper()
	const last = "        vnfm_info: [ Windlass ]\n"
	from := filepath.Join(bed.Root, "tests/suites/model", folder)
	hooks, err := os.ReadFile(filepath.Join(from, "hooks.yaml"))
	require.NoError(t, err)
	dir := bed.ChangedPackage(t, serverPackage, strings.NewReplacer(vnfdID, id, last, last+string(hooks)))
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	require.NoError(t, os.Remove(filepath.Join(dir, "hooks.yaml")))
	bed.Onboard(t, dir)
}

// ofVDU1 returns how the scripts log in to servers of VDU1.
func ofVDU1() map[string]any {
	return map[string]any{"VDU1": map[string]any{"username": "debian", "password": testbed.NodePassword}}
}

// alone is the base of kinds of work whose VNFs have only servers of one VDU.
type alone struct{}

func (alone) connects() bool                                    { return true }
func (alone) heals() []string                                   { return []string{"VDU1"} }
func (alone) size(level int) int                                { return 1 + level }
func (alone) wrong(*testing.T, *walker, vnf, []server) []string { return nil }

// scripts are the scripts of the package. Each server records which scripts were run on it.
type scripts struct{ alone }

func (scripts) params(*walker) map[string]any {
	return map[string]any{"scripts": map[string]any{"servers": ofVDU1(), "timeouts": map[string]any{"ssh": 20}}}
}

func (scripts) runs(t *testing.T, w *walker, servers []server) runs {
	t.Helper()
	out := runs{}
	for _, s := range servers {
		for _, text := range files(t, w.bed, s.id, "/var/lib/windlass/package-scripts") {
			for line := range strings.Lines(text) {
				hook, _, _ := strings.Cut(line, " ")
				out[s.id+" "+hook]++
			}
		}
	}
	return out
}

func (scripts) due(op opView, before, after ground) runs {
	out := runs{}
	add := func(servers []server, hook string) {
		for _, s := range servers {
			out[s.id+" "+hook]++
		}
	}
	switch op.Operation {
	case lcm.OpInstantiate:
		add(after.servers, "instantiate_end")
	case lcm.OpScale, lcm.OpScaleToLevel:
		add(staying(before, after), "scale_start")
		add(after.servers, "scale_end")
	case lcm.OpHeal:
		add(after.servers, "heal_end")
	case lcm.OpOperate:
		add(after.servers, map[lcm.VnfState]string{lcm.VnfStopped: "operate_start", lcm.VnfStarted: "operate_end"}[op.Params.ChangeStateTo])
	case lcm.OpModifyInfo:
		add(after.servers, "modify_information_end")
	case lcm.OpChangeExtConn:
		add(after.servers, "change_external_connectivity_end")
	default: // a terminated server records nothing, and CHANGE_VNFPKG needs containers
	}
	return out
}

// playbooks are the playbooks of the package. Each walker has an Ansible server, which records what it has played.
type playbooks struct {
	alone

	machines map[string]kubespray.Machine // by the walkers' names
}

func (p playbooks) params(w *walker) map[string]any {
	return map[string]any{"ansible": map[string]any{
		"servers": ofVDU1(), "timeouts": map[string]any{"ssh": 20}, "server": map[string]any{
			"address": p.machines[w.namespace].Address, "ssh_port": 2222, "username": "debian", "password": testbed.NodePassword,
		},
	}}
}

func (p playbooks) runs(t *testing.T, w *walker, _ []server) runs {
	t.Helper()
	out := runs{}
	for _, text := range files(t, w.bed, p.machines[w.namespace].ID, "/var/lib/windlass/playbooks") {
		for line := range strings.Lines(text) {
			out[strings.TrimSpace(line)]++
		}
	}
	return out
}

func (playbooks) due(op opView, before, after ground) runs {
	out := runs{}
	add := func(servers []server, action string) {
		for _, s := range servers {
			out["Scripts/"+action+".yaml for "+s.address]++
		}
	}
	switch op.Operation {
	case lcm.OpInstantiate:
		add(after.servers, "instantiation")
	case lcm.OpScale, lcm.OpScaleToLevel:
		add(coming(before, after), "scale-out")
		add(coming(after, before), "scale-in")
	case lcm.OpHeal:
		add(coming(before, after), "healing")
	case lcm.OpTerminate:
		// Windlass does not play playbooks for servers that are switched off and will be deleted.
		if !before.vnf.stopped {
			add(before.servers, "termination")
		}
	default: // the other operations play nothing
	}
	return out
}
