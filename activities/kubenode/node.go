// Package kubenode has the activities that find servers, and make them ready to become nodes of a cluster.
package kubenode

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// Activities makes VMs ready to become nodes of a cluster.
type Activities struct {
	Reach reach.Runner
}

// WaitForSSHOutput is empty: the node answers.
type WaitForSSHOutput struct{}

// deniedGrace is how long a node may refuse Windlass's login: sshd answers before cloud-init has created the user and
// its keys. A longer boot timeout makes it longer.
func deniedGrace(limit time.Duration) time.Duration { return min(limit, max(time.Minute, limit/5)) }

// WaitForSSH waits until Windlass can log in to the node.
//
// Idempotent: it changes nothing on the node. Takes as long as the VM boots, at most timeouts.ssh of the request,
// counted from the scheduling of the step. A cancel ends it at once.
func (n *Activities) WaitForSSH(ctx context.Context, in reach.NodeInput) (out WaitForSSHOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "wait for "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	vnf, err := n.Reach.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	limit := vnf.Access(in.Node.Role).SSH
	end := activity.GetInfo(ctx).ScheduledTime.Add(limit)
	waits := reach.Waiting{Node: in.Node, Show: n.Reach.Output.Lines(ctx, in.Step)}
	var deniedSince time.Time
	for {
		host, err := n.Reach.Hosts.Dial(ctx, in.OpOccID, in.Node)
		if err == nil {
			return out, host.Close()
		}
		now := n.Reach.Time()
		why := waits.Tell(ctx, err)
		switch {
		case ctx.Err() != nil:
			return out, ctx.Err()
		case lcm.Is(err, lcm.KindDenied):
			if deniedSince.IsZero() {
				deniedSince = now
			}
			if now.Sub(deniedSince) >= deniedGrace(limit) {
				return out, reach.Refused(err)
			}
		case !lcm.Is(err, lcm.KindUnavailable):
			return out, err
		case now.After(end):
			return out, lcm.Wrap(lcm.KindBroken, err, "%s did not answer on SSH within %s: %s. Look at the VM's console, and "+
				"check that its security groups and routes let Windlass in.", in.Node.Name, limit, why)
		default:
			deniedSince = time.Time{}
		}
		if !n.Reach.Pause(ctx) {
			return out, ctx.Err()
		}
	}
}

// ReachNodeOutput is empty: the node answers.
type ReachNodeOutput struct{}

// ReachNode logs in to a node of a cluster in use, before the operation changes any node.
//
// Idempotent: it changes nothing. Takes a second. If the node does not answer, the error is Unavailable, so that
// Temporal retries.
func (n *Activities) ReachNode(ctx context.Context, in reach.NodeInput) (out ReachNodeOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "reach "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	host, err := n.Reach.Hosts.Dial(ctx, in.OpOccID, in.Node)
	if err == nil {
		return out, host.Close()
	}
	if reach.Unreachable(ctx, err) {
		e := activities.Classify(err)
		e.Detail = strings.TrimSuffix(e.Detail, ".") +
			". The operation has changed no node yet: mend this node and retry, or roll back, heal it, and send the " +
			"request again"
		return out, e
	}
	return out, err
}

// CheckNodeOutput is empty: the node can become a member of the cluster, or is one.
type CheckNodeOutput struct{}

// The minimum for a node: kubeadm's own limits for a control plane, and disk space for the images.
const (
	minCPUs            = 2
	minMemoryMiB       = 1700
	minWorkerMemoryMiB = 700
	minDiskMiB         = 4096
	maxSkew            = time.Minute // a certificate made by one node is not yet good on another
)

// CheckNode is the preflight check of one node. Its error lists all problems.
//
// Idempotent: it only reads, and a node that is already a member passes. Takes seconds.
func (n *Activities) CheckNode(ctx context.Context, in reach.NodeInput) (out CheckNodeOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "check "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := n.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	check := scripts.CheckNode{
		Node: in.Node.Name, Address: in.Node.Address, Packages: packages(cluster.Params, in.Node.Role),
		Repository: cluster.Params.AptRepository != nil, Ports: []string{"10250"}, MinCPUs: 1,
		MinMemoryMiB: minWorkerMemoryMiB, MinDiskMiB: minDiskMiB, Ignore: cluster.Params.IgnorePreflightErrors,
	}
	if in.Node.Role == lcm.ControlPlane {
		check.MinCPUs, check.MinMemoryMiB = minCPUs, minMemoryMiB
		check.Ports = controlPlanePorts(cluster.Params)
	}
	asked := activity.GetInfo(ctx).ScheduledTime // an earlier attempt may have looked
	results, err := n.Reach.RunOn(ctx, in, reach.Command(cluster, check))
	if err != nil {
		return out, err
	}
	problems := append(results.Texts("problem"), clockProblems(results.Get("clock"), asked, n.Reach.Time())...)
	return out, notReady(in.Node, problems, results.Texts("shortage"), addressProblems(cluster.Params, in.Node))
}

// clockProblems compares the node's clock with our clock. The node read its clock at some moment between asked and
// answered; on a slow node these are minutes apart.
func clockProblems(clock string, asked, answered time.Time) []string {
	said, err := strconv.ParseInt(clock, 10, 64)
	if err != nil {
		return []string{fmt.Sprintf("its clock cannot be read: it says %q", clock)}
	}
	skew := max(asked.Unix()-said, said-answered.Unix(), 0)
	if skew <= int64(maxSkew.Seconds()) {
		return nil
	}
	return []string{fmt.Sprintf("its clock is %d s off; set up time synchronisation in the image", skew)}
}

// notReady makes one error of a node's problems, nil when there is none. More room mends shortages alone. A retry cannot
// fix the problems of the request.
func notReady(node lcm.Node, problems, shortages, ofRequest []string) error {
	kind := lcm.KindBroken
	if len(problems) == 0 {
		kind = lcm.KindExhausted
	}
	problems = append(problems, shortages...)
	if len(ofRequest) > 0 {
		e := lcm.Errorf(lcm.KindBroken, "%s cannot become a node: %s. Roll back and correct the request.", node.Name,
			strings.Join(append(problems, ofRequest...), "; "))
		e.OtherRequest = true
		return e
	}
	if len(problems) == 0 {
		return nil
	}
	return lcm.Errorf(kind, "%s cannot become a node: %s. Correct this, then retry.", node.Name,
		strings.Join(problems, "; "))
}

// controlPlanePorts are the ports of the API server, etcd, kubelet, the controller manager, the scheduler, and HAProxy.
func controlPlanePorts(p k8s.Params) []string {
	ports := []string{"6443", "2379", "2380", "10250", "10257", "10259"}
	if virtualIP(p) {
		ports = append(ports, strconv.Itoa(p.LoadBalancer.Port))
		if p.LoadBalancer.EtcdPort != 0 {
			ports = append(ports, strconv.Itoa(p.LoadBalancer.EtcdPort))
		}
	}
	return ports
}

// virtualIP reports whether the request asks for a virtual IP: then cluster_cp_name is not the name of a node's port.
func virtualIP(p k8s.Params) bool {
	return p.MasterNode.ClusterCpName != p.MasterNode.SSHCpName && p.MasterNode.ClusterCpName != p.MasterNode.NicCpName
}

// addressProblems finds a conflict that the request alone does not show: the pod networks overlap the nodes' addresses,
// or are of another family.
func addressProblems(p k8s.Params, node lcm.Node) []string {
	var problems []string
	addr, err := netip.ParseAddr(node.Address)
	if err != nil {
		return []string{"its address " + node.Address + " is no IP address"}
	}
	for name, cidr := range map[string]string{"pod_cidr": p.MasterNode.PodCIDR, "cluster_cidr": p.MasterNode.ServiceCIDR} {
		prefix, err := netip.ParsePrefix(cidr)
		switch {
		case err != nil:
		case prefix.Contains(addr):
			problems = append(problems, "its address "+node.Address+" lies in "+name+" "+cidr+"; choose another "+
				"network for "+name)
		case k8s.Family(prefix.Addr()) != k8s.Family(addr):
			problems = append(problems, "its address "+node.Address+" is "+k8s.Family(addr)+", but "+name+" "+cidr+" is "+
				k8s.Family(prefix.Addr())+"; choose networks of one family")
		}
	}
	slices.Sort(problems)
	return problems
}

// packages are the commands that a node of that role needs.
func packages(p k8s.Params, role lcm.Role) []string {
	all := []string{"containerd", "kubeadm", "kubelet", "kubectl"}
	if role == lcm.ControlPlane && virtualIP(p) {
		all = append(all, "haproxy", "keepalived")
	}
	if len(p.PrivateRegistries) > 0 {
		all = append(all, "curl") // to ask the registries
	}
	return all
}
