package kubecluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// DrainNodeInput names the leaving node and the control planes.
type DrainNodeInput struct {
	reach.ClusterInput
	Leaving lcm.Node `json:"leaving"`
	// Force deletes pods that are not evicted in time, whatever the request's drain_policy says: a rollback must not wait
	// for an operator.
	Force bool `json:"force,omitempty"`
}

// DrainNodeOutput tells how the pods went.
type DrainNodeOutput struct {
	// Absent: the cluster does not know the node.
	Absent bool `json:"absent,omitempty"`
	// Forced: the activity deleted pods that eviction did not remove in time.
	Forced bool `json:"forced,omitempty"`
	// NotReachable: the node was not Ready, so the activity did not wait for it.
	NotReachable bool `json:"notReachable,omitempty"`
	// Off is the VIM's state of a server that did not run. The activity did not wait for it, whatever Kubernetes
	// reported.
	Off string `json:"off,omitempty"`
	// Attached names the volumes that were still attached after timeouts.volume_detach.
	Attached string `json:"attached,omitempty"`
}

// Drains stores the decisions about pods on leaving nodes. Storing a decision again changes nothing.
type Drains interface {
	KeepDrain(ctx context.Context, id lcm.OpOccID, d lcm.DrainDecision) error
}

// DrainNode cordons a node and evicts its pods, as kubectl drain does: PodDisruptionBudgets count, and pods of
// DaemonSets stay. It does not wait for a node that is not Ready, or whose server the VIM reports as off; Kubernetes
// notices that only after most of a minute. Then it waits until the volumes are detached.
//
// Idempotent: a cordoned and empty node, or an unknown node, is done. Takes up to timeouts.drain and
// timeouts.volume_detach. If pods remain after timeouts.drain, drain_policy decides: the activity deletes them, or its
// error names them and the budgets that hold them. The operation's record keeps this decision. A cancel leaves the node
// cordoned.
func (c *Activities) DrainNode(ctx context.Context, in DrainNodeInput) (out DrainNodeOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "drain "+in.Leaving.Name, err) }()
	defer activities.Heartbeat(ctx)()
	who, err := staying(in.ClusterInput, in.Leaving)
	if err != nil {
		return out, err
	}
	off := c.poweredOff(ctx, in.OpOccID, in.Leaving)
	var p k8s.Params
	results, err := c.Reach.RunOnAny(ctx, who, func(cluster reach.ClusterContext, m scripts.Member) reach.Task {
		p = cluster.Params
		drain := scripts.DrainNode{
			Member: m, Leaving: in.Leaving.Name, DrainFor: p.Timeouts.Drain, DetachFor: p.Timeouts.VolumeDetach,
			Force: in.Force || p.DrainPolicy == k8s.DrainForce, Off: off,
		}
		return reach.Task{
			Script: drain, Limit: reach.Slack(p.Timeouts.Drain + p.Timeouts.VolumeDetach), Parameter: "timeouts.drain",
		}
	})
	out.Absent = results.Get("absent") == "yes"
	out.Forced = results.Get("forced") == "yes"
	out.NotReachable = results.Get("ready") == "no"
	if out.NotReachable {
		out.Off = off
	}
	out.Attached = results.Text("attached")
	held := results.Get("held") == "yes"
	if d := drainDecision(in, out, p.Timeouts, held, err); d.Action != "" && c.Drains != nil {
		if missed := c.Drains.KeepDrain(ctx, in.OpOccID, d); missed != nil && err == nil {
			return out, missed
		}
	}
	return out, err
}

// drainDecision returns the decision about the pods; its action is "" when no decision was necessary. held is set if
// pods were not evicted in time.
func drainDecision(
	in DrainNodeInput, out DrainNodeOutput, limits k8s.TimeoutParams, held bool, cause error,
) lcm.DrainDecision {
	d := lcm.DrainDecision{Node: in.Leaving.Name, Step: in.Step.Step, Phase: in.Step.Phase(), At: time.Now().UTC()}
	switch {
	case cause != nil:
		if held {
			d.Action, d.Detail = lcm.DrainFailed, activities.Classify(cause).Sentence()
		}
		return d
	case out.Off != "":
		d.Action, d.Detail = lcm.DrainNotWaited,
			fmt.Sprintf("The node's server was %s: Windlass deleted its pods, if it had any, and did not wait.",
				out.Off)
	case out.NotReachable:
		d.Action, d.Detail = lcm.DrainNotWaited,
			"The node was not Ready: Windlass deleted its pods, if it had any, and did not wait."
	case out.Forced && in.Force:
		d.Action = lcm.DrainForced
		d.Detail = fmt.Sprintf("After %d s there were still pods on the node; a rollback waits no longer, so Windlass "+
			"deleted them.", limits.Drain)
	case out.Forced:
		d.Action = lcm.DrainForced
		d.Detail = fmt.Sprintf("After %d s there were still pods on the node. Windlass deleted them, as drain_policy "+
			"or the stopType says.", limits.Drain)
	case out.Attached != "":
		d.Action = lcm.DrainWentOn
	}
	if out.Attached != "" {
		d.Detail = strings.TrimSpace(d.Detail + fmt.Sprintf(" After %d s these volumes were still attached to it: %s.",
			limits.VolumeDetach, out.Attached))
	}
	return d
}

// staying returns the control planes that do not leave: a leaving node must not do the work.
func staying(in reach.ClusterInput, leaving ...lcm.Node) (reach.ClusterInput, error) {
	in.ControlPlanes = slices.DeleteFunc(slices.Clone(in.ControlPlanes), func(n lcm.Node) bool {
		return slices.ContainsFunc(leaving, func(l lcm.Node) bool { return l.Name == n.Name })
	})
	if len(in.ControlPlanes) == 0 {
		return in, lcm.Errorf(lcm.KindInvalid, "The operation would remove all control planes and so end the cluster. "+
			"Heal the entire VNF, or terminate it.")
	}
	return in, nil
}

// NodeOfClusterInput names a node, and the control planes that do the work.
type NodeOfClusterInput struct {
	reach.ClusterInput
	Leaving lcm.Node `json:"leaving"`
}

// UncordonNodeOutput is empty: the node takes pods.
type UncordonNodeOutput struct{}

// UncordonNode allows pods on a node again. It undoes DrainNode as far as possible.
//
// Idempotent: it does nothing for an uncordoned or unknown node. Takes seconds.
func (c *Activities) UncordonNode(ctx context.Context, in NodeOfClusterInput) (out UncordonNodeOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "uncordon "+in.Leaving.Name, err) }()
	defer activities.Heartbeat(ctx)()
	_, err = c.Reach.RunOnAny(ctx, in.ClusterInput, func(cluster reach.ClusterContext, m scripts.Member) reach.Task {
		return reach.Command(
			cluster, scripts.UncordonNode{Member: m, Leaving: in.Leaving.Name, Timeout: reach.Briefly(cluster)},
		)
	})
	return out, err
}

// DeleteNodeOutput is empty: the cluster does not know the node any more.
type DeleteNodeOutput struct{}

// DeleteNode deletes the Node object of a node that has left or is lost.
//
// Idempotent: an unknown node is done. Takes seconds.
func (c *Activities) DeleteNode(ctx context.Context, in NodeOfClusterInput) (out DeleteNodeOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "delete the node "+in.Leaving.Name, err) }()
	defer activities.Heartbeat(ctx)()
	who, err := staying(in.ClusterInput, in.Leaving)
	if err != nil {
		return out, err
	}
	_, err = c.Reach.RunOnAny(ctx, who, func(cluster reach.ClusterContext, m scripts.Member) reach.Task {
		return reach.Command(
			cluster, scripts.DeleteNode{Member: m, Leaving: in.Leaving.Name, Timeout: reach.Briefly(cluster)},
		)
	})
	return out, err
}

// RemoveMemberInput names the control planes that leave, and those that stay.
type RemoveMemberInput struct {
	reach.ClusterInput
	Leaving lcm.Nodes `json:"leaving"`
}

// RemoveMemberOutput is empty: etcd does not count on the nodes any more.
type RemoveMemberOutput struct{}

// RemoveMember removes the etcd members of leaving control planes, one at a time, through a staying control plane.
// After each removal it waits until the other members are healthy. It also removes learners and members that never
// started.
//
// Idempotent: a node without a member is done. It refuses a removal that would cost the quorum, with the reason, and
// every removal without a quorum. Takes seconds, at most a quarter of timeouts.join for each wait.
func (c *Activities) RemoveMember(ctx context.Context, in RemoveMemberInput) (out RemoveMemberOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "remove members of etcd", err) }()
	defer activities.Heartbeat(ctx)()
	var leaving []scripts.LeavingMember
	for _, node := range in.Leaving.With(lcm.ControlPlane) {
		leaving = append(leaving, scripts.LeavingMember{Name: node.Name, PeerURL: peerURL(node)})
	}
	if len(leaving) == 0 {
		return out, nil
	}
	who, err := staying(in.ClusterInput, in.Leaving...)
	if err != nil {
		return out, err
	}
	_, lost, err := AskEtcd(ctx, c.Reach, who, func(cluster reach.ClusterContext, m scripts.Member) reach.Task {
		limit := max(120, cluster.Params.Timeouts.Join/4)
		return reach.Task{
			Script: scripts.RemoveMembers{Member: m, Leaving: leaving, Timeout: limit},
			Limit:  reach.Slack(limit) * time.Duration(len(leaving)), Parameter: joinTimeout,
		}
	})
	if lost != "" {
		return out, lcm.Errorf(lcm.KindExhausted, "%s", LostQuorum(lost))
	}
	return out, err
}
