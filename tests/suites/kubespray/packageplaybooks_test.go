package kubespray

import (
	"bytes"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// The VNFDs of the sample package ansible, and of a copy of it that has commands.
const (
	ofPlaybooks = "5a0c7f52-3d0e-4c67-9b59-6a1f0b7d2e84"
	ofCommands  = "5a0c7f52-3d0e-4c67-9b59-6a1f0b7d2e85"
)

// TestWindlass_playsPlaybooksOfPackages has Ansible configure real servers, once from an Ansible server, and once
// confined on this host.
func TestWindlass_playsPlaybooksOfPackages(t *testing.T) {
	t.Setenv("WINDLASS_SCRIPTS_POLICY", "run")
	t.Setenv("WINDLASS_SCRIPTS_ANSIBLE", "true")
	s := newSite(t)
	s.Onboard(t, "vnfpkg/samples/ansible")
	s.onboardCommands(t)
	for name, server := range map[string]map[string]any{
		"from an Ansible server": {
			"address": s.ansible.address[ansibleServer], "username": machine.User, "password": testbed.NodePassword,
		},
		"from the worker's host": nil,
	} {
		t.Run(name, func(t *testing.T) { s.play(t, server) })
		t.Run("a command "+name, func(t *testing.T) { s.command(t, server) })
	}
}

// onboardCommands onboards a copy of the sample that has commands instead of playbooks.
func (s site) onboardCommands(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(s.Root, "vnfpkg/samples/ansible"))))
	definitions, err := filepath.Glob(filepath.Join(dir, "Definitions/*.yaml"))
	require.NoError(t, err)
	for _, file := range definitions {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(text, []byte(ofPlaybooks), []byte(ofCommands)), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ScriptANSIBLE/config.yaml"), []byte(`
vdus:
  web:
    config:
      order: 0
      vm_app_config:
        type: remote-command
        instantiation:
          - { command: 'echo "{{ _VAR_greeting }} with _VAR_license by $(whoami)"', order: 0 }
        termination:
          - { command: "test -e told || { touch told; echo not yet >&2; exit 3; }", order: 0 }
`), 0o600))
	s.Onboard(t, dir)
}

// command takes the VNF with commands through its life. Its command of the termination fails once.
func (s site) command(t *testing.T, server map[string]any) {
	t.Helper()
	vnf := s.CreateOf(t, ofCommands, "commanded")
	op := s.Begin(t, vnf, "instantiate", s.playing(t, server))
	s.Await(t, op, 5*time.Minute, "COMPLETED")
	logs := s.Call(t, http.MethodGet, "/windlass/v1/vnf_lcm_op_occs/"+path.Base(op)+"/logs", nil)
	require.Contains(t, string(logs.Body), "{{ hello from the request }} with *** by "+machine.User)
	op = s.Terminate(t, vnf)
	failed := s.Await(t, op, 5*time.Minute, "FAILED_TEMP")
	require.Regexp(t, `FAILED: .*not yet`, failed["error"].(map[string]any)["detail"])
	require.Equal(t, http.StatusAccepted, s.Act(t, op, "retry", nil).Status)
	s.Await(t, op, 5*time.Minute, "COMPLETED")
}

// play instantiates, scales, heals and terminates the sample, and reads the web pages of its servers.
func (s site) play(t *testing.T, server map[string]any) {
	t.Helper()
	vnf := s.CreateOf(t, ofPlaybooks, "played")
	began := time.Now()
	op := s.Begin(t, vnf, "instantiate", s.playing(t, server))
	s.Await(t, op, 5*time.Minute, "COMPLETED")
	t.Logf("instantiated in %s", time.Since(began).Round(100*time.Millisecond))
	s.requirePages(t, op, "hello from the request from ")

	op = s.Scale(t, vnf, "SCALE_OUT", "servers")
	s.Await(t, op, 5*time.Minute, "COMPLETED")
	s.requirePages(t, op, "hello from the request from ")
	op = s.Heal(t, vnf, s.VnfcOf(t, vnf, "web"))
	s.Await(t, op, 5*time.Minute, "COMPLETED")
	s.requirePages(t, op, "hello from the request again from ")
	s.Remove(t, vnf)
}

func (s site) playing(t *testing.T, server map[string]any) (request map[string]any) {
	t.Helper()
	request = s.RequestOf(t, "ansible")
	ansible := request["additionalParams"].(map[string]any)["ansible"].(map[string]any)
	ansible["secrets"] = map[string]any{"license": testbed.License}
	if server != nil {
		ansible["server"] = server
	}
	return request
}

// changedHost matches a line of the output that says that a server was changed.
var changedHost = regexp.MustCompile(`(?m)(\d+\.\d+\.\d+\.\d+): changed`)

// requirePages reads the web pages of the servers that the playbooks of an operation have changed.
func (s site) requirePages(t *testing.T, op, says string) {
	t.Helper()
	logs := s.Call(t, http.MethodGet, "/windlass/v1/vnf_lcm_op_occs/"+path.Base(op)+"/logs", nil)
	require.NotContains(t, string(logs.Body), testbed.License)
	servers := map[string]bool{}
	for _, found := range changedHost.FindAllStringSubmatch(string(logs.Body), -1) {
		servers[found[1]] = true
	}
	require.Len(t, servers, 1, "%s", logs.Body)
	for address := range servers {
		host, err := (&remote.Dialer{HostKeys: &remotetest.Pins{}}).Dial(t.Context(), remote.Target{
			Node: "web", Address: address, User: machine.User, Password: testbed.NodePassword, ServerID: address,
		})
		require.NoError(t, err)
		page, err := host.Get(t.Context(), "/srv/web/index.html", 1<<10)
		require.NoError(t, err)
		require.Contains(t, string(page), says+address)
		require.NoError(t, host.Close())
	}
}
