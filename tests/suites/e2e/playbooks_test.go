package e2e

import (
	"bytes"
	"cmp"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	playbooksVnfdID   = "5a0c7f52-3d0e-4c67-9b59-6a1f0b7d2e84"
	playInstantiation = "Run the package's playbooks for web (instantiation)"
)

// local does what the sample's playbook does, but where Ansible runs: fake machines have no Python.
const local = `- hosts: 127.0.0.1
  connection: local
  gather_facts: false
  tasks:
    - ansible.builtin.template: {src: templates/index.html.j2, dest: "{{ lookup('env', 'HOME') }}/index.html"}
      register: page
    - ansible.builtin.debug: {msg: "{{ greeting }} for {{ host }} with {{ license }}"}
    - ansible.builtin.fail: {msg: the disk is full}
      when: greeting == 'fail'
    - ansible.builtin.debug: {msg: "number {{ 999999999 | random }} waits"}
    - ansible.builtin.wait_for: {host: 127.0.0.1, port: "{{ greeting.split(' ')[-1] | int }}", sleep: 1, timeout: 300}
      when: greeting is match('wait for')
`

// TestPlaybooksOfPackages uses a package for Tacker's Ansible driver. By default Windlass skips its playbooks. Then
// they run on the worker's host, and on an Ansible server.
func TestPlaybooksOfPackages(t *testing.T) {
	canRelay(t)
	b := newBed(t, "fake")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(b.Root, "vnfpkg/samples/ansible"))))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Scripts/web.yaml"), []byte(local), 0o600))
	told := filepath.Join(dir, "ScriptANSIBLE/config.yaml")
	config, err := os.ReadFile(told)
	require.NoError(t, err)
	config = bytes.Replace(config, []byte("_VAR_VDU_INSTANCE_IP ends"),
		[]byte("of _VAR_vnf_resource.RESOURCE_LIST, size _VAR_resource.servers.current_size"), 1)
	require.NoError(t, os.WriteFile(told, config, 0o600))
	b.Onboard(t, dir)
	t.Run("skipped by default", func(t *testing.T) { playbooksAreSkipped(t, b) })

	t.Setenv("WINDLASS_SCRIPTS_POLICY", "run")
	b.Restart(t)
	t.Run("refused without a place", func(t *testing.T) { playbooksNeedAPlace(t, b) })
	t.Setenv("WINDLASS_SCRIPTS_ANSIBLE", "true")
	b.Restart(t)
	t.Run("the page", func(t *testing.T) { playbooksPage(t, b, dir) })
	t.Run("run by the worker's host in every operation", func(t *testing.T) { playbooksAreRunHere(t, b) })
	t.Run("one goes on without its worker", func(t *testing.T) { playbooksGoOn(t, b) })
	t.Run("another host begins it again", func(t *testing.T) { playbooksChangeHosts(t, b) })
	t.Run("run by an Ansible server", func(t *testing.T) { playbooksAreRunThere(t, b) })

	python := cmp.Or(pathOf("/usr/bin/python3"), pathOf("python3"))
	canConfine(t, python)
	t.Setenv("WINDLASS_USER_DATA_PYTHON", python)
	b.Restart(t)
	t.Run("of a package in the form of Tacker's sample", func(t *testing.T) { playbooksOfTackersForm(t, b) })
}

// played returns the sample's request. Ansible cannot log in to fake machines.
func (b *bed) played(t *testing.T, edit ...func(params, ansible map[string]any)) map[string]any {
	t.Helper()
	return b.ofSample(t, "instantiate-ansible", func(params map[string]any) {
		ansible := params["ansible"].(map[string]any)
		ansible["secrets"] = map[string]any{"license": license}
		for _, e := range edit {
			e(params, ansible)
		}
	})
}

// playbooksPageOf shows commands for a Windlass that runs playbooks.
var playbooksPageOf = session{page: "how-to/ansible.md", sections: []string{"Try it"}}

// playbooksPage runs the commands of the page, with a package whose playbook runs where Ansible runs. At the end it
// on-boards dir again, the package of the other tests.
func playbooksPage(t *testing.T, b *bed, dir string) {
	onboarded := func() string {
		return b.Get(t, "/vnfpkgm/v1/onboarded_vnf_packages/"+playbooksVnfdID)["id"].(string)
	}
	windlass := func(args ...string) {
		t.Helper()
		out, err := b.Windlass(t.Context(), args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	windlass("package", "delete", onboarded())
	r := newReader(t, b)
	r.copyPackages(t)
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "vnfpkg/samples/ansible/Scripts/web.yaml"), []byte(local), 0o600))
	r.inTutorial(t, playbooksPageOf)
	windlass("package", "create", dir)
	b.RequireNothingLeft(t)
}

func playbooksAreSkipped(t *testing.T, b *bed) {
	vnf := b.CreateOf(t, playbooksVnfdID, "unplayed")
	op := b.Begin(t, vnf, "instantiate", b.played(t))
	b.Await(t, op, quick, "COMPLETED")
	row := b.titled(t, op, "Skip the package's playbooks for web (instantiation): scripts.policy does not run them")[0]
	require.Equal(t, "DONE", row.State)
	require.Contains(t, row.LastOutputLine, "Scripts/tell.yaml is not run for web")
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

func playbooksNeedAPlace(t *testing.T, b *bed) {
	vnf := b.CreateOf(t, playbooksVnfdID, "nowhere")
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/instantiate", b.played(t))
	require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
	require.Contains(t, string(a.Body), "$.additionalParams.ansible.server")
	b.Delete(t, vnf)
}

func playbooksAreRunHere(t *testing.T, b *bed) {
	vnf := b.CreateOf(t, playbooksVnfdID, "played")
	op := b.Begin(t, vnf, "instantiate", b.played(t))
	b.Await(t, op, quick, "COMPLETED")
	rows := b.titled(t, op, playInstantiation)
	require.Len(t, rows, 2, "the step, and its server")
	require.Regexp(t, "^web-", rows[1].Node)
	require.Contains(t, b.output(t, op), "127.0.0.1: ok: hello from the request for ")
	require.Contains(t, b.output(t, op), "127.0.0.1: ok: web at ")
	b.requireNowhere(t, vnf, op, map[string]string{"the license": license, "the password": testbed.NodePassword})

	op = b.Scale(t, vnf, "SCALE_OUT", "servers")
	b.Await(t, op, quick, "COMPLETED")
	require.Len(t, b.titled(t, op, "Run the package's playbooks for web (scale-out)"), 2, "for the new one alone")
	op = b.Heal(t, vnf, b.VnfcOf(t, vnf, "web"))
	b.Await(t, op, quick, "COMPLETED")
	require.Contains(t, b.output(t, op), "hello from the request again for ")
	op = b.Scale(t, vnf, "SCALE_IN", "servers")
	b.Await(t, op, quick, "COMPLETED")
	require.Len(t, b.titled(t, op, "Run the package's playbooks for web (scale-in)"), 2, "for what leaves")
	require.Contains(t, b.output(t, op), " leaves")
	op = b.Remove(t, vnf)
	require.Regexp(t, `: of (.+,)?servers(,.+)?, size \d`, b.output(t, op), "what Heat knows is filled in")
	b.RequireNothingLeft(t)
}

func playbooksGoOn(t *testing.T, b *bed) {
	says := func(greeting string) func(_, ansible map[string]any) {
		return func(_, ansible map[string]any) { ansible["variables"] = map[string]any{"greeting": greeting} }
	}
	vnf := b.CreateOf(t, playbooksVnfdID, "full")
	op := b.Begin(t, vnf, "instantiate", b.played(t, says("fail")))
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "Scripts/web.yaml failed: 127.0.0.1: FAILED: the disk is full")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")

	port, open := gate(t)
	vnf = b.CreateOf(t, playbooksVnfdID, "waits")
	op = b.Begin(t, vnf, "instantiate", b.played(t, says("wait for "+port)))
	seen := b.seesRuns(t, op, 1)
	b.KillWorker(t)
	again := b.seesRuns(t, op, 2)
	require.Equal(t, seen[0], again[1], "the next worker has found the run, and has begun no other one")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "cancel", map[string]any{"cancelMode": "FORCEFUL"}).Status)
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	again = b.seesRuns(t, op, 3)
	require.NotEqual(t, seen[0], again[2], "a cancel has ended the run")
	b.KillWorker(t)
	open()
	b.Await(t, op, quick, "COMPLETED")
	for _, number := range b.seesRuns(t, op, 3)[2:] {
		require.Equal(t, again[2], number)
	}
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// gate returns a port on which nothing listens until open is called.
func gate(t *testing.T) (port string, open func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, port, _ = strings.Cut(address, ":")
	return port, func() {
		opened, err := net.Listen("tcp", address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = opened.Close() })
	}
}

var numberOfRun = regexp.MustCompile(`number \d+`)

// seesRuns waits until runs of the playbook have printed at least so many numbers, and returns the numbers.
func (b *bed) seesRuns(t *testing.T, op string, least int) []string {
	t.Helper()
	for end := time.Now().Add(quick); ; testbed.Pause(t) {
		if found := numberOfRun.FindAllString(b.output(t, op), -1); len(found) >= least {
			return found
		}
		require.True(t, time.Now().Before(end), "the playbook does not begin")
	}
}

// canRelay skips a test whose runs need a network of their own, where this user can make none.
func canRelay(t *testing.T) {
	t.Helper()
	device, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
	if err != nil {
		t.Skip("Playbooks on the worker's host are NOT tested: " + err.Error())
	}
	require.NoError(t, device.Close())
}

// playbooksChangeHosts replaces the workers by workers with another folder. For Windlass these are on another host.
func playbooksChangeHosts(t *testing.T, b *bed) {
	folders := t.TempDir()
	t.Setenv("WINDLASS_SHUTDOWN_GRACE", "1s")
	t.Setenv("WINDLASS_SCRIPTS_ANSIBLE_LEASE", "3s")
	t.Setenv("WINDLASS_SCRIPTS_ANSIBLE_DIRECTORY", filepath.Join(folders, "first"))
	b.Restart(t)
	port, open := gate(t)
	vnf := b.CreateOf(t, playbooksVnfdID, "moves")
	op := b.Begin(t, vnf, "instantiate", b.played(t, func(_, ansible map[string]any) {
		ansible["variables"] = map[string]any{"greeting": "wait for " + port}
	}))
	seen := b.seesRuns(t, op, 1)
	t.Setenv("WINDLASS_SCRIPTS_ANSIBLE_DIRECTORY", filepath.Join(folders, "second"))
	b.Restart(t)
	again := b.seesRuns(t, op, 2)
	require.NotEqual(t, seen[0], again[1])
	ended, err := filepath.Glob(filepath.Join(folders, "first/.windlass/run/*/rc"))
	require.NoError(t, err)
	require.Len(t, ended, 1, "the first host's run has ended before")
	open()
	b.Await(t, op, quick, "COMPLETED")
	left, _ := exec.Command("grep", "-rl", again[1], filepath.Join(folders, "second")).Output()
	require.Empty(t, string(left), "what a run has printed is removed")
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

func playbooksAreRunThere(t *testing.T, b *bed) {
	const server = "ansible"
	made, err := kubespray.Machines(t.Context(), b.Cloud.Login(), server,
		kubespray.Server{Name: server, Image: kubespray.AnsibleImage, Password: testbed.NodePassword})
	require.NoError(t, err)
	vnf := b.CreateOf(t, playbooksVnfdID, "sent")
	b.ScriptFault(t, map[string]any{
		"script": "play-package", "times": 1, "exit_code": 1, "output": "windlass: Scripts/web.yaml failed: no host",
	})
	op := b.Begin(t, vnf, "instantiate", b.played(t, func(_, ansible map[string]any) {
		ansible["server"] = map[string]any{
			"address": made[server].Address, "ssh_port": 2222, "username": "debian", "password": testbed.NodePassword,
		}
	}))
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "Scripts/web.yaml failed: no host")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	output := b.output(t, op)
	require.Contains(t, output, "ansible-playbook Scripts/tell.yaml")
	require.Contains(t, output, "greeting=hello from the request")
	b.requireNowhere(t, vnf, op, map[string]string{"the license": license, "the password": testbed.NodePassword})
	b.terminate(t, vnf)
	require.NoError(t, kubespray.RemoveMachines(t.Context(), b.Cloud.Login(), server))
	b.RequireNothingLeft(t)
}

// playbooksOfTackersForm runs the operations of a VNF in the form of Tacker's sample: its hooks name only the driver, a
// user data class makes its parameters, and its playbook is local and becomes another user.
func playbooksOfTackersForm(t *testing.T, b *bed) {
	b.Onboard(t, "vnfpkg/playbook/testdata/ansible")
	const server, vnfdID = "ansible", "7f0d5a38-12c4-4c5e-9a5e-6a9c1d2b0e47"
	request := map[string]any{
		"flavourId":         "default",
		"vimConnectionInfo": b.OnOpenStack(),
	}
	params := map[string]any{"lcm-operation-user-data": "./UserData/pages.py", "lcm-operation-user-data-class": "Pages"}
	request["additionalParams"] = params
	op := b.Begin(t, b.CreateOf(t, vnfdID, "nobody-else"), "instantiate", request)
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "on the worker's host it cannot become another "+
		"user")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")

	made, err := kubespray.Machines(t.Context(), b.Cloud.Login(), server,
		kubespray.Server{Name: server, Image: kubespray.AnsibleImage, Password: testbed.NodePassword})
	require.NoError(t, err)
	params["ansible"] = map[string]any{"server": map[string]any{
		"address": made[server].Address, "ssh_port": 2222, "username": "debian", "password": testbed.NodePassword,
	}}
	vnf := b.CreateOf(t, vnfdID, "pages")
	requirePlayed := func(task, action string, body map[string]any) {
		op := b.Begin(t, vnf, task, body)
		b.Await(t, op, quick, "COMPLETED")
		require.Contains(t, b.output(t, op), "what="+action+"\n")
	}
	requirePlayed("instantiate", "instantiation", request)
	requirePlayed("scale", "scale-out", map[string]any{"type": "SCALE_OUT", "aspectId": "pages"})
	requirePlayed("heal", "healing", map[string]any{"vnfcInstanceId": []string{b.VnfcOf(t, vnf, "page")}})
	requirePlayed("scale", "scale-in", map[string]any{"type": "SCALE_IN", "aspectId": "pages"})
	requirePlayed("terminate", "termination", map[string]any{"terminationType": "FORCEFUL"})
	require.NoError(t, kubespray.RemoveMachines(t.Context(), b.Cloud.Login(), server))
	b.RequireNothingLeft(t)
}

// output returns everything that the steps of an operation have printed.
func (b *bed) output(t *testing.T, op string) string {
	t.Helper()
	a := b.Call(t, http.MethodGet, "/windlass/v1/vnf_lcm_op_occs/"+path.Base(op)+"/logs", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	return string(a.Body)
}
