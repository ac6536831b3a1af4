package kubecluster

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// RetireNodeOutput tells whether the node could be reset.
type RetireNodeOutput struct {
	// NotReachable: the node was left as it is. Reason says why.
	NotReachable bool   `json:"notReachable,omitempty"`
	Reason       string `json:"reason,omitempty"`
}

// farewell limits a command on a node that may be dead.
const farewell = 8 * time.Minute

// RetireNode stops the node's services for the cluster, and resets the node. The virtual IP moves away; HAProxy,
// kubelet and everything that kubeadm has made end. Afterwards the node can join again. RemoveMember removes its etcd
// member before.
//
// Best effort: a node that does not answer is no failure, because it may be the reason for the operation. Idempotent:
// it does not change a node that is already reset. Takes seconds, or minutes when kubeadm waits for an unavailable API
// server.
func (c *Activities) RetireNode(ctx context.Context, in reach.NodeInput) (out RetireNodeOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "retire "+in.Node.Name, err) }()
	return c.bidFarewell(ctx, in, false)
}

// ReleaseVirtualIP stops keepalived on a control plane that will leave, so that another control plane takes over the
// virtual IP while this one still works.
//
// Best effort and idempotent, like RetireNode. Takes seconds. ConfigureLoadBalancer starts keepalived again.
func (c *Activities) ReleaseVirtualIP(ctx context.Context, in reach.NodeInput) (out RetireNodeOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "take the virtual IP from "+in.Node.Name, err) }()
	return c.bidFarewell(ctx, in, true)
}

func (c *Activities) bidFarewell(
	ctx context.Context, in reach.NodeInput, onlyVirtualIP bool,
) (out RetireNodeOutput, err error) {
	defer activities.Heartbeat(ctx)()
	cluster, err := c.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	if off := c.poweredOff(ctx, in.OpOccID, in.Node); off != "" {
		out.NotReachable, out.Reason = true, in.Node.Name+": its server is "+off+"."
		c.Reach.Output.Lines(ctx, in.Step)("left as it is: " + out.Reason)
		return out, nil
	}
	limited, cancel := context.WithTimeout(ctx, reach.BriefDial)
	host, err := c.Reach.Hosts.Dial(limited, in.OpOccID, in.Node)
	cancel()
	if err == nil {
		_, err = c.Reach.Run(ctx, host, in.Step, reach.Task{
			Script: scripts.RetireNode{Member: reach.MemberOf(cluster, in.Node), OnlyVirtualIP: onlyVirtualIP}, Limit: farewell,
		})
		_ = host.Close()
	}
	if err == nil || ctx.Err() != nil || activities.Classify(err).Kind == lcm.KindBug {
		return out, err
	}
	out.NotReachable, out.Reason = true, activities.Classify(err).Sentence()
	c.Reach.Output.Lines(ctx, in.Step)("left as it is: " + out.Reason)
	return out, nil
}
