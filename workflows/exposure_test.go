package workflows

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// TestTerminate_hidesServicesOnAllLoadBalancers checks that no load balancer serves a terminated VNF any more. The
// operation skips load balancers that do not answer, and does not delay the others.
func TestTerminate_hidesServicesOnAllLoadBalancers(t *testing.T) {
	t.Parallel()
	hide := (&nodeport.Exposure{}).Steps(lifecycle.TerminateStart, lifecycle.Facts{}, lcm.Plan{})
	for name, c := range map[string]struct {
		dead string
		done []string
	}{
		"all answer":  {"", []string{"named", "other", "former"}},
		"one is gone": {"named", []string{"passed named", "other", "former"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{what: lifecycle.Description{Steps: hide}}
			env := newRun(t, w)
			env.RegisterWorkflow(Terminate)
			env.RegisterActivityWithOptions(
				func(context.Context, resources.DeploymentInput) (balancer.FindServicesOutput, error) {
					node := func(name string) lcm.Nodes { return lcm.Nodes{{Name: name, Role: lcm.LoadBalancer}} }
					return balancer.FindServicesOutput{
						Balancers: node("named"), OfCluster: node("other"), Former: node("former"),
					}, nil
				},
				activity.RegisterOptions{Name: "FindServices"},
			)
			var done []string
			env.RegisterActivityWithOptions(func(_ context.Context,
				in balancer.ExposeServicesInput,
			) (out balancer.ExposeServicesOutput, err error) {
				require.True(t, in.Hide)
				require.Equal(t, in.Node.Name == "other", in.OfCluster)
				require.Equal(t, in.Node.Name == "former", in.Former)
				what := in.Node.Name
				if c.dead == what {
					if !in.PassOver {
						return out, temporal.NewNonRetryableApplicationError("no answer", string(lcm.KindUnavailable), nil)
					}
					what = fmt.Sprintf("passed %s", what)
				}
				done = append(done, what)
				return out, nil
			}, activity.RegisterOptions{Name: "ExposeServices"})
			env.ExecuteWorkflow(Terminate, lcm.OperationInput{OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpTerminate})
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, c.done, done)
		})
	}
}
