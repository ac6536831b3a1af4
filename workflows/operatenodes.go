package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// awaitBack waits for nodes that a rollback has started again. It waits only for nodes that ran before.
func (p *power) awaitBack(ctx workflow.Context, is kind) error {
	list, err := p.nodesOf(ctx, func(node lcm.Node, isNode bool) bool {
		return is(node, isNode) && !slices.Contains(p.what.Stopped, node.ServerID)
	})
	if err != nil || len(list) == 0 {
		return err
	}
	if err := p.awaitLogin(ctx, list); err != nil {
		return err
	}
	return p.await(ctx, list)
}

func (p *power) awaitLogins(ctx workflow.Context) error {
	list, err := p.nodesOf(ctx, anyNode)
	if err != nil {
		return err
	}
	return p.awaitLogin(onlyWaits(ctx), list)
}

func (p *power) awaitLogin(ctx workflow.Context, list lcm.Nodes) error {
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.nodes.WaitForSSH, p.on(ctx, node))
		return err
	})
}

// tellStarted updates what the nodes know of each other. While some nodes were stopped, the VNF may have been scaled or
// healed.
func (p *power) tellStarted(ctx workflow.Context) error {
	list, err := p.nodesOf(ctx, anyNode)
	if err != nil {
		return err
	}
	return p.tell(ctx, list, p.what.Nodes)
}

func (p *power) awaitCluster(ctx workflow.Context) error {
	list, err := p.nodesOf(ctx, anyNode)
	if err != nil {
		return err
	}
	return p.await(onlyWaits(ctx), list)
}

// await waits until these nodes work, as the running control planes report.
func (p *power) await(ctx workflow.Context, list lcm.Nodes) error {
	in := kubecluster.AwaitHealthInput{ClusterInput: p.through(ctx, p.running())}
	for _, node := range list {
		in.Nodes = append(in.Nodes, node.Name)
	}
	_, err := call(onNode(ctx), act.cluster.AwaitHealth, in)
	return err
}

// running returns the control planes that run now, as far as Windlass knows: those that were not stopped before,
// corrected by what the operation has switched.
func (p *power) running() (out lcm.Nodes) {
	for _, node := range p.what.Nodes.With(lcm.ControlPlane) {
		at := slices.IndexFunc(p.change.Operated, func(v lcm.OperatedVnfc) bool { return v.ServerID == node.ServerID })
		runs := !slices.Contains(p.what.Stopped, node.ServerID)
		if at >= 0 && slices.Contains(p.switched, p.change.Operated[at].VnfcID) {
			runs = p.what.ChangeStateTo == lcm.VnfStarted
		}
		if runs {
			out = append(out, node)
		}
	}
	return out
}

// drainNodes takes the nodes that stop out of service, while the others go on.
func (p *power) drainNodes(ctx workflow.Context) error {
	list, err := p.nodesOf(ctx, anyNode)
	if err != nil {
		return err
	}
	stay := p.running().Without(list)
	if err := inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		in := kubecluster.DrainNodeInput{ClusterInput: p.through(ctx, stay), Leaving: node}
		in.Tracked = track(ctx, node.Name)
		_, err := call(onlyWaits(onNode(ctx)), act.cluster.DrainNode, in)
		return err
	}); err != nil {
		return err
	}
	p.cordoned = nil
	for _, v := range p.change.Operated {
		if v.Node != "" {
			p.cordoned = append(p.cordoned, v.VnfcID)
		}
	}
	return nil
}

// uncordonNodes lets Pods onto the nodes again that a stop has drained.
func (p *power) uncordonNodes(ctx workflow.Context) error {
	list, err := p.nodesOf(ctx, anyNode)
	if err != nil {
		return err
	}
	err = inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		in := kubecluster.NodeOfClusterInput{ClusterInput: p.through(ctx, p.running()), Leaving: node}
		in.Tracked = track(ctx, node.Name)
		_, err := call(onNode(ctx), act.cluster.UncordonNode, in)
		return err
	})
	if err == nil {
		p.cordoned = nil
	}
	return err
}
