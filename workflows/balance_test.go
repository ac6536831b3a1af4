package workflows

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// balancers records the changes of load balancers.
type balancers struct {
	mu     sync.Mutex
	holder string
	broken string // a node whose configuration fails
	done   []string
}

func (l *balancers) add(words ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = append(l.done, strings.Join(words, " "))
}

func names(list lcm.Nodes) string {
	var out []string
	for _, n := range list {
		out = append(out, n.Name)
	}
	return strings.Join(out, ",")
}

func (l *balancers) locate(_ context.Context, in balancer.VirtualIPInput) (balancer.VirtualIPOutput, error) {
	l.add("locate among", names(in.ControlPlanes))
	return balancer.VirtualIPOutput{Holder: l.holder}, nil
}

func (l *balancers) configure(
	_ context.Context, in balancer.LoadBalancerInput,
) (balancer.LoadBalancerOutput, error) {
	l.add("configure", in.Node.Name, "with", names(in.ControlPlanes))
	if in.Node.Name == l.broken {
		return balancer.LoadBalancerOutput{}, temporal.NewNonRetryableApplicationError("HAProxy refuses its configuration",
			string(lcm.KindBroken), nil)
	}
	if !in.Serving {
		return balancer.LoadBalancerOutput{},
			temporal.NewNonRetryableApplicationError("nobody asked for a server behind it", string(lcm.KindBug), nil)
	}
	return balancer.LoadBalancerOutput{}, nil
}

func (l *balancers) wait(_ context.Context, in balancer.VirtualIPInput) (balancer.VirtualIPOutput, error) {
	l.add("verified on", names(in.ControlPlanes))
	return balancer.VirtualIPOutput{Holder: l.holder}, nil
}

// rebalanced runs rebalance on these control planes.
func (l *balancers) rebalanced(t *testing.T, controlPlanes, serving string) error {
	t.Helper()
	env := newEnvironment()
	for name, act := range map[string]any{
		"LocateVirtualIP": l.locate, "ConfigureLoadBalancer": l.configure, "WaitForVirtualIP": l.wait,
	} {
		env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name})
	}
	list := func(text string) (out lcm.Nodes) {
		for name := range strings.SplitSeq(text, ",") {
			out = append(out, lcm.Node{Name: name, ServerID: "server-" + name, Role: lcm.ControlPlane})
		}
		return out
	}
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		b := &kubeadmWork{&clusterWork{vnf: &vnf{in: lcm.OperationInput{OpOccID: "op"}}}}
		ctx = workflow.WithValue(ctx, stepKey{}, &running{title: "Set up HAProxy and keepalived"})
		return b.rebalance(ctx, list(controlPlanes), list(serving))
	})
	return env.GetWorkflowError()
}

func TestRebalance_changesOneNodeAtATimeTheHolderBeforeTheNewOnes(t *testing.T) {
	t.Parallel()
	l := &balancers{holder: "b"}
	require.NoError(t, l.rebalanced(t, "a,b,c,d,e", "a,b,c"))
	require.Equal(t, []string{
		"locate among a,b,c",
		"configure a with a,b,c,d,e", "verified on a,b,c",
		"configure c with a,b,c,d,e", "verified on a,b,c",
		"configure b with a,b,c,d,e", "verified on a,b,c",
		"configure d with a,b,c,d,e", "verified on a,b,c,d",
		"configure e with a,b,c,d,e", "verified on a,b,c,d,e",
	}, l.done)
}

func TestRebalance_changesTheHolderLastWhenOthersLeave(t *testing.T) {
	t.Parallel()
	l := &balancers{holder: "a"}
	require.NoError(t, l.rebalanced(t, "a,b,c", "a,b,c"))
	require.Equal(t, []string{
		"locate among a,b,c", "configure b with a,b,c", "verified on a,b,c", "configure c with a,b,c", "verified on a,b,c",
		"configure a with a,b,c", "verified on a,b,c",
	}, l.done)
}

func TestRebalance_stopsAtTheFirstNodeThatFails(t *testing.T) {
	t.Parallel()
	l := &balancers{holder: "b", broken: "c"}
	require.ErrorContains(t, l.rebalanced(t, "a,b,c", "a,b,c"), "HAProxy refuses")
	require.Equal(t, []string{
		"locate among a,b,c", "configure a with a,b,c", "verified on a,b,c", "configure c with a,b,c",
	}, l.done, "the holder of the virtual IP is as it was")
}
