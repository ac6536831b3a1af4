package fake_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

const (
	ofInstance    = "11112222-3333-4444-8555-666677778888"
	directory     = "/home/debian/inventories/windlass-" + ofInstance
	nodesPassword = "Pa55"
)

// onAnsible is a script for an Ansible server.
type onAnsible struct {
	name   string
	params []string // NAME=value
}

func (s onAnsible) Name() string { return s.name }

func (s onAnsible) Render() (string, error) {
	text := "#!/bin/bash\n# windlass: " + s.name + "\nDIRECTORY='" + directory + "'\nROOT='/opt/kubespray'\nOWNER='operation'\n"
	for _, param := range s.params {
		name, value, _ := strings.Cut(param, "=")
		text += name + "=" + scripts.Quote(value) + "\n"
	}
	return text, nil
}

// ansibleLab returns a lab with an Ansible server and these nodes.
func ansibleLab(t *testing.T, nodes ...string) *lab {
	l := newLab(t, fake.Options{})
	for _, node := range append(nodes, "ansible") {
		l.address[node] = nextAddress()
		require.NoError(t, l.hypervisor.Create(t.Context(), machine.Machine{
			ID: node, Name: node, AuthorizedKeys: []string{l.line}, AdminPass: nodesPassword,
			Ports: []machine.Port{{ID: node + "-port", NetworkID: "net0", FixedIPs: []string{l.address[node]}, PrefixLen: 24}},
		}))
	}
	return l
}

// inventory writes an inventory of these nodes, with their host keys; broken are lost control planes.
func (l *lab) inventory(controlPlanes, workers string, broken ...string) {
	l.t.Helper()
	var all, known strings.Builder
	for node := range strings.FieldsSeq(controlPlanes + " " + workers) {
		fmt.Fprintf(&all, "%s ansible_host=%s ip=%[2]s ansible_user=debian\n", node, l.address[node])
		known.WriteString(l.address[node] + " " + l.hostKey(node))
	}
	for _, node := range broken {
		fmt.Fprintf(&all, "%s ansible_host=%s ip=%[2]s ansible_user=debian\n", node, l.address[node])
	}
	text := "[all]\n" + all.String() + "\n[kube_control_plane]\n" + strings.ReplaceAll(controlPlanes, " ", "\n") +
		"\n[etcd]\n" + strings.ReplaceAll(controlPlanes, " ", "\n") + "\n[kube_node]\n" + strings.ReplaceAll(workers, " ", "\n") +
		"\n[k8s_cluster:children]\nkube_control_plane\nkube_node\n[broken_etcd]\n" + strings.Join(broken, "\n") + "\n"
	for name, content := range map[string]string{"hosts.ini": text, "known_hosts": known.String()} {
		require.NoError(l.t, l.dial("ansible").Put(l.t.Context(), remote.File{
			Path: directory + "/" + name, Mode: 0o600, Content: []byte(content),
		}))
	}
}

func (l *lab) hostKey(node string) string {
	l.t.Helper()
	var line string
	conn, err := ssh.Dial("tcp", l.address[node]+":2222", &ssh.ClientConfig{
		User: machine.User, Auth: []ssh.AuthMethod{ssh.Password(nodesPassword)},
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			line = string(ssh.MarshalAuthorizedKey(key))
			return nil
		},
	})
	require.NoError(l.t, err)
	require.NoError(l.t, conn.Close())
	return line
}

// play runs a playbook with this password for all nodes.
func (l *lab) play(password string, params ...string) error {
	return l.playFor(l.t.Context(), password, params...)
}

func (l *lab) playFor(ctx context.Context, password string, params ...string) error {
	passwords := map[string]any{}
	for node := range l.address {
		passwords[node] = map[string]string{"__ansible_unsafe": password}
	}
	secrets, err := json.Marshal(map[string]any{"windlass_passwords": passwords})
	require.NoError(l.t, err)
	params = append(params, fmt.Sprintf("NUMBER=%d", len(l.hypervisor.Plays()))) // each run has its own number
	_, err = l.run(ctx, "ansible", onAnsible{"run-playbook", params},
		scripts.Input{Name: "secrets", Value: string(secrets)})
	return err
}

func (l *lab) members() (names []string) {
	for _, c := range l.hypervisor.Clusters() {
		require.Equal(l.t, ofInstance, c.ID)
		require.Empty(l.t, c.Violations)
		for _, m := range c.Members {
			require.True(l.t, m.Ready, m.Node)
			names = append(names, m.Node)
		}
	}
	return names
}

func TestAnsible_installsAndChangesAClusterOfFakeMachines(t *testing.T) {
	l := ansibleLab(t, "cp-1", "cp-2", "w-1", "w-2")
	l.inventory("cp-1 cp-2", "w-1")
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=cluster"))
	require.Equal(t, []string{"cp-1", "cp-2", "w-1"}, l.members())
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=cluster"), "nothing joins twice")

	l.inventory("cp-1 cp-2", "w-1 w-2")
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=facts"))
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=scale", "LIMIT=w-2"))
	require.Equal(t, []string{"cp-1", "cp-2", "w-1", "w-2"}, l.members())

	require.ErrorContains(t, l.play(nodesPassword, "PLAYBOOK=remove-node", "VARIABLES=node=w-1"), "confirmation failed")
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=remove-node",
		"VARIABLES=node=w-1 skip_confirmation=yes reset_nodes=false allow_ungraceful_removal=true"))
	require.Equal(t, []string{"cp-1", "cp-2", "w-2"}, l.members())

	plays := l.hypervisor.Plays()
	require.Len(t, plays, 6)
	require.Equal(t, fake.Play{
		MachineID: "ansible", Directory: directory, Playbook: "scale", Limit: []string{"w-2"}, Variables: []string{},
		Hosts: []string{"cp-1", "cp-2", "w-1", "w-2"}, State: "done",
	}, plays[3])
	require.Equal(t, "failed", plays[4].State)
}

// TestAnsible_stopsAtAClusterWithoutAPodNetwork does what kubespray does when it runs again after it was stopped.
func TestAnsible_stopsAtAClusterWithoutAPodNetwork(t *testing.T) {
	l := ansibleLab(t, "cp-1", "w-1")
	l.inventory("cp-1", "w-1")
	ctx, stop := context.WithCancel(t.Context())
	l.hypervisor.SetPace(0, func(string) time.Duration {
		if len(l.hypervisor.Clusters()) == 0 {
			return 0
		}
		stop() // the control plane is made, the worker is not
		return time.Hour
	})
	require.Error(t, l.playFor(ctx, nodesPassword, "PLAYBOOK=cluster"))
	l.hypervisor.SetPace(0, nil)
	require.Len(t, l.hypervisor.Clusters(), 1)
	require.Equal(t, "yes", l.must("cp-1", scripts.LookForRemains{}).Get("remains"))
	require.Equal(t, "no", l.must("w-1", scripts.LookForRemains{}).Get("remains"))
	for range 2 {
		require.ErrorContains(t, l.play(nodesPassword, "PLAYBOOK=cluster"), "Wait for new control plane nodes to be Ready")
	}
	require.ErrorContains(t, l.play(nodesPassword, "PLAYBOOK=reset"), "Reset confirmation failed")
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=reset", "VARIABLES=reset_confirmation=yes"))
	require.Empty(t, l.hypervisor.Clusters())
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=cluster"))
	require.Equal(t, []string{"cp-1", "w-1"}, l.members())
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=reset", "LIMIT=w-1", "VARIABLES=reset_confirmation=yes"))
	require.Contains(t, l.hypervisor.Clusters()[0].Violations, "the node w-1 was reset while it was ready")
}

// TestAnsible_needsThePasswordsOfAllHosts adds a host to the inventory that the run has no password for.
func TestAnsible_needsThePasswordsOfAllHosts(t *testing.T) {
	l := ansibleLab(t, "cp-1", "w-1")
	l.inventory("cp-1", "w-1")
	const file = directory + "/hosts.ini"
	text, err := l.dial("ansible").Get(t.Context(), file, 1<<20)
	require.NoError(t, err)
	gone := "[all]\ncp-0 ip=192.0.2.10 ansible_password=\"{{ windlass_passwords[inventory_hostname] }}\"\n"
	require.NoError(t, l.dial("ansible").Put(t.Context(), remote.File{
		Path: file, Mode: 0o600, Content: append([]byte(gone), text...),
	}))
	require.ErrorContains(t, l.play(nodesPassword, "PLAYBOOK=facts"), "'dict object' has no attribute 'cp-0'")
}

// TestAnsible_reachesNodesAtTheirFloatingIPs checks an inventory whose ansible_host differs from ip.
func TestAnsible_reachesNodesAtTheirFloatingIPs(t *testing.T) {
	l := ansibleLab(t, "cp-1", "w-1")
	fixed := maps.Clone(l.address)
	for _, node := range []string{"cp-1", "w-1"} {
		bind := machine.FloatingIP{ID: node, Address: nextAddress(), FixedIP: fixed[node], NetworkID: "net0"}
		require.NoError(t, l.hypervisor.BindFloatingIP(t.Context(), bind))
		l.address[node] = bind.Address
	}
	l.inventory("cp-1", "w-1")
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=cluster"))
	require.Equal(t, []string{"cp-1", "w-1"}, l.members())
	require.NoError(t, l.hypervisor.UnbindFloatingIP(t.Context(), "w-1"))
	require.ErrorContains(t, l.play(nodesPassword, "PLAYBOOK=cluster"), "w-1: UNREACHABLE: Failed to connect")
}

func TestAnsible_replacesAControlPlaneThatIsGone(t *testing.T) {
	l := ansibleLab(t, "cp-1", "cp-2", "cp-3", "cp-4", "w-1")
	l.inventory("cp-1 cp-2 cp-3", "w-1")
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=cluster"))
	require.NoError(t, l.hypervisor.Kill(t.Context(), "cp-1"))
	l.inventory("cp-2 cp-3 cp-4", "w-1", "cp-1")
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=facts"))
	recovers := []string{"PLAYBOOK=recover-control-plane", "LIMIT=etcd,kube_control_plane", "VARIABLES=etcd_retries=10"}
	require.ErrorContains(t, l.play(nodesPassword, recovers...), l.address["cp-1"]+":6443 was refused",
		"kubeadm has told all control planes to ask the first one")
	l.must("cp-2", scripts.PointToSelf{
		Member: scripts.Member{Cluster: ofInstance, Node: "cp-2", Address: l.address["cp-2"], ControlPlane: true},
		Gone:   []string{l.address["cp-1"]}, GoneNodes: []string{"cp-1"},
	})
	require.NoError(t, l.play(nodesPassword, recovers...))
	require.Equal(t, []string{"cp-2", "cp-3", "cp-4", "w-1"}, l.members())
}

func TestAnsible_saysWhatStopsIt(t *testing.T) {
	l := ansibleLab(t, "cp-1", "w-1")
	l.inventory("cp-1", "w-1")
	err := l.play("wrong", "PLAYBOOK=cluster")
	require.ErrorContains(t, err, "cluster.yml failed: cp-1: UNREACHABLE: Invalid/incorrect password")

	require.NoError(t, l.hypervisor.Kill(t.Context(), "w-1"))
	require.ErrorContains(t, l.play(nodesPassword, "PLAYBOOK=cluster"), "w-1: UNREACHABLE: Failed to connect")
	require.NoError(t, l.hypervisor.Start(t.Context(), "w-1"))
	l.dial("w-1")
	require.NoError(t, l.play(nodesPassword, "PLAYBOOK=cluster"))
	require.Equal(t, []string{"cp-1", "w-1"}, l.members())

	require.NoError(t, l.dial("ansible").Put(t.Context(), remote.File{Path: directory + "/known_hosts", Mode: 0o600}))
	require.ErrorContains(t, l.play(nodesPassword, "PLAYBOOK=facts"), "Host key verification failed")

	results, err := l.run(t.Context(), "ansible", onAnsible{name: "check-ansible"})
	require.NoError(t, err)
	require.Equal(t, "2.23.0", results.Get("kubespray"))
	_, err = l.run(t.Context(), "w-1", onAnsible{name: "check-ansible"})
	require.ErrorContains(t, err, "has no ansible-playbook")

	l.must("ansible", onAnsible{name: "remove-inventory"})
	_, err = l.dial("ansible").Get(t.Context(), directory+"/hosts.ini", 1<<20)
	require.True(t, lcm.Is(err, lcm.KindNotFound), "%v", err)
}
