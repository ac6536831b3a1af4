package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// clusterContext is what the activities of cluster drivers need in addition to their input.
type clusterContext struct {
	VnfContext
	cluster.Work
}

// cluster returns the requested cluster of an operation.
func (r Reach) cluster(ctx context.Context, id lcm.OpOccID) (c clusterContext, err error) {
	if c.VnfContext, err = r.Vnfs.Vnf(ctx, id); err != nil {
		return c, err
	}
	driver, err := c.clusterDriver()
	if err != nil {
		return c, err
	}
	c.Work = driver.Work(c.Own, c.Former, r.Defaults)
	return c, nil
}

// clusterDriver returns the common part of the VNF's driver that makes a cluster.
func (v VnfContext) clusterDriver() (*cluster.Cluster, error) {
	if d := cluster.In(v.Drivers); d != nil {
		return d.Shared(), nil
	}
	return nil, lcm.Errorf(lcm.KindBug, "Windlass ran a step for clusters, but the VNF is no cluster.")
}

// balances tells whether several control planes of the cluster share a virtual IP.
func (v VnfContext) balances() bool {
	d := cluster.In(v.Drivers)
	return d != nil && d.Balances()
}
