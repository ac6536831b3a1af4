package kubespray

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	home      = "/home/debian/"
	playbooks = home + "kubespray"
	inventory = home + "inventories/cluster-a"
)

// prepare puts playbooks onto the Ansible server, and the host keys of the nodes.
func (b *bed) prepare(t *testing.T, from string) {
	t.Helper()
	b.upload(t, from, playbooks)
	var addresses []string
	for name, address := range b.address {
		if name != ansibleServer {
			addresses = append(addresses, address)
		}
	}
	b.script(t, ansibleServer, "mkdir -p "+inventory+"\nssh-keyscan "+strings.Join(addresses, " ")+" 2>/dev/null >"+inventory+"/known_hosts\n")
}

// script runs a script on a machine and returns its standard output.
func (b *bed) script(t *testing.T, on, text string) string {
	t.Helper()
	b.runs++
	result, err := b.host[on].Run(t.Context(), remote.Command{
		ID: fmt.Sprintf("script-%d", b.runs), Script: "#!/bin/bash\nset -e\n" + text,
	})
	require.NoError(t, err, result.Output)
	return result.Stdout
}

// place sends the inventory as Windlass does. broken are lost control planes.
func (b *bed) place(t *testing.T, controlPlanes, workers []string, broken ...string) {
	t.Helper()
	var list scripts.Inventory
	for i, node := range slices.Concat(controlPlanes, workers) {
		list.Hosts = append(list.Hosts, scripts.InventoryHost{
			Name: node, SSHAddress: b.address[node], Address: b.address[node], User: machine.User, Password: true,
			ControlPlane: i < len(controlPlanes),
		})
	}
	text, err := list.Render()
	require.NoError(t, err)
	for _, node := range broken { // a user adds these lines before recover-control-plane.yml
		text += "\n[all]\n" + node + " ansible_host=" + b.address[node] + " ip=" + b.address[node] +
			"\n[broken_kube_control_plane]\n" + node + "\n[broken_etcd]\n" + node + "\n"
	}
	for name, content := range map[string][]byte{
		"hosts.ini": []byte(text), "vars.json": []byte("{}\n"), "callback/windlass.py": scripts.AnsibleCallback,
	} {
		require.NoError(t, b.host[ansibleServer].Put(t.Context(), remote.File{
			Path: inventory + "/" + name, Content: content, Mode: 0o600,
		}))
	}
}

// play is the result of a playbook.
type play struct {
	remote.Result
	failed, asked []string
	err           error
}

// run runs a playbook as Windlass does. If until is not "", run stops the playbook at the first line of output with
// that prefix.
func (b *bed) run(t *testing.T, until string, script scripts.RunPlaybook) play {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	passwords := map[string]string{}
	for node := range b.address {
		passwords[node] = testbed.NodePassword
	}
	secrets, err := scripts.AnsibleSecrets{Passwords: passwords}.Stdin()
	require.NoError(t, err)
	script.Root, script.Directory, script.Owner = playbooks, inventory, "a test"
	text, err := script.Render()
	require.NoError(t, err)
	b.runs++
	result, err := b.host[ansibleServer].Run(ctx, remote.Command{
		ID: fmt.Sprintf("play-%d", b.runs), Stdin: secrets, Script: text,
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

// playbook returns a run of a playbook, limited to these hosts if there are any.
func playbook(name string, limit ...string) scripts.RunPlaybook {
	return scripts.RunPlaybook{Playbook: name, Limit: limit}
}

// recap returns the hosts whose line in the recap contains what.
func (p play) recap(what string) (hosts []string) {
	for line := range strings.Lines(p.Stdout) {
		if host, counts, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && strings.HasPrefix(host, "RECAP ") &&
			strings.Contains(counts+" ", what+" ") {
			hosts = append(hosts, strings.TrimPrefix(host, "RECAP "))
		}
	}
	return hosts
}

// nodes returns the nodes of the cluster that are ready.
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
