package kubespray

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

const (
	home      = "/home/debian/"
	playbooks = home + "kubespray"
	inventory = home + "inventories/cluster-a"
	plugins   = home + "plugins"
)

// prepare puts playbooks and the callback plugin onto the Ansible server, and what it must know of the nodes' keys.
func (b *bed) prepare(t *testing.T, from string) {
	t.Helper()
	b.upload(t, from, playbooks)
	b.upload(t, filepath.Join(b.root, "scripts/ansible"), plugins)
	var addresses []string
	for name, address := range b.address {
		if name != ansibleServer {
			addresses = append(addresses, address)
		}
	}
	b.script(t, ansibleServer, "mkdir -p "+inventory+"\ncp -r "+playbooks+"/inventory/sample/group_vars "+inventory+
		"\nssh-keyscan "+strings.Join(addresses, " ")+" 2>/dev/null >"+inventory+"/known_hosts\n")
}

// script runs one on a machine and returns what it says.
func (b *bed) script(t *testing.T, on, text string) string {
	t.Helper()
	b.runs++
	result, err := b.host[on].Run(t.Context(), remote.Command{
		ID: fmt.Sprintf("script-%d", b.runs), Script: "#!/bin/bash\nset -e\n" + text,
	})
	require.NoError(t, err, result.Output)
	return result.Stdout
}

// place writes the inventory as Windlass does, without passwords.
func (b *bed) place(t *testing.T, controlPlanes, workers []string, broken ...string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("[all]\n")
	for i, node := range slices.Concat(controlPlanes, workers, broken) {
		fmt.Fprintf(&text, "%s ansible_host=%s ip=%[2]s access_ip=%[2]s ansible_user=debian", node, b.address[node])
		if i < len(controlPlanes) {
			fmt.Fprintf(&text, " etcd_member_name=etcd%d", i+1)
		}
		text.WriteString(` ansible_password="{{ windlass_passwords[inventory_hostname] }}"` + "\n")
	}
	group := func(name string, members ...string) {
		text.WriteString("\n[" + name + "]\n" + strings.Join(members, "\n") + "\n")
	}
	group("kube_control_plane", controlPlanes...)
	group("etcd", controlPlanes...)
	group("kube_node", workers...)
	group("kube-node", workers...)
	group("calico_rr")
	if len(broken) > 0 {
		group("broken_kube_control_plane", broken...)
		group("broken_etcd", broken...)
	}
	group("k8s_cluster:children", "kube_control_plane", "kube_node", "calico_rr")
	group("k8s-cluster:children", "kube_control_plane", "kube-node")
	require.NoError(t, b.host[ansibleServer].Put(t.Context(), remote.File{
		Path: inventory + "/hosts.ini", Content: []byte(text.String()), Mode: 0o600,
	}))
}

// play is how a playbook ended.
type play struct {
	remote.Result
	failed, asked []string
	err           error
}

// run runs a playbook as Windlass does; until ends it, in the middle, when it has said that.
func (b *bed) run(t *testing.T, until, arguments string) play {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	passwords := map[string]string{}
	for node := range b.address {
		passwords[node] = testbed.NodePassword
	}
	extra, err := json.Marshal(map[string]any{"windlass_passwords": passwords})
	require.NoError(t, err)
	b.runs++
	result, err := b.host[ansibleServer].Run(ctx, remote.Command{
		ID: fmt.Sprintf("play-%d", b.runs), Stdin: extra, Mask: []string{testbed.NodePassword},
		Script: `#!/bin/bash
set -e
cd ` + playbooks + `
secrets=$(mktemp /dev/shm/windlass.XXXXXX)
trap 'rm -f $secrets' EXIT
cat >$secrets
export ANSIBLE_CALLBACK_PLUGINS=` + plugins + ` ANSIBLE_STDOUT_CALLBACK=windlass ANSIBLE_CALLBACKS_ENABLED=windlass \
  ANSIBLE_HOST_KEY_CHECKING=True ANSIBLE_DEPRECATION_WARNINGS=False LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 \
  ANSIBLE_SSH_ARGS='-o ControlMaster=auto -o ControlPersist=60s -o UserKnownHostsFile=` + inventory + `/known_hosts' \
  ANSIBLE_SSH_CONTROL_PATH_DIR=` + inventory + `/.control
ansible-playbook -i ` + inventory + `/hosts.ini -e @$secrets --become --become-user=root ` + arguments + ` </dev/null
`,
		Output: func(line string) {
			t.Log(line)
			if until != "" && strings.HasPrefix(line, until) {
				stop()
			}
		},
	})
	told := scripts.ParseResults(result.Stdout)
	require.NotContains(t, result.Stdout, testbed.NodePassword)
	return play{Result: result, failed: told.Texts("failed"), asked: told.Texts("asked"), err: err}
}

// recap are the lines of the end that say that.
func (p play) recap(what string) (hosts []string) {
	for line := range strings.Lines(p.Stdout) {
		if host, counts, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && strings.HasPrefix(host, "RECAP ") &&
			strings.Contains(counts+" ", what+" ") {
			hosts = append(hosts, strings.TrimPrefix(host, "RECAP "))
		}
	}
	return hosts
}

// nodes are those of the cluster that are ready.
func (b *bed) nodes(t *testing.T, controlPlane string) []string {
	t.Helper()
	out := b.script(t, controlPlane, `sudo kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes --no-headers`)
	var ready []string
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[1] == "Ready" {
			ready = append(ready, fields[0])
		}
	}
	return ready
}
