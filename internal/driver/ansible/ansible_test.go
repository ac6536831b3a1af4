package ansible_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/ansible"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
)

var config = `
vdus:
  web:
    config:
      order: 0
      vm_app_config:
        instantiation:
          - { path: _VAR_vnf_package_path/Scripts/web.yaml, order: 0, params: { who: _VAR_who, deep: { list: [_VAR_VDU_INSTANCE_IP] } } }
`

func flavour() *descriptor.Flavour {
	return &descriptor.Flavour{
		Vdus: []descriptor.Vdu{{ID: "web"}},
		Hooks: map[string]descriptor.Hook{
			"instantiate_end": {Driver: descriptor.DriverAnsible, Playbooks: "config.yaml", Played: []string{"web"}},
			"scale_start":     {Driver: descriptor.DriverAnsible, Playbooks: "config.yaml", Played: []string{"web"}},
			"heal_end":        {Driver: descriptor.DriverAnsible, Playbooks: "config.yaml", Played: []string{"web"}},
		},
	}
}

// problems returns the problems of a request.
func problems(t *testing.T, allowed driver.ScriptsAllowed, params string) []lcm.Problem {
	t.Helper()
	found := &driver.Findings{}
	r := driver.Request{Flavour: flavour(), Found: found, Scripts: allowed}
	r.AdditionalParams = json.RawMessage(params)
	r.Package.Read = func(context.Context, string) ([]byte, error) { return []byte(config), nil }
	bound, wrong := ansible.Driver{}.Bind(r.AdditionalParams)
	require.NoError(t, bound.CheckRequest(t.Context(), r, wrong))
	var e *lcm.Error
	if err := found.Err(); err != nil {
		require.ErrorAs(t, err, &e)
		return e.Problems
	}
	return nil
}

func TestCheckRequest_tellsWhatCannotBePlayed(t *testing.T) {
	runs := driver.ScriptsAllowed{Policy: lcm.ScriptsRun, Ansible: true}
	require.Empty(t, problems(t, runs, `{"who": "me"}`), "texts at the top are variables, as for Tacker's driver")
	require.Empty(t, problems(t, runs, `{"ansible":{"secrets":{"who":"me"}}}`))
	require.Empty(t, problems(t, driver.ScriptsAllowed{Policy: lcm.ScriptsSkipped}, `{}`), "nothing is run")
	require.Len(t, problems(t, driver.ScriptsAllowed{Policy: lcm.ScriptsRefused}, `{}`), 3, "one for each hook")
	for name, c := range map[string]struct {
		allowed driver.ScriptsAllowed
		params  string
		path    string
		says    string
	}{
		"no variable": {runs, `{}`, "$.additionalParams.ansible", "lacks _VAR_who"},
		"no place": {
			driver.ScriptsAllowed{Policy: lcm.ScriptsRun},
			`{"who":"me"}`, "$.additionalParams.ansible.server",
			"is missing: it is the Ansible server",
		},
		"no such VDU": {
			runs, `{"who":"me","ansible":{"servers":{"db":{"username":"a","password":"x"}}}}`,
			"$.additionalParams.ansible.servers.db", "has no VDU",
		},
		"no login": {
			runs, `{"who":"me","ansible":{"server":{"address":"192.0.2.9","username":"a"}}}`,
			"$.additionalParams.ansible.server.password", "give password or private_key",
		},
		"misspelt": {
			runs, `{"who":"me","ansible":{"server":{"address":"192.0.2.9","username":"a","password":"x","ssh_prt":22}}}`,
			"$.additionalParams.ansible.server.ssh_prt", "did you mean ssh_port?",
		},
	} {
		got := problems(t, c.allowed, c.params)
		require.Len(t, got, 1, "%s: %v", name, got)
		require.Equal(t, c.path, got[0].Path, name)
		require.Contains(t, got[0].Detail, c.says, name)
	}
}

func TestCheckRequest_supposesWhatTheVIMWillTell(t *testing.T) {
	all := config
	defer func() { config = all }()
	config = strings.Replace(all, "_VAR_who", "_VAR_vnf_resource.CPNAME_LIST of _VAR_resource.web.first_address", 1)
	runs := driver.ScriptsAllowed{Policy: lcm.ScriptsRun, Ansible: true}
	require.Empty(t, problems(t, runs, `{}`))
	config = strings.Replace(all, "_VAR_who", "_VAR_vnf_resource.NAMES of _VAR_resource.web", 1)
	found := problems(t, runs, `{}`)
	require.Len(t, found, 1)
	require.Contains(t, found[0].Detail, "lacks _VAR_resource.web, _VAR_vnf_resource.NAMES. Give the missing values")
}

func TestSteps_areAtTheHooksOfTacker(t *testing.T) {
	a := &ansible.Ansible{}
	f := lifecycle.Facts{Flavour: flavour(), Scripts: lcm.ScriptsRun}
	titles := func(op lcm.Operation, at lifecycle.Hook, p lcm.Plan) (out []string) {
		p.Operation = op
		for _, s := range a.Steps(at, f, p) {
			out = append(out, s.Title)
		}
		return out
	}
	leaving := lcm.Plan{Leaving: []lcm.LeavingVnfc{{ServerID: "s"}}}
	require.Equal(t, []string{"Run the package's playbooks for web (instantiation)"},
		titles(lcm.OpInstantiate, lifecycle.InstantiateEnd, lcm.Plan{}))
	require.Equal(t, []string{"Run the package's playbooks for web (scale-in)"},
		titles(lcm.OpScale, lifecycle.ScaleBegin, leaving))
	require.Empty(t, titles(lcm.OpScale, lifecycle.ScaleBegin, lcm.Plan{}), "nothing leaves")
	require.Empty(t, titles(lcm.OpScale, lifecycle.ScaleDone, lcm.Plan{}), "the VNFD has nothing there")
	require.Equal(t, []string{"Run the package's playbooks for web (healing)"},
		titles(lcm.OpHeal, lifecycle.InstantiateEnd, lcm.Plan{}), "of an entire VNF")
	f.Scripts = lcm.ScriptsSkipped
	require.Equal(t, []string{"Skip the package's playbooks for web (instantiation): scripts.policy does not run them"},
		titles(lcm.OpInstantiate, lifecycle.InstantiateEnd, lcm.Plan{}))
	f.Scripts = lcm.ScriptsRefused
	require.ErrorContains(t, a.Check(f, lcm.Plan{Operation: lcm.OpHeal}), "heal_end")
	require.NoError(t, a.Check(f, lcm.Plan{Operation: lcm.OpTerminate}))
}

// TestSteps_haveTitlesThatTemporalTakes has a package with many VDUs: Temporal would list its operation as running for
// ever.
func TestSteps_haveTitlesThatTemporalTakes(t *testing.T) {
	f := lifecycle.Facts{Flavour: flavour(), Scripts: lcm.ScriptsRun, Drivers: []lifecycle.VnfDriver{&ansible.Ansible{}}}
	hook := f.Flavour.Hooks["instantiate_end"]
	for i := range 40 {
		hook.Played = append(hook.Played, fmt.Sprintf("vdu-für-alle-%d", i))
	}
	f.Flavour.Hooks["instantiate_end"] = hook
	longest := 0
	for _, s := range lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpInstantiate}) {
		require.True(t, utf8.ValidString(s.Title), s.Title)
		longest = max(longest, len(s.Title))
	}
	require.Greater(t, longest, 190, "it is the playbooks' step")
	require.LessOrEqual(t, longest, 200)
}

func TestMake_fillsVariablesInAnyDepth(t *testing.T) {
	list, err := playbook.Read("config.yaml", []byte(config))
	require.NoError(t, err)
	told := ansible.Told{
		Vdu: list.Vdus[0], Action: "instantiation", Address: "192.0.2.1",
		Addresses: map[string][]string{"web": {"192.0.2.1"}, "db": {"192.0.2.7", "192.0.2.8"}},
		Variables: map[string]string{"who": "_VAR_who {{ is }} me"},
		Login:     ansible.Login{Username: "debian", Key: "A KEY"},
	}
	told.Vdu.NodePair = "db"
	told.Vdu.Plays["instantiation"][0].Targets = []string{"db", "192.0.2.1"}
	run, err := told.Make()
	require.NoError(t, err)
	require.JSONEq(t, `{"host": "192.0.2.1", "web": "192.0.2.1", "db": ["192.0.2.7", "192.0.2.8"], "node_pair_ip":
		"192.0.2.7,192.0.2.8", "who": {"__ansible_unsafe": "_VAR_who {{ is }} me"}, "deep": {"list": ["192.0.2.1"]}, "ansible_ssh_user": "debian",
		"ansible_ssh_private_key_file": "{{ windlass_key }}"}`, string(run.Variables))
	require.Equal(t, "192.0.2.7\n192.0.2.8\n192.0.2.1\n", run.Inventory)
	require.Equal(t, "Scripts/web.yaml", run.Playbook)

	told.Login = ansible.Login{}
	told.Vdu.Username, told.Vdu.KeyFile = "root", "/home/somebody/key"
	_, err = told.Make()
	require.ErrorContains(t, err, `give ansible.servers.web.private_key`)
	told.Vdu.KeyFile = "_VAR_vnf_package_path/keys/id"
	run, err = told.Make()
	require.NoError(t, err)
	require.Contains(t, string(run.Variables), `"{{ windlass_package }}/keys/id"`)
}

// TestMake_takesNoTemplateOfAStranger has values of the package, which may be templates, and values of a request and of
// a VIM, which would run commands on the Ansible server.
func TestMake_takesNoTemplateOfAStranger(t *testing.T) {
	const theirs = "{{ lookup('pipe', 'id') }}"
	play := playbook.Play{Path: "Scripts/web.yaml", Params: map[string]any{
		"own": "{{ inventory_hostname }}", "set": "_VAR_set", "who": "_VAR_who", "name": "x-_VAR_resource.web.name",
		"joined": "{_VAR_half}", "plain": "_VAR_word and {{ own }}",
	}}
	told := ansible.Told{
		Vdu:    playbook.Vdu{Vdu: "web", Plays: map[string][]playbook.Play{"instantiation": {play}}},
		Action: "instantiation", Address: "192.0.2.1", Addresses: map[string][]string{"web": {"192.0.2.1"}},
		Variables: map[string]string{
			"set": "{{ own }}", "who": theirs, "resource.web.name": theirs, "half": "{ 7*7 }", "word": "hello",
		},
		Package: map[string]string{"set": "{{ own }}", "who": "nobody"},
		Login:   ansible.Login{Username: theirs},
	}
	run, err := told.Make()
	require.NoError(t, err)
	require.JSONEq(t, `{"host": "192.0.2.1", "web": "192.0.2.1", "own": "{{ inventory_hostname }}", "set": "{{ own }}",
		"who": {"__ansible_unsafe": "{{ lookup('pipe', 'id') }}"}, "name": {"__ansible_unsafe":
		"x-{{ lookup('pipe', 'id') }}"}, "joined": {"__ansible_unsafe": "{{ 7*7 }}"}, "plain": "hello and {{ own }}",
		"ansible_ssh_user": {"__ansible_unsafe": "{{ lookup('pipe', 'id') }}"}}`, string(run.Variables))

	for _, target := range []string{"192.0.2.1\n[all:vars]\nansible_connection=local", "a ansible_host=b", theirs} {
		told.Variables["where"] = target
		told.Vdu.Plays["instantiation"][0].Targets = []string{"_VAR_where"}
		_, err = told.Make()
		require.ErrorContains(t, err, "lacks the address of a host in place of", target)
	}
	told.Vdu.Plays["instantiation"][0].Targets = nil
	told.Address = "2001:db8::1%x ansible_connection=local"
	_, err = told.Make()
	require.ErrorContains(t, err, "lacks the address of a host in place of", "of the VIM")
	told.Address = "192.0.2.1"

	for text, value := range map[string]string{
		"{{ '_VAR_motd' | b64encode }}": "' + lookup('pipe','id') + '", "{_VAR_motd{ own }}": "{{ lookup('pipe','id') }}",
	} {
		told.Vdu.Plays["instantiation"][0].Params["inner"], told.Variables["motd"] = text, value
		run, err = told.Make()
		if err == nil {
			require.Contains(t, string(run.Variables), `"inner":{"__ansible_unsafe"`, text)
			continue
		}
		require.ErrorContains(t, err, "lacks another value of _VAR_motd", text)
	}
	told.Vdu.Plays["instantiation"][0].Params["inner"] = "{{ '_VAR_motd' | b64encode }}"
	told.Variables["motd"] = "welcome to web-1.example"
	run, err = told.Make()
	require.NoError(t, err, "a plain value may be a part of the package's template")
	require.Contains(t, string(run.Variables), "{{ 'welcome to web-1.example' | b64encode }}")
	told.Vdu.Plays["instantiation"][0].Targets = []string{"_VAR_where"}
	told.Variables["where"] = "192.0.2.9 db-1.example fd00::9"
	run, err = told.Make()
	require.NoError(t, err)
	require.Equal(t, "192.0.2.9\ndb-1.example\nfd00::9\n", run.Inventory)
}

func TestMake_runsACommandByAPlaybookOfItsOwn(t *testing.T) {
	told := ansible.Told{
		Vdu: playbook.Vdu{Vdu: "web", Plays: map[string][]playbook.Play{"termination": {
			{Command: "docker ps --format '{{.ID}}' --token _VAR_token"},
		}}},
		Action: "termination", Address: "192.0.2.1", Addresses: map[string][]string{"web": {"192.0.2.1"}},
		Variables: map[string]string{"token": "hunter2"},
	}
	_, err := told.Make()
	require.ErrorContains(t, err, "The command \"docker ps --format '{{.ID}}' --token _VAR_token\" for web lacks a user for SSH: "+
		"give ansible.servers.web.")
	told.Login = ansible.Login{Username: "debian"}
	run, err := told.Make()
	require.NoError(t, err)
	require.JSONEq(t, `{"host": "192.0.2.1", "web": "192.0.2.1", "ansible_ssh_user": "debian",
		"windlass_command": {"__ansible_unsafe": "docker ps --format '{{.ID}}' --token hunter2"}}`, string(run.Variables))
	require.JSONEq(t, `[{"name": "A command of the package", "hosts": "all", "gather_facts": false, "tasks": [
		{"name": "docker ps --format '{ {.ID}}' --token _VAR_token", "ansible.builtin.raw": "{{ windlass_command }}",
			"register": "windlass_said"},
		{"name": "Its output", "ansible.builtin.debug": {"msg": "{{ windlass_said.stdout_lines }}"},
			"when": "windlass_said.stdout_lines | length > 0"}]}]`, string(run.Files[run.Playbook]), "no secret is in it")
}

func TestResources_areThoseThatTheRunNames(t *testing.T) {
	told := ansible.Told{
		Vdu: playbook.Vdu{Vdu: "web", Username: "_VAR_user", Plays: map[string][]playbook.Play{"healing": {{
			Path: "a.yaml", Targets: []string{"_VAR_resource.CP1.fixed_ips.0.ip_address"},
			Params: map[string]any{
				"names": "_VAR_vnf_resource.VDUNAME_LIST and _VAR_vnf_resource.NO_LIST", "given": "_VAR_resource.CP1.id",
				"deep": map[string]any{"list": []any{"_VAR_resource.CP1.mac_address", 7}},
			},
		}}}},
		Action: "healing", Variables: map[string]string{"resource.CP1.id": "of the request"},
	}
	require.Equal(t, []string{
		"resource.CP1.fixed_ips.0.ip_address", "resource.CP1.mac_address", "vnf_resource.NO_LIST", "vnf_resource.VDUNAME_LIST",
	}, told.Resources())
}

func TestAttribute_isWrittenAsByTacker(t *testing.T) {
	var attributes map[string]any
	require.NoError(t, json.Unmarshal([]byte(`{"id": "4711", "port": 8080, "up": true, "none": null, "names": ["b", "a"],
		"addresses": {"net2": [], "net1": [{"addr": "192.0.2.7"}]}}`), &attributes))
	for path, want := range map[string]string{
		"id": "4711", "port": "8080", "up": "true", "names": "b,a", "names.1": "a", "addresses": "net1,net2",
		"addresses.net1": `{"addr":"192.0.2.7"}`, "addresses.net1.0.addr": "192.0.2.7",
	} {
		got, ok := ansible.Attribute(attributes, path)
		require.True(t, ok, path)
		require.Equal(t, want, ansible.AttributeText(got), path)
	}
	for _, path := range []string{"", "none", "id.more", "names.2", "names.x", "nothing"} {
		_, ok := ansible.Attribute(attributes, path)
		require.False(t, ok, path)
	}
}
