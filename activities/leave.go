package activities

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// RetireNodeOutput tells whether the node could be reset.
type RetireNodeOutput struct {
	// NotReachable: the node was left as it is. Reason says why.
	NotReachable bool   `json:"notReachable,omitempty"`
	Reason       string `json:"reason,omitempty"`
}

// The limits for commands on a node that may be dead.
const (
	farewellDial = 20 * time.Second
	farewell     = 8 * time.Minute
)

// RetireNode stops the node's services for the cluster, and resets the node. The virtual IP moves away; HAProxy,
// kubelet and everything that kubeadm has made end. Afterwards the node can join again. RemoveMember removes its etcd
// member before.
//
// Best effort: a node that does not answer is no failure, because it may be the reason for the operation. Idempotent:
// it does not change a node that is already reset. Takes seconds, or minutes when kubeadm waits for an unavailable API
// server.
func (c *Cluster) RetireNode(ctx context.Context, in NodeInput) (out RetireNodeOutput, err error) {
	defer func() { err = boundary(ctx, "retire "+in.Node.Name, err) }()
	return c.bidFarewell(ctx, in, false)
}

// ReleaseVirtualIP stops keepalived on a control plane that will leave, so that another control plane takes over the
// virtual IP while this one still works.
//
// Best effort and idempotent, like RetireNode. Takes seconds. ConfigureLoadBalancer starts keepalived again.
func (c *Cluster) ReleaseVirtualIP(ctx context.Context, in NodeInput) (out RetireNodeOutput, err error) {
	defer func() { err = boundary(ctx, "take the virtual IP from "+in.Node.Name, err) }()
	return c.bidFarewell(ctx, in, true)
}

func (c *Cluster) bidFarewell(ctx context.Context, in NodeInput, onlyVirtualIP bool) (out RetireNodeOutput, err error) {
	defer heartbeat(ctx)()
	cluster, err := c.cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	if off := c.poweredOff(ctx, in.OpOccID, in.Node); off != "" {
		out.NotReachable, out.Reason = true, in.Node.Name+": its server is "+off+"."
		c.Output.Lines(ctx, in.Step)("left as it is: " + out.Reason)
		return out, nil
	}
	limited, cancel := context.WithTimeout(ctx, farewellDial)
	host, err := c.Hosts.Dial(limited, in.OpOccID, in.Node)
	cancel()
	if err == nil {
		_, err = c.run(ctx, host, in.Step, task{
			script: scripts.RetireNode{Member: memberOf(cluster, in.Node), OnlyVirtualIP: onlyVirtualIP}, limit: farewell,
		})
		_ = host.Close()
	}
	if err == nil || ctx.Err() != nil || classify(err).Kind == lcm.KindBug {
		return out, err
	}
	out.NotReachable, out.Reason = true, classify(err).Sentence()
	c.Output.Lines(ctx, in.Step)("left as it is: " + out.Reason)
	return out, nil
}

// TellHostsInput names the node and its neighbours.
type TellHostsInput struct {
	NodeInput
	// Hosts are the entries of /etc/hosts, the node's own among them.
	Hosts []HostEntry `json:"hosts"`
	// WasBroken is set for a node that did not work before the operation: the step may skip it.
	WasBroken bool `json:"wasBroken,omitempty"`
}

// TellHostsOutput is empty: the node knows its neighbours.
type TellHostsOutput struct{}

// TellHosts updates the neighbours in a node's /etc/hosts, as PrepareNode does, and changes nothing else on the node.
//
// Idempotent: it writes the file only when it differs. Takes seconds.
func (n *Nodes) TellHosts(ctx context.Context, in TellHostsInput) (out TellHostsOutput, err error) {
	defer func() { err = boundary(ctx, "update the hosts file of "+in.Node.Name, err) }()
	defer heartbeat(ctx)()
	cluster, err := n.cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	tell := scripts.TellHosts{Node: in.Node.Name}
	for _, h := range in.Hosts {
		tell.Hosts = append(tell.Hosts, h.Address+" "+h.Name)
	}
	_, err = n.runOn(ctx, in.NodeInput, command(cluster, tell))
	if n.passOver(ctx, in.NodeInput, in.WasBroken, err) {
		return out, nil
	}
	return out, err
}
