package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// balancerVdus are the VDUs of a cluster's external load balancers in the VNFD; none for a cluster without them.
func (c *Common) balancerVdus(f lifecycle.Facts) []string {
	lb := c.Params.ExternalLB
	if lb == nil || lb.Octavia != nil {
		return nil
	}
	return lb.Members().Vdus(f.Flavour)
}

// external tells whether a load balancer that is no node stands before the cluster.
func (l Listing) external() bool { return l.Cluster.Params.ExternalLB != nil }

// byCloud tells whether this load balancer is the cloud's.
func (l Listing) byCloud() bool { return l.external() && l.Cluster.Params.ExternalLB.Octavia != nil }

// ReplacesBalancer tells whether a heal replaces external load balancers.
func (l Listing) ReplacesBalancer() bool {
	vdus := l.Cluster.balancerVdus(l.Facts)
	return slices.ContainsFunc(l.Plan.Leaving, func(v lcm.LeavingVnfc) bool { return slices.Contains(vdus, v.VduID) })
}

// OnlyBalancers tells whether a scaling changes external load balancers, and no nodes.
func (l Listing) OnlyBalancers() bool {
	vdus := l.Cluster.balancerVdus(l.Facts)
	return len(l.Plan.Groups) > 0 &&
		!slices.ContainsFunc(l.Plan.Groups, func(g lcm.GroupChange) bool { return !slices.Contains(vdus, g.VduID) })
}

// scalesBalancers tells whether a scaling adds external load balancers (or removes them).
func (l Listing) scalesBalancers(come bool) bool {
	vdus := l.Cluster.balancerVdus(l.Facts)
	return slices.ContainsFunc(l.Plan.Groups, func(g lcm.GroupChange) bool {
		return slices.Contains(vdus, g.VduID) && g.From != g.To && g.To > g.From == come
	})
}

// BalancerMade lists the steps that make the external load balancer, on a server or in the cloud. The changes on a
// server need no undo: they go with it.
func (l Listing) BalancerMade() []lifecycle.Step {
	switch {
	case !l.external():
		return nil
	case l.byCloud():
		return []lifecycle.Step{{
			ID: StepCreateBalancer, Title: "Have the cloud balance before the cluster", Undo: "the cloud's load balancer is removed",
		}}
	}
	return []lifecycle.Step{
		{ID: StepWaitForBalancer, Title: "Wait until the external load balancer answers on SSH"},
		{ID: StepSetUpBalancer, Title: "Set up the external load balancer"},
	}
}

// BalancersCome lists the steps for new load balancers at the end of a scaling.
func (l Listing) BalancersCome() []lifecycle.Step {
	if !l.scalesBalancers(true) {
		return nil
	}
	return []lifecycle.Step{
		{ID: StepWaitForBalancer, Title: "Wait until the new load balancers answer on SSH"},
		{ID: StepSetUpNewBalancers, Title: "Set up the new load balancers", Undo: "the former ones share the virtual IP alone"},
	}
}

// BalancersLeave runs before load balancers go: another one takes the virtual IP while they still work.
func (l Listing) BalancersLeave() []lifecycle.Step {
	leave := l.scalesBalancers(false) || l.Plan.Replaces() && l.ReplacesBalancer()
	return lifecycle.When(leave && l.Cluster.Params.ExternalLB.Shared(), lifecycle.Step{
		ID: StepRetireBalancers, Title: "Leave the virtual IP to the load balancers that stay", Undo: "all share it again",
	})
}

// BalancerRemoved removes the cloud's load balancer before the deployment, which has its address.
func (l Listing) BalancerRemoved() []lifecycle.Step {
	return lifecycle.When(l.byCloud(), lifecycle.Step{
		ID: StepRemoveBalancer, Title: "Remove the cloud's load balancer", Final: true,
	})
}

// RoutedToNew sends traffic to the new nodes, too.
func (l Listing) RoutedToNew() []lifecycle.Step {
	return lifecycle.When(l.external(), lifecycle.Step{
		ID: StepRouteToNew, Title: "Send traffic to the new nodes, too", Undo: "traffic goes to the former nodes only",
	})
}

// RoutedPastLeaving runs before leaving nodes are drained, so that no request reaches a node whose Pods go.
func (l Listing) RoutedPastLeaving() []lifecycle.Step {
	return lifecycle.When(l.external(), lifecycle.Step{
		ID: StepRoutePastLeaving, Title: "Send no traffic to the nodes that leave", Undo: "traffic goes to them again",
	})
}

// CheckExternalLB compares the request's external load balancer with the package.
func (r Request) CheckExternalLB(ctx context.Context) {
	lb := r.Params.ExternalLB
	if lb == nil {
		return
	}
	const at = Param + "external_lb_param."
	r.checkBalancers(lb)
	if lb.ScriptPath != "" {
		if _, there := r.Package.Artifact(lb.ScriptPath); !there {
			r.Found.Names(at+"script_path", "the VNF package has no file %q", lb.ScriptPath)
		}
	}
	resources, ok := r.Resources(ctx)
	if !ok {
		return
	}
	const port, address = hot.PortType, hot.FloatingIPType
	if lb.ClusterCpName != "" {
		resources.Want(r.Found, at+"cluster_cp_name", lb.ClusterCpName, "a port", port, address)
	}
	if lb.Octavia != nil || lb.AspectID != "" || lb.VduID != "" { // ports of a group are below the top template
		return
	}
	resources.Want(r.Found, at+"ssh_cp_name", lb.SSHCpName, "a port or a floating IP", port, address)
	if lb.NicCpName != lb.SSHCpName {
		resources.Want(r.Found, at+"nic_cp_name", lb.NicCpName, "a port", port, address)
	}
}

// checkBalancers requires one server, or several servers with a virtual IP that they share.
func (r Request) checkBalancers(lb *k8s.ExternalLBParams) {
	if lb.Octavia != nil {
		return
	}
	vdus := lb.Members().Vdus(r.Flavour)
	if len(vdus) == 0 {
		return
	}
	servers := 0
	for _, vdu := range vdus {
		servers += r.Capacity[vdu]
	}
	if servers == 1 || servers > 1 && lb.Shared() {
		return
	}
	need := "one is needed, or several with cluster_cp_name, which names the port of the virtual IP that they share"
	if lb.Shared() {
		need = "at least one is needed"
	}
	r.Found.Mistake(lcm.Problem{
		Path:   Param + "external_lb_param",
		Detail: fmt.Sprintf("the VNF has %d servers of %s at this flavour and level; %s", servers, strings.Join(vdus, ", "), need),
	})
}
