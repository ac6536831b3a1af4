package reach

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ClusterContext is what the activities of cluster drivers need in addition to their input.
type ClusterContext struct {
	activities.VnfContext
	cluster.Work
}

// Cluster returns the requested cluster of an operation.
func (r Runner) Cluster(ctx context.Context, id lcm.OpOccID) (c ClusterContext, err error) {
	if c.VnfContext, err = r.Vnfs.Vnf(ctx, id); err != nil {
		return c, err
	}
	driver, err := ClusterDriver(c.VnfContext)
	if err != nil {
		return c, err
	}
	c.Work = driver.Work(c.Own, c.Former, r.Defaults)
	return c, nil
}

// ClusterDriver returns the common part of the VNF's driver that makes a cluster.
func ClusterDriver(v activities.VnfContext) (*cluster.Common, error) {
	if d := cluster.In(v.Drivers); d != nil {
		return d.Shared(), nil
	}
	return nil, lcm.Errorf(lcm.KindBug, "Windlass ran a step for clusters, but the VNF is no cluster.")
}

// Balances tells whether several control planes of the cluster share a virtual IP.
func Balances(v activities.VnfContext) bool {
	d := cluster.In(v.Drivers)
	return d != nil && d.Balances()
}
