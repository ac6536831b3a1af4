package kubenode

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/scripts"
)

// TellHostsInput names the node and its neighbours.
type TellHostsInput struct {
	reach.NodeInput
	// Hosts are the entries of /etc/hosts, the node's own among them.
	Hosts []reach.HostEntry `json:"hosts"`
	// WasBroken is set for a node that did not work before the operation: the step may skip it.
	WasBroken bool `json:"wasBroken,omitempty"`
}

// TellHostsOutput is empty: the node knows its neighbours.
type TellHostsOutput struct{}

// TellHosts updates the neighbours in a node's /etc/hosts, as PrepareNode does, and changes nothing else on the node.
//
// Idempotent: it writes the file only when it differs. Takes seconds.
func (n *Activities) TellHosts(ctx context.Context, in TellHostsInput) (out TellHostsOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "update the hosts file of "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := n.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	tell := scripts.TellHosts{Node: in.Node.Name}
	for _, h := range in.Hosts {
		tell.Hosts = append(tell.Hosts, h.Address+" "+h.Name)
	}
	_, err = n.Reach.RunOn(ctx, in.NodeInput, reach.Command(cluster, tell))
	if n.Reach.PassOver(ctx, in.NodeInput, in.WasBroken, err) {
		return out, nil
	}
	return out, err
}
