package balancer_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// knownExposures is a cluster with load balancers, and the VNFs on it.
type knownExposures struct {
	balancers lcm.Nodes
	exposed   []lcm.ExposedPorts
	gone      string
}

func (k *knownExposures) BalancersBefore(context.Context, lcm.OpOccID) (lcm.Nodes, error) {
	return k.balancers, nil
}

func (k *knownExposures) Exposed(context.Context, lcm.OpOccID) ([]lcm.ExposedPorts, error) {
	return k.exposed, nil
}

func (k *knownExposures) Gone(_ context.Context, id lcm.VnfInstanceID) (bool, error) {
	return string(id) == k.gone, nil
}

// exposingCloud is a Kubernetes with a Service.
type exposingCloud struct{ activitytest.FakeCloud }

func (c *exposingCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

func (*exposingCloud) NodePorts(context.Context, string) ([]lcm.ExposedService, error) {
	return []lcm.ExposedService{{Namespace: "default", Name: "web", NodePorts: []int{30080}}}, nil
}

func TestFindServices_knowsTheLoadBalancersOfItsCluster(t *testing.T) {
	at := func(server, address, ssh string) lcm.Node {
		return lcm.Node{
			Name: "lb-" + server, Role: lcm.LoadBalancer, ServerID: server, Address: address, SSHAddress: ssh,
		}
	}
	pair := lcm.Nodes{at("31", "10.0.0.31", "192.0.2.31"), at("32", "10.0.0.32", "10.0.0.32")}
	for name, c := range map[string]struct {
		named                      []string
		now                        lcm.Nodes
		operation                  lcm.Operation
		balancers, cluster, former []string
	}{
		"none are recorded":          {[]string{"10.0.0.31"}, nil, lcm.OpTerminate, []string{"10.0.0.31:2222"}, nil, nil},
		"one of a pair is named":     {[]string{"10.0.0.31"}, pair, lcm.OpInstantiate, []string{"10.0.0.31:2222"}, []string{"10.0.0.32"}, nil},
		"by its floating address":    {[]string{"192.0.2.31"}, pair, lcm.OpInstantiate, []string{"192.0.2.31:2222"}, []string{"10.0.0.32"}, nil},
		"one was named":              {[]string{"10.0.0.31"}, pair, lcm.OpTerminate, nil, []string{"192.0.2.31", "10.0.0.32"}, nil},
		"both were named":            {[]string{"10.0.0.32", "10.0.0.31"}, pair, lcm.OpHeal, nil, []string{"192.0.2.31", "10.0.0.32"}, nil},
		"a heal gave other ones":     {[]string{"10.0.0.30"}, pair, lcm.OpTerminate, nil, []string{"192.0.2.31", "10.0.0.32"}, []string{"10.0.0.30:2222"}},
		"one before another cluster": {[]string{"10.0.0.30"}, pair, lcm.OpInstantiate, []string{"10.0.0.30:2222"}, []string{"192.0.2.31", "10.0.0.32"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _, output := activitytest.NewFake(t, 1, 0, nil)
			vnf := s.Reach.Vnfs.(*activitytest.FixedVnf)
			vnf.Context.OpOcc.Operation = c.operation
			vnf.Context.Drivers = []lifecycle.VnfDriver{&nodeport.Exposure{Params: nodeport.Params{
				Balancer: nodeport.Balancer{Addresses: c.named, Username: "debian", Port: 2222},
			}}}
			infra := &balancer.ByCloud{
				Cloud: resources.Cloud{
					VIMs: &exposingCloud{}, Deployments: activitytest.FixedDeployment{}, Output: output,
				}, Vnfs: vnf,
				Exposures: &knownExposures{balancers: c.now},
			}
			for range 2 {
				out := activitytest.Must(t, infra.FindServices, activitytest.DeploymentInput())
				assert.Equal(t, []int{30080}, out.Ports())
				assert.Equal(t, c.balancers, sshAddresses(out.Balancers))
				assert.Equal(t, c.cluster, sshAddresses(out.OfCluster))
				assert.Equal(t, c.former, sshAddresses(out.Former))
			}
		})
	}
}

func sshAddresses(list lcm.Nodes) (out []string) {
	for _, n := range list {
		out = append(out, n.SSHAddress)
	}
	return out
}

// TestExposeServices_reachesTheClustersLoadBalancersAsTheClusterDoes checks that the cluster's load balancers are
// reached with the cluster's credentials. The package's script runs only on the load balancers that the request names.
func TestExposeServices_reachesTheClustersLoadBalancersAsTheClusterDoes(t *testing.T) {
	fake, nodes, in := exposedSite(t, "Scripts/configure_lb.sh")
	fake.Replies["expose-services"] = activitytest.Results("ours", "no")
	nodes.Before, nodes.Reach.Hosts = nodes.Reach.Hosts, nil // the request's credentials must not be used
	in.OfCluster, in.Hide = true, true
	named := in.Node.Address
	in.Node.Address, in.Node.SSHAddress = "10.0.0.32", "10.0.0.32"
	for range 2 {
		activitytest.Must(t, nodes.ExposeServices, in)
	}
	require.Len(t, fake.Ran, 2)
	for _, cmd := range fake.Ran {
		name, _ := activitytest.ReadScript(cmd.Script)
		assert.Equal(t, "expose-services", name)
	}
	in.Node.Address = named
	activitytest.Must(t, nodes.ExposeServices, in)
	require.Len(t, fake.Ran, 4)
	name, params := activitytest.ReadScript(fake.Ran[3].Script)
	assert.Equal(t, "run-exposure-script", name)
	assert.Equal(t, "False", params["ADD"])
}

// TestExposeServices_leavesAloneWhatIsNoLoadBalancerAnyMore has a former load balancer whose address another server may
// have now.
func TestExposeServices_leavesAloneWhatIsNoLoadBalancerAnyMore(t *testing.T) {
	fake, nodes, in := exposedSite(t, "")
	in.Former, in.Hide = true, true
	for range 2 {
		fake.Fail["dial "+in.Node.Name] = []error{
			lcm.Errorf(lcm.KindUnavailable, "No route to host."), lcm.Errorf(lcm.KindDenied, "Another host key."),
		}
		activitytest.Must(t, nodes.ExposeServices, in)
		activitytest.Must(t, nodes.ExposeServices, in)
	}
	require.Empty(t, fake.Ran)
	fake.Replies["expose-services"] = activitytest.Results("ours", "no")
	activitytest.Must(t, nodes.ExposeServices, in)
	require.Len(t, fake.Ran, 1)

	in.Former, in.Hide = false, false
	fake.Fail["dial "+in.Node.Name] = []error{lcm.Errorf(lcm.KindDenied, "Another host key.")}
	_, err := activitytest.Do(t, nodes.ExposeServices, in)
	activitytest.AssertKind(t, err, lcm.KindDenied, "host key")
}

func TestConfigureExternalLoadBalancer_servesVnfsThatAreThere(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383})
	in.Exposed = []lcm.ExposedPorts{{Owner: "gone", Ports: []int{30443}}} // it was there when the operation began
	nodes := &balancer.Activities{Reach: s.Reach, Exposures: &knownExposures{
		exposed: []lcm.ExposedPorts{{Owner: "web", Ports: []int{30080}}}, gone: "gone",
	}}
	fake.Replies["balance-externally"] = activitytest.Results(
		"exposed", "web", "exposed", "gone", "exposed", "of-another-windlass",
	)
	for range 2 {
		fake.Ran = nil
		activitytest.Must(t, nodes.ConfigureExternalLoadBalancer, in)
		require.Len(t, fake.Ran, 2)
		assert.Equal(t, "web 30080\n", activitytest.ReadStdin(fake.Ran[0].Stdin)["exposed"])
		name, params := activitytest.ReadScript(fake.Ran[1].Script)
		assert.Equal(t, "expose-services", name)
		assert.Equal(t, "gone", params["OWNER"])
		assert.Empty(t, params["PORTS"])
	}
}
