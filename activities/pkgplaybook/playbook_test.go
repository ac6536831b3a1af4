package pkgplaybook_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/ansible"
	"github.com/windlass-nfv/windlass/internal/driver/vdu"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/scripts"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

const playedConfig = `
configurable_properties: { _VAR_greeting: hello }
vdus:
  web:
    config:
      order: 0
      vm_app_config:
        username: _VAR_user
        password: _VAR_login
        instantiation:
          - path: _VAR_vnf_package_path/Scripts/web.yaml
            order: 0
            params: { greeting: _VAR_greeting, license: _VAR_license }
`

// playedSite is a VNF with a server for which a playbook is played.
type playedSite struct {
	activitytest.Site
	fake     *activitytest.FakeSite
	shown    *activitytest.Output
	driver   *ansible.Ansible
	work     *pkgplaybook.Playbooks
	input    pkgplaybook.PlayInput
	pins     []error
	pinned   int
	here     []scripts.PlayInput
	followed []string
	playbook string
}

func newPlayedSite(t *testing.T) *playedSite {
	t.Helper()
	s, fake, _, shown := activitytest.NewFake(t, 0, 1, nil)
	p := &playedSite{Site: s, fake: fake, shown: shown, playbook: "[]", driver: &ansible.Ansible{
		Params: ansible.Params{
			Server:  &ansible.Server{Address: "192.0.2.9", Port: 22, Username: "ansible"},
			Secrets: map[string]lcm.Secret{"license": {Clear: "hunter2"}, "login": {Clear: "of the server"}},
		},
		Given: map[string]lcm.Secret{"user": {Clear: "debian"}},
	}}
	vnf := s.Reach.Vnfs.(*activitytest.FixedVnf)
	vnf.Context.Drivers = []lifecycle.VnfDriver{p.driver}
	vnf.Context.PackageFile = func(context.Context, string) ([]byte, error) { return []byte(playedConfig), nil }
	fake.Nodes["here"] = &activitytest.FakeNode{Site: fake, Node: lcm.Node{Name: "here"}, Files: map[string]string{}}
	fake.Nodes["ansible"] = &activitytest.FakeNode{Site: fake, Node: lcm.Node{Name: "ansible"}, Files: map[string]string{}}
	node := s.Nodes[0]
	node.VduID = "web"
	p.input = pkgplaybook.PlayInput{NodeInput: s.Tracked(node), Hook: "instantiate_end", All: lcm.Nodes{node}}
	p.work = &pkgplaybook.Playbooks{
		Reach: s.Reach, Facts: p, Keys: pinnedKeys{}, Servers: p, Here: workerHost{p}, Lists: activitytest.ServerLists{},
		SSHPort: func(context.Context, lcm.OpOccID) (int, error) { return 2222, nil },
	}
	return p
}

func (p *playedSite) PlannedFor(context.Context, lcm.OpOccID) (*descriptor.Flavour, lcm.Plan, error) {
	return &descriptor.Flavour{
		Vdus:  []descriptor.Vdu{{ID: "web", MaxInstances: 3}},
		Hooks: map[string]descriptor.Hook{"instantiate_end": {Playbooks: "config.yaml", Played: []string{"web"}}},
	}, lcm.Plan{Operation: lcm.OpInstantiate}, nil
}

func (p *playedSite) SmallFiles(context.Context, lcm.VnfPkgID) (map[string][]byte, error) {
	return map[string][]byte{"Scripts/web.yaml": []byte(p.playbook), "Files/images/small.img": []byte("x")}, nil
}

func (p *playedSite) Pin(context.Context, lcm.OpOccID, lcm.Node) error {
	p.pinned++
	if len(p.pins) == 0 {
		return nil
	}
	err := p.pins[0]
	p.pins = p.pins[1:]
	return err
}

// workerHost is the host of the worker, a machine of the fake site.
type workerHost struct{ *playedSite }

func (h workerHost) Connect() (reach.Host, error) { return h.fake.Nodes["here"], nil }

func (h workerHost) Name() (string, error) { return "host-1", nil }

func (h workerHost) Patience() time.Duration { return time.Minute }

func (h workerHost) Script(playbook string) (scripts.PlayHere, error) {
	return scripts.PlayHere{Program: "/bin/windlass", As: "child", Playbook: playbook}, nil
}

func (h workerHost) Input(in scripts.PlayInput) ([]byte, error) {
	h.here = append(h.here, in)
	return in.Stdin()
}

func (h workerHost) Follow(id string) (string, func(), error) {
	h.followed = append(h.followed, id)
	return "/claims/" + id, func() { h.followed = h.followed[1:] }, nil
}

func TestPlay_hasSecretsInItsInputOnly(t *testing.T) {
	p := newPlayedSite(t)
	for range 2 {
		activitytest.Must(t, p.work.Play, p.input)
	}
	require.Len(t, p.fake.Ran, 1, "its end is found again")
	clear(p.fake.Nodes["ansible"].Ended)
	activitytest.Must(t, p.work.Play, p.input)
	require.Len(t, p.fake.Ran, 2)
	ran := p.fake.Ran[0]
	assert.Equal(t, ran.Stdin, p.fake.Ran[1].Stdin, "a run that is begun again is the same")
	assert.False(t, ran.Sudo)
	_, params := activitytest.ReadScript(ran.Script)
	assert.Equal(t, map[string]string{"PLAYBOOK": "Scripts/web.yaml", "PASSWORD": "yes"}, params)
	stdin := activitytest.ReadStdin(ran.Stdin)
	address := p.input.Node.SSHAddress
	assert.Equal(t, address+" ansible_port=2222\n", stdin["inventory"])
	assert.Contains(t, stdin["known_hosts"], "["+address+"]:2222 ssh-ed25519 ")
	var variables map[string]any
	require.NoError(t, json.Unmarshal([]byte(stdin["variables"]), &variables))
	unsafe := map[string]any{"__ansible_unsafe": "of the server"}
	assert.Equal(t, map[string]any{
		"host": address, "web": []any{address}, "greeting": "hello", "license": "hunter2",
		"ansible_ssh_user": "debian", "ansible_ssh_pass": unsafe, "ansible_become_pass": unsafe,
	}, variables)
	assert.Subset(t, ran.Mask, []string{"hunter2", "of the server"})
	assert.NotContains(t, ran.Script, "hunter2")
}

func TestPlay_runsWhereTheWorkerIsWithoutAnAnsibleServer(t *testing.T) {
	p := newPlayedSite(t)
	p.driver.Params.Server = nil
	for range 2 {
		activitytest.Must(t, p.work.Play, p.input)
	}
	require.Len(t, p.fake.Ran, 1, "its end is found again")
	ran := p.fake.Ran[0]
	assert.Equal(
		t,
		map[string][]byte{"Scripts/web.yaml": []byte("[]")},
		p.here[0].Package,
		"images are no files of playbooks",
	)
	assert.Subset(t, ran.Mask, []string{"hunter2", "of the server"})
	assert.False(t, ran.Sudo)
	assert.Contains(t, ran.Script, "/claims/"+ran.ID)
	assert.NotContains(t, ran.Script, "hunter2")
	assert.Empty(t, p.followed, "what has ended is not followed")

	clear(p.fake.Nodes["here"].Ended)
	p.fake.Fail["play-here"] = []error{lcm.Errorf(lcm.KindBroken, "Scripts/web.yaml failed.")}
	_, err := activitytest.Do(t, p.work.Play, p.input)
	require.ErrorContains(t, err, "Scripts/web.yaml failed.")
	p.work.Here = nil
	_, err = activitytest.Do(t, p.work.Play, p.input)
	require.ErrorContains(t, err, "set scripts.ansible, or roll back and give ansible.server")
}

// heard hears the lines of all steps.
type heard func(line string)

func (h heard) Lines(context.Context, lcm.StepRef) func(string) { return h }

// TestPlay_waitsForRoomOnTheWorkersHost has a host that runs one playbook at once.
func TestPlay_waitsForRoomOnTheWorkersHost(t *testing.T) {
	p := newPlayedSite(t)
	p.driver.Params.Server = nil
	p.work.Room = make(chan struct{}, 1)
	p.work.Room <- struct{}{}
	waited := false
	p.work.Reach.Output = heard(func(line string) {
		if strings.Contains(line, "The playbook waits: 1 playbooks run on the worker's host") {
			require.Empty(t, p.fake.Ran)
			waited = true
			<-p.work.Room // the other one ends
		}
	})
	activitytest.Must(t, p.work.Play, p.input)
	require.True(t, waited)
	require.Len(t, p.fake.Ran, 1)
	require.Empty(t, p.work.Room, "its place is free again")
}

// describingCloud is a VIM that returns attributes of resources.
type describingCloud struct {
	activitytest.FakeCloud

	asked []string
}

func (c *describingCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

func (c *describingCloud) Inventory(context.Context, string) (*vim.Inventory, error) {
	inner := vim.Resource{Name: "inner", VimType: "OS::Nova::Server", ID: "9", Part: "member"}
	return &vim.Inventory{ID: "top", Resources: []vim.Resource{
		inner,
		{Name: "web", VimType: "OS::Nova::Server", Part: "top"},
		{Name: "net", VimType: "OS::Neutron::Net", Part: "top"},
		{Name: "db", VimType: "OS::Nova::Server", Part: "top"},
	}}, nil
}

func (c *describingCloud) Attributes(_ context.Context, name, owner, resource string) (map[string]any, error) {
	c.asked = append(c.asked, name+" "+owner+" "+resource)
	if resource != "web" {
		return nil, lcm.Errorf(lcm.KindNotFound, "There is no resource %s.", resource)
	}
	return map[string]any{
		"first_address": "192.0.2.7", "admin_pass": "of the machine",
		"alarm_url": "https://heat.example/signal?Signature=x", "password": map[string]any{"of": "root", "is": "abc123"},
		"users": []any{map[string]any{"name": "root", "admin_pass": "of a user"}},
	}, nil
}

func TestPlay_fillsInWhatTheVIMTells(t *testing.T) {
	p := newPlayedSite(t)
	cloud := &describingCloud{}
	p.work.Cloud = resources.Cloud{VIMs: cloud, Deployments: activitytest.FixedDeployment{}}
	config := playedConfig
	vnf := p.Reach.Vnfs.(*activitytest.FixedVnf)
	vnf.Context.PackageFile = func(context.Context, string) ([]byte, error) { return []byte(config), nil }
	config = strings.Replace(config, "{ greeting: _VAR_greeting,", "{ names: _VAR_vnf_resource.VDUNAME_LIST, at: "+
		"_VAR_resource.web.first_address, as: _VAR_resource.web.admin_pass, alarm: _VAR_resource.web.alarm_url, deep: _VAR_resource.web.password.is, users: _VAR_resource.web.users,", 1)
	for range 2 {
		activitytest.Must(t, p.work.Play, p.input)
	}
	var variables map[string]any
	require.NoError(t, json.Unmarshal([]byte(activitytest.ReadStdin(p.fake.Ran[0].Stdin)["variables"]), &variables))
	assert.Equal(t, "db,web", variables["names"], "those at the top of the deployment")
	assert.Equal(t, "192.0.2.7", variables["at"])
	assert.Equal(t, "of the machine", variables["as"])
	assert.Subset(
		t, p.fake.Ran[0].Mask, []string{"of the machine", "https://heat.example/signal?Signature=x", "abc123", "of a user"},
	)
	assert.JSONEq(t, `{"name":"root","admin_pass":"of a user"}`, variables["users"].(string))
	assert.NotContains(t, p.fake.Ran[0].Mask, "192.0.2.7")
	assert.NotContains(t, p.fake.Ran[0].Mask, "root")
	assert.Equal(t, "vnf-1 owner-1 web", cloud.asked[0])
	assert.Len(t, cloud.asked, 2, "once in each run")

	config = strings.Replace(config, "resource.web.first", "resource.db.first", 1)
	_, err := activitytest.Do(t, p.work.Play, p.input)
	require.ErrorContains(t, err, "The playbook Scripts/web.yaml for web lacks _VAR_resource.db.first_address.")
	cloud.Status = ""
	p.work.Cloud.VIMs = &activitytest.FakeCloud{}
	_, err = activitytest.Do(t, p.work.Play, p.input)
	activitytest.AssertKind(t, err, lcm.KindInvalid,
		"cannot show the attributes of a resource, which _VAR_resource.db.first_address needs")
}

func TestPlay_runsACommand(t *testing.T) {
	p := newPlayedSite(t)
	vnf := p.Reach.Vnfs.(*activitytest.FixedVnf)
	vnf.Context.PackageFile = func(context.Context, string) ([]byte, error) {
		return []byte(
			"vdus: { web: { config: { order: 0, vm_app_config: { type: remote-command, username: debian, password: " +
				"_VAR_login, instantiation: [{ command: echo _VAR_license, order: 0 }] } } } }",
		), nil
	}
	for range 2 {
		activitytest.Must(t, p.work.AwaitServer, p.input)
		activitytest.Must(t, p.work.Play, p.input)
	}
	require.Equal(t, 2, p.pinned, "a command needs the server")
	require.Len(t, p.fake.Ran, 1, "its end is found again")
	_, params := activitytest.ReadScript(p.fake.Ran[0].Script)
	assert.Equal(t, "windlass-command.yaml", params["PLAYBOOK"])
	stdin := activitytest.ReadStdin(p.fake.Ran[0].Stdin)
	assert.Contains(t, stdin["variables"], `"windlass_command":{"__ansible_unsafe":"echo hunter2"}`)
	p.driver.Params.Server = nil
	activitytest.Must(t, p.work.Play, p.input)
	assert.Contains(t, string(p.here[0].Package["windlass-command.yaml"]), `"name":"echo _VAR_license"`)
	assert.NotContains(t, string(p.here[0].Package["windlass-command.yaml"]), "hunter2")
}

func TestPlay_passesOverAnAnsibleServerThatIsGone(t *testing.T) {
	p := newPlayedSite(t)
	gone := lcm.Errorf(lcm.KindUnavailable, "ansible: no answer")
	p.fake.Fail["dial ansible"] = []error{gone, gone}
	_, err := activitytest.Do(t, p.work.Play, p.input)
	activitytest.AssertKind(t, err, lcm.KindUnavailable, "no answer")
	p.input.PassOver = true
	assert.True(t, activitytest.Must(t, p.work.Play, p.input).PassedOver)
}

func TestPlay_tellsWhichVariablesLack(t *testing.T) {
	p := newPlayedSite(t)
	p.driver.Params.Secrets = nil
	_, err := activitytest.Do(t, p.work.Play, p.input)
	require.ErrorContains(t, err, "The playbook Scripts/web.yaml for web lacks _VAR_license, _VAR_login.")
	p.driver.Params.Servers = vdu.Logins{"web": {Username: "debian", Password: lcm.Secret{Clear: "own"}}}
	_, err = activitytest.Do(t, p.work.Play, p.input)
	require.ErrorContains(t, err, "lacks _VAR_license.", "the request's login goes before that of config.yaml")
}

func TestAwaitServer_waitsForWhatComesAndNotForWhatLeaves(t *testing.T) {
	p := newPlayedSite(t)
	away := lcm.Errorf(lcm.KindUnavailable, "web: no answer")
	p.pins = []error{away, away}
	for range 2 {
		activitytest.Must(t, p.work.AwaitServer, p.input)
	}
	require.Equal(t, 4, p.pinned, "three looks, and one")
	require.Len(t, p.shown.Shown, 1, "a reason is told once")
	require.Contains(t, p.shown.Shown[0], "web: no answer")
	p.pins = []error{away}
	p.input.PassOver = true
	require.True(t, activitytest.Must(t, p.work.AwaitServer, p.input).PassedOver)
	require.Equal(t, 5, p.pinned)
}

func TestAwaitServer_waitsForNoneWhereThePlaybookIsLocal(t *testing.T) {
	p := newPlayedSite(t)
	vnf := p.Reach.Vnfs.(*activitytest.FixedVnf)
	vnf.Context.PackageFile = func(_ context.Context, name string) ([]byte, error) {
		if name == "Scripts/web.yaml" {
			return []byte("- { hosts: 127.0.0.1, connection: local }"), nil
		}
		return []byte(playedConfig), nil
	}
	for range 2 {
		activitytest.Must(t, p.work.AwaitServer, p.input)
	}
	require.Zero(t, p.pinned)
	p.driver.Params.Servers = vdu.Logins{"web": {Username: "debian"}}
	activitytest.Must(t, p.work.AwaitServer, p.input)
	require.Equal(t, 1, p.pinned, "the request names a user")
}

func TestPlay_tellsWhatToDoWhereATaskNeedsToBeSomebodyElse(t *testing.T) {
	const local, remote = "- { hosts: 127.0.0.1, connection: local }", "- { hosts: all }"
	for name, c := range map[string]struct {
		playbook, says string
		become, told   bool
	}{
		"it lacks rights":     {local, "touch: Read-only file system", true, true},
		"it has another flaw": {local, "the disk is full", true, false},
		"it is nobody else":   {local, "touch: Read-only file system", false, false},
		"it is on a server":   {remote, "Missing sudo password", true, false},
	} {
		p := newPlayedSite(t)
		p.driver.Params.Server, p.playbook = nil, c.playbook
		p.fake.Fail["play-here"] = []error{lcm.Errorf(lcm.KindBroken, "Scripts/web.yaml failed: %s.", c.says)}
		p.fake.Replies["play-here"] = activitytest.Results("failed",
			base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"become": %t}`, c.become)))
		_, err := activitytest.Do(t, p.work.Play, p.input)
		require.ErrorContains(t, err, c.says, name)
		require.Equal(
			t,
			c.told,
			strings.Contains(err.Error(), "and give an Ansible server, ansible.server"),
			"%s: %v",
			name,
			err,
		)
	}
}
