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
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// balancingCloud is a VIM with load balancers. It records their configuration.
type balancingCloud struct {
	activitytest.Unused

	has map[string]vim.LoadBalancer
}

func (c *balancingCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

func (c *balancingCloud) Inventory(context.Context, string) (*vim.Inventory, error) {
	return &vim.Inventory{
		ID: "stack", Resources: []vim.Resource{{Kind: vim.LinkPort, Name: "vip", ID: "port", Part: "stack"}},
		Ports: map[string]vim.Port{"port": {ID: "port", Address: "10.0.0.30"}},
	}, nil
}

func (c *balancingCloud) Balance(_ context.Context, b vim.LoadBalancer, _ func(string)) error {
	c.has[b.Name] = b
	return nil
}

func (c *balancingCloud) RemoveBalancer(_ context.Context, name, _ string, _ func(string)) error {
	delete(c.has, name)
	return nil
}

func (c *balancingCloud) BalancerState(_ context.Context, name, _ string) (vim.Level, string, error) {
	if _, has := c.has[name]; !has {
		return vim.Removed, "DELETED", nil
	}
	return vim.Running, "ACTIVE", nil
}

func TestBalanceByCloud_toldTwiceIsOne(t *testing.T) {
	s, _, _, output := activitytest.NewFake(t, 3, 2, func(p *k8s.Params) {
		p.ExternalLB = &k8s.ExternalLBParams{
			Octavia: &k8s.OctaviaParams{Provider: "amphora"}, ClusterCpName: "vip", Port: 8383, NodePorts: []int{30080},
		}
	})
	cloud := &balancingCloud{has: map[string]vim.LoadBalancer{}}
	infra := &balancer.ByCloud{
		Cloud: resources.Cloud{
			VIMs:        cloud,
			Deployments: activitytest.FixedDeployment{},
			Output:      output,
		}, Vnfs: s.Reach.Vnfs,
	}
	in := balancer.CloudBalancerInput{Tracked: s.Cluster().Tracked, OpOccID: activitytest.OpOcc, Nodes: s.Nodes}
	for range 2 {
		activitytest.Must(t, infra.BalanceByCloud, in)
	}
	require.Len(t, cloud.has, 1)
	lb := cloud.has["vnf-1"]
	assert.Equal(t, "port", lb.PortID)
	assert.Equal(t, "owner-1", lb.Owner)
	require.Len(t, lb.Routes, 2)
	assert.Len(t, lb.Routes[0].Members, 3, "the API is on control planes")
	assert.Equal(t, 6443, lb.Routes[0].MemberPort)
	assert.Len(t, lb.Routes[1].Members, 5, "a NodePort is on all nodes")
	for range 2 {
		activitytest.Must(
			t,
			infra.RemoveCloudBalancer,
			resources.DeploymentInput{Tracked: in.Tracked, OpOccID: activitytest.OpOcc},
		)
	}
	assert.Empty(t, cloud.has)
}
