package pkgplaybook

import (
	"context"
	"strings"
	"sync"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// FindRemainsOutput has the nodes that kubeadm has begun to make.
type FindRemainsOutput struct {
	Nodes lcm.Nodes `json:"nodes,omitempty"`
}

// FindRemains looks on the nodes themselves which of them kubeadm has begun to make, or has made.
// Idempotent: it only reads. It asks all nodes in parallel, and takes about a second.
func (a *Ansible) FindRemains(ctx context.Context, in AnsibleInput) (out FindRemainsOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "look for what an earlier run has left", err) }()
	defer activities.Heartbeat(ctx)()
	k, err := a.kubespray(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	remains, errs := make([]bool, len(in.Nodes)), make([]error, len(in.Nodes))
	var all sync.WaitGroup
	for i, node := range in.Nodes {
		all.Go(func() {
			results, err := a.Reach.RunOn(ctx, reach.NodeInput{Tracked: in.Tracked, OpOccID: in.OpOccID, Node: node},
				reach.Command(k.ClusterContext, scripts.LookForRemains{}))
			remains[i], errs[i] = results.Get("remains") == "yes", err
		})
	}
	all.Wait()
	var names []string
	for i, node := range in.Nodes {
		if errs[i] != nil {
			return FindRemainsOutput{}, errs[i]
		}
		if remains[i] {
			out.Nodes, names = append(out.Nodes, node), append(names, node.Name)
		}
	}
	if len(names) > 0 {
		a.Reach.Output.Lines(ctx, in.Step)("An earlier run has begun to make " + strings.Join(names, ", ") +
			". If one of them is not Ready, kubespray resets it before it goes on.")
	}
	return out, nil
}

// PointToSelfInput names a control plane that stays, and those that go.
type PointToSelfInput struct {
	reach.NodeInput
	Gone lcm.Nodes `json:"gone"`
}

// PointToSelfOutput is empty: the control plane asks itself.
type PointToSelfOutput struct{}

// PointToSelf has a control plane ask its own API server, and nodes that join ask it, where they would ask one that goes.
// Its API server gets its own certificate for etcd.
// Idempotent: it leaves alone what names no such control plane. Takes as long as the API server starts.
func (a *Ansible) PointToSelf(ctx context.Context, in PointToSelfInput) (out PointToSelfOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "point "+in.Node.Name+" to itself", err) }()
	defer activities.Heartbeat(ctx)()
	k, err := a.kubespray(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	script := scripts.PointToSelf{Member: reach.MemberOf(k.ClusterContext, in.Node)}
	for _, node := range in.Gone {
		script.Gone, script.GoneNodes = append(script.Gone, node.Address), append(script.GoneNodes, node.Name)
	}
	_, err = a.Reach.RunOn(ctx, in.NodeInput, reach.Command(k.ClusterContext, script))
	return out, err
}
