package kubecluster

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// NodeHealth is a node as Kubernetes sees it.
type NodeHealth struct {
	Name        string `json:"name"`
	Ready       bool   `json:"ready"`
	Schedulable bool   `json:"schedulable"`
	// Reason is Kubernetes' reason for a node that is not Ready.
	Reason string `json:"reason,omitempty"`
}

// MemberHealth is a member of etcd.
type MemberHealth struct {
	// Name is the node's name; "" until the member has started.
	Name string `json:"name,omitempty"`
	// PeerAddress is the node's address.
	PeerAddress string `json:"peerAddress"`
	Healthy     bool   `json:"healthy"`
	// Learner is a member without a vote: its node is joining, or its join was interrupted.
	Learner bool `json:"learner,omitempty"`
	Started bool `json:"started"`
}

// ClusterHealthOutput is the health of a cluster.
type ClusterHealthOutput struct {
	Nodes   []NodeHealth   `json:"nodes,omitempty"`
	Members []MemberHealth `json:"members,omitempty"`
	// Reason says what is wrong with the cluster as a whole, "" when everything works. Without a quorum, only Reason is
	// known.
	Reason string `json:"reason,omitempty"`
}

// ClusterHealth reports the health of the nodes and of the etcd members. Any working control plane can answer.
//
// Idempotent: it only reads. Takes seconds, plus half a minute for each control plane that does not answer.
func (c *Activities) ClusterHealth(ctx context.Context, in reach.ClusterInput) (out ClusterHealthOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "look at the cluster", err) }()
	defer activities.Heartbeat(ctx)()
	return c.health(ctx, in, 0)
}

// LostQuorum is the sentence for a control plane whose etcd misses the majority.
func LostQuorum(node string) string {
	return fmt.Sprintf("etcd has no quorum, as %s reports: too few control planes work. Repair as many as a majority "+
		"needs, then retry.", node)
}

// AskEtcd is runOnAny for scripts that report the loss of the quorum. One control plane may only have lost its own
// network, so askEtcd asks all of them. If none does the work, lost names a control plane that misses the majority.
func AskEtcd(
	ctx context.Context, r reach.Runner, in reach.ClusterInput, make func(reach.ClusterContext, scripts.Member) reach.Task,
) (results scripts.Results, lost string, err error) {
	cluster, err := r.Cluster(ctx, in.OpOccID)
	if err != nil {
		return results, "", err
	}
	err = r.OnAny(ctx, in.OpOccID, in.ControlPlanes, func(host reach.Host, node lcm.Node) error {
		var err error
		if results, err = r.Run(ctx, host, in.Step, make(cluster, reach.MemberOf(cluster, node))); err != nil {
			return err
		}
		if results.Get("quorum") == "lost" {
			lost = node.Name
			return lcm.Errorf(lcm.KindUnavailable, "%s", LostQuorum(node.Name))
		}
		return nil
	})
	if err == nil || !lcm.Is(err, lcm.KindUnavailable) || ctx.Err() != nil {
		lost = ""
	}
	return results, lost, err
}

// ParseNode reads "name|Ready's status|cordoned|reason|message", the message quoted.
func ParseNode(line string) NodeHealth {
	f := reach.Fields(line, 5)
	n := NodeHealth{Name: f[0], Ready: f[1] == "True", Schedulable: f[2] != "yes"}
	if !n.Ready {
		message, err := strconv.Unquote(f[4])
		if err != nil {
			message = f[4]
		}
		n.Reason = strings.Trim(f[3]+": "+message, ": ")
	}
	return n
}

// ParseMember reads "id|name|peer|started|learner|healthy".
func ParseMember(line string) MemberHealth {
	f := reach.Fields(line, 6)
	m := MemberHealth{
		Name: f[1], PeerAddress: f[2], Started: f[3] == "yes", Learner: f[4] == "yes", Healthy: f[5] == "yes",
	}
	if peer, err := url.Parse(f[2]); err == nil && peer.Hostname() != "" {
		m.PeerAddress = peer.Hostname()
	}
	return m
}

// Unwell says what does not work.
func (o ClusterHealthOutput) Unwell() string {
	var wrong []string
	for _, n := range o.Nodes {
		if !n.Ready {
			wrong = append(wrong, "the node "+n.Name+" is not Ready ("+n.Reason+")")
		}
	}
	for _, m := range o.Members {
		name := m.Name
		if name == "" {
			name = "at " + m.PeerAddress
		}
		switch {
		case !m.Started:
			wrong = append(wrong, "the etcd member "+name+" has not started")
		case m.Learner:
			wrong = append(wrong, "the etcd member "+name+" is still a learner")
		case !m.Healthy:
			wrong = append(wrong, "the etcd member "+name+" does not answer")
		}
	}
	return strings.Join(wrong, "; ")
}

// Refusal says why the control planes of leaving cannot leave etcd together, "" when they can. RemoveMember applies the
// same rule: it removes members that do not work first, and after each removal a majority of the rest must work.
// Workflows can ask before they change anything.
func (o ClusterHealthOutput) Refusal(leaving lcm.Nodes) string {
	if len(o.Members) == 0 {
		return o.Reason
	}
	goes := func(m MemberHealth) bool {
		return slices.ContainsFunc(leaving, func(n lcm.Node) bool {
			return m.Name == n.Name || m.Name == "" &&
				m.PeerAddress == n.Address
		})
	}
	voters, working := 0, 0
	var down, up []string // of the leaving members
	for _, m := range o.Members {
		if m.Learner {
			continue
		}
		voters++
		if m.Healthy {
			working++
		}
		switch {
		case !goes(m):
		case m.Healthy:
			up = append(up, m.Name)
		default:
			down = append(down, m.Name)
		}
	}
	if working < voters/2+1 {
		return fmt.Sprintf("etcd has lost its quorum: %d of %d members work and %d must.", working, voters, voters/2+1)
	}
	for _, name := range slices.Concat(down, up) {
		voters--
		if slices.Contains(up, name) {
			working--
		}
		switch {
		case voters == 0:
			return name + " is the last member of etcd: the cluster would end with it."
		case working < voters/2+1:
			return fmt.Sprintf("etcd would lose its quorum without %s: %d of the other %d members work and %d must.", name,
				working, voters, voters/2+1)
		}
	}
	return ""
}

// Obstacle says why etcd would accept no new member after the control planes of leaving have gone, "" when it would.
// etcd refuses a new member while another member is not connected.
func (o ClusterHealthOutput) Obstacle(leaving lcm.Nodes) string {
	for _, m := range o.Members {
		goes := slices.ContainsFunc(leaving, func(n lcm.Node) bool {
			return m.Name == n.Name || m.Name == "" &&
				m.PeerAddress == n.Address
		})
		if name := cmp.Or(m.Name, m.PeerAddress); !m.Healthy && !goes {
			return fmt.Sprintf("etcd accepts no new member while its member %s does not answer: repair it, or heal it "+
				"together with the others, in one request.", name)
		}
	}
	return ""
}

// peerURL returns the peer URL of the etcd member on a node.
func peerURL(node lcm.Node) string { return "https://" + net.JoinHostPort(node.Address, "2380") }

// Unhealthy returns the nodes that do not work, in Kubernetes' order.
func (o ClusterHealthOutput) Unhealthy() []records.UnhealthyNode {
	var out []records.UnhealthyNode
	for _, n := range o.Nodes {
		sick := func(m MemberHealth) bool { return m.Name == n.Name && (!m.Healthy || m.Learner) }
		switch {
		case !n.Ready:
			out = append(out, records.UnhealthyNode{Node: n.Name, Why: "it is not Ready"})
		case slices.ContainsFunc(o.Members, sick):
			out = append(out, records.UnhealthyNode{Node: n.Name, Why: "its etcd does not answer"})
		}
	}
	return out
}

// Absent returns the nodes of a list that Kubernetes does not know: a given-up operation has left their VMs. It returns
// nothing while Kubernetes' list of nodes is unknown.
func (o ClusterHealthOutput) Absent(list lcm.Nodes) []records.UnhealthyNode {
	if len(o.Nodes) == 0 {
		return nil
	}
	var out []records.UnhealthyNode
	for _, node := range list {
		if !slices.ContainsFunc(o.Nodes, func(n NodeHealth) bool { return n.Name == node.Name }) {
			out = append(out, records.UnhealthyNode{Node: node.Name, Why: "it is no node of the cluster"})
		}
	}
	return out
}
