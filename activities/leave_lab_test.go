//go:build lab

package activities_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
)

// realCluster is one that the demo has made: WINDLASS_LAB_CLUSTER is the VNF instance's id, WINDLASS_LAB_NODES its nodes
// ("name=address ..."), WINDLASS_LAB_VIP its virtual IP, WINDLASS_LAB_REQUEST the instantiate request's file and
// WINDLASS_LAB_PACKAGE the package's directory.
func realCluster(t *testing.T, change func(*lcm.ClusterParams)) site {
	t.Helper()
	request, err := os.ReadFile(os.Getenv("WINDLASS_LAB_REQUEST"))
	require.NoError(t, err)
	var body struct {
		AdditionalParams json.RawMessage `json:"additionalParams"`
	}
	require.NoError(t, json.Unmarshal(request, &body))
	p, err := lcm.ParseClusterParams(body.AdditionalParams)
	require.NoError(t, err)
	p.Timeouts.Drain, p.Timeouts.VolumeDetach = 20, 10
	if change != nil {
		change(&p)
	}
	s := site{virtualIP: os.Getenv("WINDLASS_LAB_VIP")}
	for entry := range strings.FieldsSeq(os.Getenv("WINDLASS_LAB_NODES")) {
		name, address, _ := strings.Cut(entry, "=")
		role := lcm.Worker
		if strings.HasPrefix(name, "cp-") {
			role = lcm.ControlPlane
		}
		s.nodes = append(s.nodes, lcm.Node{Name: name, Role: role, ServerID: name, Address: address, SSHAddress: address})
	}
	began := time.Now()
	s.reach = activities.Reach{
		Hosts: sshHosts{dialer: &remote.Dialer{HostKeys: anyHostKey{}}, user: p.MasterNode.Username, password: p.MasterNode.Password.Clear},
		Clusters: &fixedCluster{activities.ClusterContext{
			Instance: lcm.VnfInstance{ID: lcm.VnfInstanceID(os.Getenv("WINDLASS_LAB_CLUSTER"))}, Params: p,
			PackageFile: func(_ context.Context, path string) ([]byte, error) {
				return os.ReadFile(filepath.Join(os.Getenv("WINDLASS_LAB_PACKAGE"), path))
			},
		}},
		Secrets: newSecrets(),
		Output:  &logOutput{show: func(line string) { fmt.Printf("%5.1f %s\n", time.Since(began).Seconds(), line) }},
	}
	return s
}

// on runs a command line as root on a node.
func (s site) on(t *testing.T, node lcm.Node, line string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // also for what tidies up
	defer cancel()
	host, err := s.reach.Hosts.Dial(ctx, opOcc, node)
	require.NoError(t, err)
	defer func() { _ = host.Close() }()
	result, err := host.Run(ctx, remote.Command{
		ID: fmt.Sprintf("test-%d", time.Now().UnixNano()), Script: "#!/bin/bash\nexport KUBECONFIG=/etc/kubernetes/admin.conf\n" + line + "\n", Sudo: true,
	})
	require.NoError(t, err)
	return strings.TrimSpace(result.Output)
}

func (s site) wait(t *testing.T) {
	t.Helper()
	var names []string
	for _, n := range s.nodes {
		names = append(names, n.Name)
	}
	cluster := &activities.Cluster{Reach: s.reach}
	must(t, cluster.WaitForNodes, activities.WaitForNodesInput{ClusterInput: s.cluster(), Nodes: names})
	assert.Empty(t, must(t, cluster.ClusterHealth, s.cluster()).Reason)
}

const web = `kubectl apply -f - <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {kubernetes.io/hostname: %[1]s}
      containers: [{name: web, image: "registry.k8s.io/pause:3.10.1", imagePullPolicy: IfNotPresent, volumeMounts: [{name: tmp, mountPath: /tmp}]}]
      volumes: [{name: tmp, emptyDir: {}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web-budget}
spec: {minAvailable: 1, selector: {matchExpressions: [{key: app, operator: In, values: [web, other]}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec: {nodeName: %[1]s, containers: [{name: bare, image: "registry.k8s.io/pause:3.10.1"}]}
END
kubectl wait --for=condition=Available deployment/web --timeout=60s && sleep 3`

func TestLab_drainsAWorkerThatABudgetHolds(t *testing.T) {
	s := realCluster(t, nil)
	cluster := &activities.Cluster{Reach: s.reach}
	first, worker := s.nodes[0], s.nodes.With(lcm.Worker)[0]
	s.on(t, first, fmt.Sprintf(web, worker.Name))
	t.Cleanup(func() { s.on(t, first, "kubectl delete deployment/web pdb/web-budget --ignore-not-found") })
	_, err := do(t, cluster.DrainNode, s.drain(worker))
	assertKind(t, err, lcm.KindBroken, "(the PodDisruptionBudget web-budget lets no pod go). Make room")
	assert.NotContains(t, err.Error(), "bare")
	must(t, cluster.UncordonNode, s.leaving(worker))
	in := s.drain(worker)
	in.Force = true
	assert.True(t, must(t, cluster.DrainNode, in).Forced)
	assert.False(t, must(t, cluster.DrainNode, s.drain(worker)).Forced, "again")
	must(t, cluster.DeleteNode, s.leaving(worker))
	must(t, cluster.DeleteNode, s.leaving(worker))
	for range 2 {
		assert.False(t, must(t, cluster.RetireNode, s.tracked(worker)).NotReachable)
	}
	buildMore(t, s, worker)
	s.wait(t)
}

func TestLab_controlPlaneWithTheVirtualIPLeavesAndComesBack(t *testing.T) {
	s := realCluster(t, nil)
	cluster, nodes := &activities.Cluster{Reach: s.reach}, &activities.Nodes{Reach: s.reach}
	all := s.nodes.With(lcm.ControlPlane)
	s.balance(t, all...) // with this test's password of VRRP
	holder := must(t, nodes.WaitForVirtualIP, activities.VirtualIPInput{ClusterInput: s.cluster(), VirtualIP: s.virtualIP}).Holder
	old := all[slices.IndexFunc(all, func(n lcm.Node) bool { return n.Name == holder })]
	rest := slices.DeleteFunc(slices.Clone(all), func(n lcm.Node) bool { return n.Name == holder })
	asked := s.cluster()
	asked.ControlPlanes = rest

	must(t, cluster.DrainNode, s.drain(old))
	must(t, cluster.ReleaseVirtualIP, s.tracked(old))
	moved := must(t, nodes.WaitForVirtualIP, activities.VirtualIPInput{ClusterInput: asked, VirtualIP: s.virtualIP}).Holder
	assert.NotEqual(t, holder, moved)
	before := s.on(t, rest[0], "journalctl -u keepalived -o cat | grep -c 'Entering BACKUP STATE\\|Entering MASTER STATE' || true")
	s.balance(t, rest...)
	assert.Equal(t, moved, must(t, nodes.WaitForVirtualIP, activities.VirtualIPInput{ClusterInput: asked, VirtualIP: s.virtualIP}).Holder)
	assert.Equal(t, before, s.on(t, rest[0], "journalctl -u keepalived -o cat | grep -c 'Entering BACKUP STATE\\|Entering MASTER STATE' || true"), "a reload leaves the virtual IP alone")
	for range 2 {
		must(t, cluster.RemoveMember, s.members(old))
	}
	must(t, cluster.DeleteNode, s.leaving(old))
	must(t, cluster.RetireNode, s.tracked(old))
	assert.Len(t, must(t, cluster.ClusterHealth, activities.ClusterInput{Tracked: asked.Tracked, OpOccID: opOcc, ControlPlanes: rest}).Members, 2)

	s.nodes = append(append(slices.Clone(rest), old), s.nodes.With(lcm.Worker)...)
	buildMore(t, s, old)
	s.wait(t)
}

// TestLab_controlPlaneThatIsDeadLeaves needs WINDLASS_LAB_DEAD, the name of a control plane that was switched off.
func TestLab_controlPlaneThatIsDeadLeaves(t *testing.T) {
	s := realCluster(t, nil)
	cluster := &activities.Cluster{Reach: s.reach}
	all := s.nodes.With(lcm.ControlPlane)
	at := slices.IndexFunc(all, func(n lcm.Node) bool { return n.Name == os.Getenv("WINDLASS_LAB_DEAD") })
	require.GreaterOrEqual(t, at, 0)
	dead := all[at]
	health := must(t, cluster.ClusterHealth, s.cluster())
	assert.Contains(t, health.Reason, "the etcd member "+dead.Name+" does not answer")
	other := all[(at+1)%len(all)]
	assert.NotEmpty(t, health.Refusal(lcm.Nodes{other}))
	_, err := do(t, cluster.RemoveMember, s.members(other))
	assertKind(t, err, lcm.KindInvalid, "etcd would lose its quorum without "+other.Name)
	must(t, cluster.DrainNode, s.drain(dead)) // Kubernetes may not have missed it yet
	for range 2 {
		must(t, cluster.RemoveMember, s.members(dead))
		must(t, cluster.DeleteNode, s.leaving(dead))
		assert.True(t, must(t, cluster.RetireNode, s.tracked(dead)).NotReachable)
	}
	s.nodes = slices.DeleteFunc(s.nodes, func(n lcm.Node) bool { return n.Name == dead.Name })
	s.wait(t)
}

// TestLab_controlPlaneComesBack lets WINDLASS_LAB_DEAD join anew, after it was switched on.
func TestLab_controlPlaneComesBack(t *testing.T) {
	s := realCluster(t, nil)
	at := slices.IndexFunc(s.nodes, func(n lcm.Node) bool { return n.Name == os.Getenv("WINDLASS_LAB_DEAD") })
	require.GreaterOrEqual(t, at, 0)
	assert.False(t, must(t, (&activities.Cluster{Reach: s.reach}).RetireNode, s.tracked(s.nodes[at])).NotReachable)
	buildMore(t, s, s.nodes[at])
	s.wait(t)
}

// TestLab_workerThatDiesIsDrained needs WINDLASS_LAB_DEAD, the name of a worker, and WINDLASS_LAB_KILL, a command that
// kills it.
func TestLab_workerThatDiesIsDrained(t *testing.T) {
	s := realCluster(t, func(p *lcm.ClusterParams) { p.Timeouts.Drain = 200 })
	cluster := &activities.Cluster{Reach: s.reach}
	at := slices.IndexFunc(s.nodes, func(n lcm.Node) bool { return n.Name == os.Getenv("WINDLASS_LAB_DEAD") })
	require.GreaterOrEqual(t, at, 0)
	s.on(t, s.nodes[0], fmt.Sprintf(web, s.nodes[at].Name))
	t.Cleanup(func() { s.on(t, s.nodes[0], "kubectl delete deployment/web pdb/web-budget --ignore-not-found") })
	out, err := exec.CommandContext(t.Context(), "sh", "-c", os.Getenv("WINDLASS_LAB_KILL")).CombinedOutput()
	require.NoError(t, err, string(out))
	drained := must(t, cluster.DrainNode, s.drain(s.nodes[at]))
	assert.True(t, drained.NotReachable)
	assert.True(t, drained.Forced)
	again := must(t, cluster.DrainNode, s.drain(s.nodes[at]))
	assert.True(t, again.NotReachable)
	must(t, cluster.DeleteNode, s.leaving(s.nodes[at]))
}

// TestLab_tellsThatTheQuorumIsLost needs WINDLASS_LAB_KILL to kill all control planes but the first.
func TestLab_tellsThatTheQuorumIsLost(t *testing.T) {
	s := realCluster(t, nil)
	cluster := &activities.Cluster{Reach: s.reach}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", os.Getenv("WINDLASS_LAB_KILL")).CombinedOutput()
	require.NoError(t, err, string(out))
	health := must(t, cluster.ClusterHealth, s.cluster())
	assert.Contains(t, health.Reason, "etcd has no quorum, as "+s.nodes[0].Name+" sees it")
	_, err = do(t, cluster.RemoveMember, s.members(s.nodes[1]))
	assert.Error(t, err)
}
