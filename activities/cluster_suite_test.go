package activities_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

const opOcc lcm.OpOccID = "0f1e2d3c-0000-4000-8000-00000000aaaa"

// site is where the suite builds its cluster: on fake nodes.
type site struct {
	reach     activities.Reach
	nodes     lcm.Nodes
	virtualIP string
}

func (s site) tracked(node lcm.Node) activities.NodeInput {
	return activities.NodeInput{
		Tracked: activities.Tracked{Step: lcm.StepRef{OpOccID: opOcc, Node: node.Name}},
		OpOccID: opOcc, Node: node,
	}
}

func (s site) cluster() activities.ClusterInput {
	return activities.ClusterInput{
		Tracked: activities.Tracked{Step: lcm.StepRef{OpOccID: opOcc}}, OpOccID: opOcc,
		ControlPlanes: s.nodes.With(lcm.ControlPlane),
	}
}

// do runs one activity in Temporal's test environment.
func do[In, Out any](t *testing.T, act func(context.Context, In) (Out, error), in In) (Out, error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(act)
	var out Out
	value, err := env.ExecuteActivity(act, in)
	if err == nil {
		err = value.Get(&out)
	}
	return out, err
}

func must[In, Out any](t *testing.T, act func(context.Context, In) (Out, error), in In) Out {
	t.Helper()
	out, err := do(t, act, in)
	require.NoError(t, err)
	return out
}

// buildCluster makes a cluster from nothing, in the order of the operation.
func buildCluster(t *testing.T, s site) activities.VimAccountOutput {
	t.Helper()
	nodes, cluster := &activities.Nodes{Reach: s.reach}, &activities.Cluster{Reach: s.reach}
	controlPlanes, workers := s.nodes.With(lcm.ControlPlane), s.nodes.With(lcm.Worker)
	each(s.nodes, func(n lcm.Node) { must(t, nodes.WaitForSSH, s.tracked(n)) })
	each(s.nodes, func(n lcm.Node) { must(t, nodes.CheckNode, s.tracked(n)) })
	each(s.nodes, func(n lcm.Node) {
		must(t, nodes.PrepareNode, activities.PrepareNodeInput{
			NodeInput: s.tracked(n),
			Hosts:     activities.HostEntries(s.nodes), VirtualIP: s.virtualIP,
		})
	})
	if s.virtualIP != "" {
		each(controlPlanes, func(n lcm.Node) {
			must(t, nodes.ConfigureLoadBalancer, activities.LoadBalancerInput{
				NodeInput:     s.tracked(n),
				ControlPlanes: controlPlanes, VirtualIP: s.virtualIP,
			})
		})
		held := must(t, nodes.WaitForVirtualIP, activities.VirtualIPInput{ClusterInput: s.cluster(), VirtualIP: s.virtualIP})
		assert.Equal(t, controlPlanes[0].Name, held.Holder)
	}
	must(t, cluster.InitControlPlane, activities.InitControlPlaneInput{
		NodeInput: s.tracked(controlPlanes[0]), ControlPlanes: controlPlanes, VirtualIP: s.virtualIP, NodeCount: len(s.nodes),
	})
	must(t, cluster.ApplyPodNetwork, s.cluster())
	join := must(t, cluster.MintJoin, activities.MintJoinInput{
		ClusterInput:     s.cluster(),
		ForControlPlanes: len(controlPlanes) > 1,
	})
	for _, n := range controlPlanes[1:] {
		must(t, cluster.JoinControlPlane, activities.JoinControlPlaneInput{
			NodeInput: s.tracked(n), ControlPlanes: controlPlanes, VirtualIP: s.virtualIP, Join: join,
		})
	}
	each(workers, func(n lcm.Node) {
		must(t, cluster.JoinWorker, activities.JoinWorkerInput{
			NodeInput: s.tracked(n), VirtualIP: s.virtualIP, ControlPlane: controlPlanes[0].Address, Join: join,
		})
	})
	must(t, cluster.RevokeJoin, s.cluster())
	must(t, cluster.LabelNodes, activities.LabelNodesInput{
		ClusterInput: s.cluster(),
		Labels:       activities.NodeLabels(s.nodes),
	})
	var names []string
	for _, n := range s.nodes {
		names = append(names, n.Name)
	}
	must(t, cluster.WaitForNodes, activities.WaitForNodesInput{ClusterInput: s.cluster(), Nodes: names})
	return must(t, cluster.CreateVimAccount, activities.VimAccountInput{ClusterInput: s.cluster(), VirtualIP: s.virtualIP})
}

// each does all nodes at once, as the workflows do.
func each(nodes lcm.Nodes, do func(lcm.Node)) {
	var all sync.WaitGroup
	for _, n := range nodes {
		all.Go(func() { do(n) })
	}
	all.Wait()
}

// memorySecrets is a vault that keeps everything in clear.
type memorySecrets struct {
	mu     sync.Mutex
	values map[lcm.SecretRef]string
}

func newSecrets() *memorySecrets { return &memorySecrets{values: map[lcm.SecretRef]string{}} }

func (m *memorySecrets) Get(_ context.Context, ref lcm.SecretRef) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.values[ref]
	if !ok {
		return "", lcm.Errorf(lcm.KindNotFound, "There is no secret %s.", ref)
	}
	return value, nil
}

func (m *memorySecrets) Ensure(_ context.Context, ref lcm.SecretRef, generate func() (string, error)) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value, ok := m.values[ref]; ok {
		return value, nil
	}
	value, err := generate()
	m.values[ref] = value
	return value, err
}

func (m *memorySecrets) Put(_ context.Context, ref lcm.SecretRef, clear string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[ref] = clear
	return nil
}

// secretsIn lists the values whose reference ends so.
func (m *memorySecrets) ending(suffix string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for ref, value := range m.values {
		if strings.HasSuffix(string(ref), suffix) {
			out = append(out, value)
		}
	}
	return out
}

// logOutput keeps the lines of all steps.
type logOutput struct {
	mu    sync.Mutex
	lines []string
	show  func(string)
}

func (l *logOutput) Lines(_ context.Context, ref lcm.StepRef) func(string) {
	return func(line string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines = append(l.lines, ref.Node+": "+line)
		if l.show != nil {
			l.show(ref.Node + ": " + line)
		}
	}
}

// fixedCluster answers the same parameters for every operation.
type fixedCluster struct{ context activities.ClusterContext }

func (f *fixedCluster) Cluster(context.Context, lcm.OpOccID) (activities.ClusterContext, error) {
	c := f.context
	c.Access = func(role lcm.Role) lifecycle.Access {
		a, _ := (&kubeadm.Cluster{Params: c.Params}).Access(role)
		return a
	}
	return c, nil
}
