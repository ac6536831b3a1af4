package playbook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestPlaybooks_thatLackAreTold(t *testing.T) {
	p := vnfpkgtest.Played(t).With("Other/config.yaml", `
configurable_properties: { plain: x }
vdus:
  worker:
    config:
      vm_app_config:
        type: shell
        instantiation:
          - { command: ls, order: 0 }
          - { path: ../own.yaml, order: 0 }
          - { path: _VAR_vnf_package_path/Scripts/none.yaml, order: first }
`)
	_, err := p.TryOpen()
	require.Equal(t, []string{
		`Other/config.yaml:2: the name of the property "plain" does not begin with _VAR_`,
		`Other/config.yaml:6: the VDU "worker" has no order: give a whole number`,
		`Other/config.yaml:7: is of the type "shell"; Windlass knows ansible and remote-command`,
		`Other/config.yaml:9: is a command; its VDU needs the type remote-command, and a playbook needs a path`,
		`Other/config.yaml:10: "../own.yaml" is not the path of a playbook in the package, such as ` +
			`_VAR_vnf_package_path/Scripts/playbook.yaml`,
		`Other/config.yaml:11: the playbook "_VAR_vnf_package_path/Scripts/none.yaml" has no order: give a whole ` +
			`number`,
		`Other/config.yaml: names the playbook Scripts/none.yaml for the VDU worker (instantiation), which the archive lacks`,
		`Definitions/top.yaml:23: the archive lacks ScriptANSIBLE/config.yaml, which names the playbooks of scale_end`,
	}, vnfpkgtest.Problems(t, err))
}

func TestReadPlaybooks_readsCommands(t *testing.T) {
	config := func(items string) []byte {
		return []byte("vdus:\n  web:\n    config:\n      order: 0\n      vm_app_config:\n        type: remote-command\n" +
			"        termination:\n" + items)
	}
	list, err := playbook.Read("config.yaml", config(
		"          - { command: 'service _VAR_what stop', order: 1 }\n          - { command: sync, order: 0, target_hosts: [db] }\n"))
	require.NoError(t, err)
	require.Equal(t, []playbook.Play{
		{Command: "sync", Targets: []string{"db"}}, {Command: "service _VAR_what stop", Order: 1},
	}, list.Vdus[0].Plays["termination"])
	require.Equal(t, `the command "sync"`, list.Vdus[0].Plays["termination"][0].String())
	_, err = playbook.Read(
		"config.yaml", config("          - { path: Scripts/a.yaml, order: 0 }\n          - { command: ls }\n"),
	)
	require.Equal(t, []string{
		"config.yaml:8: is not a command: a VDU of the type remote-command needs one (command: TEXT)",
		`config.yaml:9: the command "ls" has no order: give a whole number`,
	}, vnfpkgtest.Problems(t, err))
}

// TestPlaybooks_warnsOfWhatHasNoEffect checks warnings about ignored settings. Tacker's own program ignores most of
// them as well.
func TestPlaybooks_warnsOfWhatHasNoEffect(t *testing.T) {
	p := vnfpkgtest.Played(t).With("Other/config.yaml", `vdus:
  worker:
    config:
      order: 0
      vm_app_config:
        execute-host: { host: worker, username: debian, password: none }
        retry_count: 3
        retry_interval: 10
        connection_wait_timeout: 60
        command_execution_wait_timeout: _VAR_patience
        instantiation:
          - path: _VAR_vnf_package_path/Scripts/a.yaml
            order: 0
            ansible_version: ansible-2.11
            execute-host: { host: 192.0.2.1 }
`).With(playbook.File, "vdus: {}").With("Scripts/a.yaml", "[]").Open(t)
	found := map[string]string{}
	for _, w := range p.Warnings {
		if name, instead, is := strings.Cut(w.Detail, " has no effect: "); is {
			found[w.Path+" "+name] = instead
		}
	}
	require.Len(t, found, 7)
	for _, place := range []string{
		"Other/config.yaml:6 execute-host", "Other/config.yaml:7 retry_count", "Other/config.yaml:14 ansible_version",
		"Other/config.yaml:15 execute-host", "Other/config.yaml:10 command_execution_wait_timeout",
	} {
		require.NotEmpty(t, found[place], place)
	}
}

// TestPlaybooks_inTheFormOfTackersSample opens a package whose hooks name only the driver, by a file on Tacker's host.
func TestPlaybooks_inTheFormOfTackersSample(t *testing.T) {
	p := vnfpkgtest.Build(t, "testdata/ansible")
	f, err := p.Vnfd.Flavour("default")
	require.NoError(t, err)
	require.Equal(t, []string{descriptor.DriverAnsible}, f.Drivers())
	hooks := map[string][]string{}
	for at, hook := range f.Hooks {
		hooks[at] = hook.Played
		require.Equal(t, playbook.File, hook.Playbooks, at)
		require.Empty(t, hook.Scripts(), "what Tacker's driver is made of is not run")
	}
	played := []string{"page"}
	require.Equal(t, map[string][]string{
		"instantiate_end": played, "scale_start": played, "scale_end": played, "heal_end": played, "terminate_start": played,
	}, hooks)
	for _, w := range p.Warnings {
		require.Contains(t, w.Detail, "only if the operator allows it")
	}
	text, err := os.ReadFile("testdata/ansible/" + playbook.File)
	require.NoError(t, err)
	list, err := playbook.Read(playbook.File, text)
	require.NoError(t, err)
	require.Equal(t, "_VAR_user", list.Vdus[0].Username)
	require.Len(t, list.Vdus[0].Plays, 5)
	play := list.Vdus[0].Plays["scale-in"][0]
	require.Equal(t, map[string]any{"ansible_password": "_VAR_password", "what": "scale-in"}, play.Params)
	text, err = os.ReadFile("testdata/ansible/" + play.Path)
	require.NoError(t, err)
	require.False(t, playbook.LogsIn(play.Path, text, play.Params), "it is local, whatever users config.yaml names")
}

func TestReadPlaybooks_keepsTheirOrder(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vnfpkgtest.Samples(t), "ansible", playbook.File))
	require.NoError(t, err)
	list, err := playbook.Read(playbook.File, text)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"greeting": "hello"}, list.Variables)
	require.Len(t, list.Vdus, 1)
	plays := list.Vdus[0].Plays["instantiation"]
	require.Len(t, plays, 2)
	require.Equal(t, "Scripts/web.yaml", plays[0].Path)
	require.Equal(t, map[string]any{"greeting": "_VAR_greeting", "license": "_VAR_license"}, plays[0].Params)
}
