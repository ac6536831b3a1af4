package kubecluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// AwaitHealthInput names the nodes that must work. The activity asks the ControlPlanes.
type AwaitHealthInput struct {
	reach.ClusterInput
	Nodes []string `json:"nodes"`
}

// AwaitHealthOutput is empty: the nodes work.
type AwaitHealthOutput struct{}

// AwaitHealth waits until the nodes are Ready and the etcd members on control planes answer. After its control planes
// start, a cluster has no quorum for a while; AwaitHealth waits for that, too.
//
// Idempotent: it only reads. Takes up to timeouts.node_ready, counted from the scheduling of the step. Then its error
// says what does not work yet.
func (c *Activities) AwaitHealth(ctx context.Context, in AwaitHealthInput) (out AwaitHealthOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "wait until the cluster works", err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := c.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	limit := reach.Seconds(cluster.Params.Timeouts.NodeReady)
	end := activities.Begun(ctx).Add(limit)
	show, said := c.Reach.Output.Lines(ctx, in.Step), ""
	for round := 1; ; round++ {
		health, err := c.health(ctx, in.ClusterInput, round)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		why := ""
		switch {
		case err != nil && !lcm.Is(err, lcm.KindUnavailable) && !lcm.Is(err, lcm.KindBroken):
			return out, err
		case err != nil:
			why = activities.Classify(err).Sentence()
		default:
			why = health.lacks(in.Nodes)
		}
		if why == "" {
			show(fmt.Sprintf("%d nodes work.", len(in.Nodes)))
			return out, nil
		}
		if why != said {
			show("Waiting: " + why)
			said = why
		}
		if time.Now().After(end) {
			return out, lcm.Errorf(lcm.KindBroken, "The cluster does not work after %s: %s. Look at the nodes, then "+
				"retry; if they are only slow, give a larger timeouts.node_ready when you instantiate the VNF.", limit,
				strings.TrimSuffix(why, "."))
		}
		if !c.Reach.Pause(ctx) {
			return out, ctx.Err()
		}
	}
}

// lacks says which of the nodes do not work, "" when all do.
func (o ClusterHealthOutput) lacks(nodes []string) string {
	if len(o.Members) == 0 {
		if o.Reason == "" {
			return "etcd has no members"
		}
		return o.Reason
	}
	var wrong []string
	for _, name := range nodes {
		at := slices.IndexFunc(o.Nodes, func(n NodeHealth) bool { return n.Name == name })
		switch {
		case at < 0:
			wrong = append(wrong, "the cluster does not know the node "+name)
		case !o.Nodes[at].Ready:
			wrong = append(wrong, "the node "+name+" is not Ready ("+o.Nodes[at].Reason+")")
		}
		if slices.ContainsFunc(o.Members, func(m MemberHealth) bool { return m.Name == name && (!m.Healthy || !m.Started) }) {
			wrong = append(wrong, "the etcd member "+name+" does not answer")
		}
	}
	return strings.Join(wrong, "; ")
}

// health asks once. round distinguishes the queries of one activity.
func (c *Activities) health(
	ctx context.Context, in reach.ClusterInput, round int,
) (out ClusterHealthOutput, err error) {
	results, lost, err := AskEtcd(ctx, c.Reach, in, func(cluster reach.ClusterContext, m scripts.Member) reach.Task {
		j := reach.Command(cluster, scripts.ClusterHealth{Member: m, Timeout: reach.Briefly(cluster)})
		j.Round = round
		return j
	})
	if lost != "" {
		out.Reason = LostQuorum(lost)
		return out, nil
	}
	if err != nil {
		return out, err
	}
	for _, line := range results.Texts("node") {
		out.Nodes = append(out.Nodes, ParseNode(line))
	}
	for _, line := range results.Texts("member") {
		out.Members = append(out.Members, ParseMember(line))
	}
	out.Reason = out.Unwell()
	return out, nil
}
