package balancer

import (
	"context"
	"hash/crc32"
	"net"
	"slices"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// Exposures knows the VNFs on each cluster, and the ports that load balancers serve for them.
type Exposures interface {
	// BalancersBefore returns the load balancers in front of the cluster that runs the operation's VNF; none if the
	// cluster is not a VNF.
	BalancersBefore(ctx context.Context, id lcm.OpOccID) (lcm.Nodes, error)
	// Exposed returns the ports of the VNFs on the cluster of an operation.
	Exposed(ctx context.Context, id lcm.OpOccID) ([]lcm.ExposedPorts, error)
	// Gone tells whether a VNF exposes nothing any more; false for an unknown VNF.
	Gone(ctx context.Context, id lcm.VnfInstanceID) (bool, error)
}

// names tells whether the request names a load balancer of the cluster, by one of its addresses.
func names(exposure *nodeport.Exposure, node lcm.Node) bool {
	return slices.ContainsFunc(exposure.Params.Balancer.All(), func(address string) bool { return hasAddress(address)(node) })
}

// hasAddress tells whether a load balancer has this address, or Windlass logs in to it there.
func hasAddress(address string) func(lcm.Node) bool {
	return func(n lcm.Node) bool {
		host, _, err := net.SplitHostPort(n.SSHAddress)
		if err != nil {
			host = n.SSHAddress
		}
		return n.Address == address || host == address
	}
}

// passStranger skips a former load balancer of the cluster: another server may have its address now.
func passStranger(ctx context.Context, r reach.Runner, in reach.NodeInput, err error) bool {
	if err == nil || ctx.Err() != nil {
		return false
	}
	r.Output.Lines(ctx, in.Step)("left as it is, because it is no load balancer of the cluster any more: " +
		activities.Classify(err).Sentence())
	return true
}

// exposed returns the ports of VNFs that a new load balancer takes over. It reads them now, because the operation may
// have begun long ago.
func (n *Activities) exposed(ctx context.Context, in ExternalLoadBalancerInput) ([]lcm.ExposedPorts, error) {
	if n.Exposures == nil {
		return in.Exposed, nil
	}
	return n.Exposures.Exposed(ctx, in.OpOccID)
}

// hideGone removes ports that a load balancer still serves for deleted VNFs. It did not answer at their deletion, or
// was added meanwhile.
func (n *Activities) hideGone(ctx context.Context, in reach.NodeInput, owners []string) error {
	if n.Exposures == nil {
		return nil
	}
	for _, owner := range owners {
		gone, err := n.Exposures.Gone(ctx, lcm.VnfInstanceID(owner))
		if err != nil {
			return err
		}
		if !gone {
			continue
		}
		n.Reach.Output.Lines(ctx, in.Step)("The VNF instance " + owner + " is gone: the load balancer no longer serves its " +
			"Services.")
		_, err = n.Reach.RunOn(ctx, in, reach.Task{
			Script: scripts.ExposeServices{Owner: owner, Timeout: exposureWait}, Limit: exposureLimit,
			Round: int(crc32.ChecksumIEEE([]byte(owner))), // the same in every attempt, whatever other VNFs are gone then
		})
		if err != nil {
			return err
		}
	}
	return nil
}
