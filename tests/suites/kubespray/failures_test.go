package kubespray

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
)

// TestWindlass_tellsWhatFailed first requires Windlass to refuse wrong requests before it installs anything. Then
// several faults stop the same operation, one after another: an Ansible server that is down, host keys that differ from
// the pinned ones, a playbook that asks a question, and a playbook that fails on one host. The test repairs each fault,
// and the operation continues.
func TestWindlass_tellsWhatFailed(t *testing.T) {
	s := newSite(t)
	vnf := s.create(t, "failing")
	for _, wrong := range []struct{ member, value, says string }{
		{"kubespray_root_path", "/srv/nothing", "no directory /srv/nothing; correct kubespray_root_path"},
		{"password", "of-nobody", "refuses to log in user debian on SSH port "},
	} {
		op := s.Begin(t, vnf, "instantiate", s.request(t, "failing", func(ansible map[string]any) {
			ansible[wrong.member] = wrong.value
		}))
		s.Await(t, op, 5*time.Minute, "FAILED_TEMP")
		t.Log(s.errorOf(t, op))
		require.Contains(t, s.errorOf(t, op), wrong.says)
		require.Equal(t, http.StatusAccepted, s.Act(t, op, "rollback", nil).Status)
		s.Await(t, op, 5*time.Minute, "ROLLED_BACK")
	}
	require.Empty(t, s.left(t))

	s.order(t, "kill")
	op := s.Begin(t, vnf, "instantiate", s.impatient(t))
	s.Await(t, op, 10*time.Minute, "FAILED_TEMP")
	t.Log(s.errorOf(t, op))
	require.Contains(t, s.errorOf(t, op), "ansible")
	s.order(t, "start")
	s.ansible.logIn(t, &remote.Dialer{HostKeys: &remotetest.Pins{}}, ansibleServer, s.ansible.id)

	known := inventories + "/windlass-" + vnf + "/known_hosts"
	for _, c := range []struct{ spoil, mend, says string }{
		{
			"cp cluster.yml cluster.yml.good\nprintf -- '" + asking + "' >cluster.yml\ncat cluster.yml.good >>cluster.yml\n",
			"mv cluster.yml.good cluster.yml\n",
			`cp-\w+: FAILED: nobody has said yes \(TASK \[Fail without an answer\]\); it had asked what nobody answers here: \[Ask\]: Install it\?`,
		},
		{
			"rm -rf ~/.ansible/cp\ncp " + known + " " + known + ".good\nssh-keygen -q -t ed25519 -N '' -f /tmp/other\n" +
				"awk -v key=\"$(cut -d' ' -f1,2 /tmp/other.pub)\" '{ print $1, key }' " + known + ".good >" + known + "\n",
			"mv " + known + ".good " + known + "\n",
			`\w+-\w+: UNREACHABLE: the server shows another SSH host key than the one that Windlass has pinned for it`,
		},
		{
			"mv roles/worker roles/worker.good\nmkdir -p roles/worker/tasks\nprintf -- '" + failing + "' >roles/worker/tasks/main.yml\n",
			"rm -r roles/worker\nmv roles/worker.good roles/worker\n",
			`worker-\w+: FAILED: the disk is full \(TASK \[worker : Join\]\)`,
		},
	} {
		s.ansible.script(t, ansibleServer, "cd "+playbooks+"\n"+c.spoil)
		s.retry(t, op, "FAILED_TEMP")
		t.Log(s.errorOf(t, op))
		require.Regexp(t, c.says, s.errorOf(t, op))
		s.ansible.script(t, ansibleServer, "cd "+playbooks+"\n"+c.mend)
	}
	s.retry(t, op, "COMPLETED")
	s.requireNodes(t, 2)
	s.Remove(t, vnf)
	require.Empty(t, s.left(t))
}

// asking is a play that needs an answer; failing is a role that fails on every worker.
const (
	asking = `- hosts: kube_control_plane\n  gather_facts: false\n  tasks:\n` +
		`    - {name: Ask, pause: {prompt: "Install it?"}, register: answer}\n` +
		`    - {name: Fail without an answer, fail: {msg: nobody has said yes}, when: "answer.user_input != 1"}\n`
	failing = `- {name: Join, fail: {msg: the disk is full}}\n`
)

func (s site) retry(t *testing.T, op, state string) {
	t.Helper()
	require.Equal(t, http.StatusAccepted, s.Act(t, op, "retry", nil).Status)
	s.Await(t, op, 15*time.Minute, state)
}

// impatient returns the request of a cluster with short timeouts.
func (s site) impatient(t *testing.T) map[string]any {
	t.Helper()
	request := s.request(t, "kubespray", nil)
	cluster := request["additionalParams"].(map[string]any)["k8s_cluster_installation_param"].(map[string]any)
	cluster["timeouts"] = map[string]any{"ssh": 60, "login": 5}
	return request
}

// order calls the lab's API to change the machine of the Ansible server.
func (s site) order(t *testing.T, what string) {
	t.Helper()
	require.Less(t, s.Lab(t, http.MethodPost, "/machines/"+s.ansible.id+"/"+what, nil).Status, 300)
}
