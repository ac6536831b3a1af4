package kubespray

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
	"github.com/windlass-nfv/windlass/tests/support/kubespray"
)

// TestPlaybooks installs a cluster on real machines and changes it, as Windlass's driver for kubespray does.
func TestPlaybooks(t *testing.T) {
	b := newBed(t, kubespray.NodeImage, "cp-1", "w-1", "w-2")
	b.prepare(t, filepath.Join(b.root, "tests/support/kubespray/playbooks"))
	b.place(t, []string{"cp-1"}, []string{"w-1"})

	killed := b.run(t, "TASK [control-plane : Initialise the first control plane]", playbook("cluster"))
	require.ErrorIs(t, killed.err, context.Canceled)
	installed := b.run(t, "", playbook("cluster"))
	require.NoError(t, installed.err, installed.Output)
	require.ElementsMatch(t, []string{"cp-1", "w-1"}, b.nodes(t, "cp-1"), "it goes on where an earlier run was ended")

	again := b.run(t, "", playbook("cluster"))
	require.NoError(t, again.err, again.Output)
	require.ElementsMatch(t, []string{"cp-1", "w-1"}, again.recap("changed=0"), "there is nothing to change")

	b.place(t, []string{"cp-1"}, []string{"w-1", "w-2"})
	require.NoError(t, b.run(t, "", playbook("facts")).err)
	scaled := b.run(t, "", playbook("scale", "w-2"))
	require.NoError(t, scaled.err, scaled.Output)
	require.ElementsMatch(t, []string{"cp-1", "w-1", "w-2"}, b.nodes(t, "cp-1"))

	b.removeWorker(t)
}

func (b *bed) removeWorker(t *testing.T) {
	t.Helper()
	unanswered := b.run(t, "", scripts.RunPlaybook{Playbook: "remove-node", Variables: []string{"node=w-1"}})
	require.Error(t, unanswered.err)
	require.Len(t, unanswered.asked, 1, "a question that nobody answers")
	require.Len(t, unanswered.failed, 1)
	require.Contains(t, unanswered.failed[0], "Delete nodes confirmation failed")
	require.Len(t, b.nodes(t, "cp-1"), 3)

	removal := scripts.RunPlaybook{Playbook: "remove-node", Variables: []string{
		"node=w-1", "skip_confirmation=yes", "reset_nodes=false", "allow_ungraceful_removal=true",
	}}
	removed := b.run(t, "", removal)
	require.NoError(t, removed.err, removed.Output)
	require.ElementsMatch(t, []string{"cp-1", "w-2"}, b.nodes(t, "cp-1"))
	again := b.run(t, "", removal)
	require.NoError(t, again.err, again.Output)
	require.Contains(t, again.recap("changed=0"), "w-1")
}

// TestPlaybooks_replaceControlPlanes replaces a lost control plane of several.
func TestPlaybooks_replaceControlPlanes(t *testing.T) {
	b := newBed(t, kubespray.NodeImage, "cp-1", "cp-2", "cp-3", "cp-4", "w-1")
	b.prepare(t, filepath.Join(b.root, "tests/support/kubespray/playbooks"))
	b.place(t, []string{"cp-1", "cp-2", "cp-3"}, []string{"w-1"})
	other := b.run(t, "", scripts.RunPlaybook{Playbook: "cluster", Variables: []string{"kube_version=v1.0.0"}})
	require.Error(t, other.err)
	require.Contains(t, other.failed[0], "kube_version is v1.0.0; this machine has v")

	installed := b.run(t, "", playbook("cluster"))
	require.NoError(t, installed.err, installed.Output)
	require.ElementsMatch(t, []string{"cp-1", "cp-2", "cp-3", "w-1"}, b.nodes(t, "cp-1"))
	require.ElementsMatch(t, []string{"cp-1", "cp-2", "cp-3"}, b.members(t))

	b.script(t, "cp-3", "sudo systemctl stop kubelet containerd\n")
	b.place(t, []string{"cp-1", "cp-2", "cp-4"}, []string{"w-1"}, "cp-3")
	recovered := b.run(t, "", scripts.RunPlaybook{
		Playbook: "recover-control-plane", Limit: []string{"etcd", "kube_control_plane"}, Variables: []string{"etcd_retries=10"},
	})
	require.NoError(t, recovered.err, recovered.Output)
	require.ElementsMatch(t, []string{"cp-1", "cp-2", "cp-4", "w-1"}, b.nodes(t, "cp-1"))
	require.ElementsMatch(t, []string{"cp-1", "cp-2", "cp-4"}, b.members(t))
}

// members returns the names of etcd's members.
func (b *bed) members(t *testing.T) (names []string) {
	t.Helper()
	const pki = "/etc/kubernetes/pki/etcd/"
	out := b.script(t, "cp-1", "sudo etcdctl --cacert "+pki+"ca.crt --cert "+pki+"server.crt --key "+pki+"server.key member list\n")
	for line := range strings.Lines(out) {
		if fields := strings.Split(line, ", "); len(fields) > 2 {
			names = append(names, fields[2])
		}
	}
	return names
}
