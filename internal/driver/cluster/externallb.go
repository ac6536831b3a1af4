package cluster

import (
	"context"
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// balancerVdus are the VDUs of a cluster's external load balancer, as the VNFD has them; none for a cluster without one.
func (c *Cluster) balancerVdus(f lifecycle.Facts) []string {
	lb := c.Params.ExternalLB
	if lb == nil {
		return nil
	}
	return f.Flavour.VdusOf("", lb.NicCpName, lb.SSHCpName)
}

// external tells whether the cluster has a load balancer that is none of its nodes.
func (l Listing) external() bool { return l.Cluster.Params.ExternalLB != nil }

// ReplacesBalancer tells whether a heal replaces the external load balancer.
func (l Listing) ReplacesBalancer() bool {
	vdus := l.Cluster.balancerVdus(l.Facts)
	return slices.ContainsFunc(l.Plan.Leaving, func(v lcm.LeavingVnfc) bool { return slices.Contains(vdus, v.VduID) })
}

// BalancerMade makes a server the external load balancer. What the steps make is on the server, and goes with it.
func (l Listing) BalancerMade() []lifecycle.Step {
	if !l.external() {
		return nil
	}
	return []lifecycle.Step{
		{ID: "wait-for-balancer", Title: "Wait until the external load balancer answers on SSH"},
		{ID: "set-up-balancer", Title: "Set up the external load balancer"},
	}
}

// RoutedToNew sends traffic to nodes that have come.
func (l Listing) RoutedToNew() []lifecycle.Step {
	return lifecycle.When(l.external(), lifecycle.Step{
		ID: "route-to-new", Title: "Send traffic to the new nodes, too", Undo: "traffic goes to the former nodes only",
	})
}

// RoutedPastLeaving is before nodes that leave are drained: no request reaches a node whose Pods go.
func (l Listing) RoutedPastLeaving() []lifecycle.Step {
	return lifecycle.When(l.external(), lifecycle.Step{
		ID: "route-past-leaving", Title: "Send no traffic to the nodes that leave", Undo: "traffic goes to them again",
	})
}

// CheckExternalLB checks what the request says of an external load balancer against the package.
func (r Request) CheckExternalLB(ctx context.Context) {
	lb := r.Params.ExternalLB
	if lb == nil {
		return
	}
	const at = Param + "external_lb_param."
	if vdus := r.Flavour.VdusOf("", lb.NicCpName, lb.SSHCpName); len(vdus) > 0 && r.Capacity[vdus[0]] != 1 {
		r.Found.Mistake(lcm.Problem{
			Path:   Param + "external_lb_param",
			Detail: fmt.Sprintf("the VNF has %d servers of %s at this flavour and level; one is needed", r.Capacity[vdus[0]], vdus[0]),
		})
	}
	if lb.ScriptPath != "" {
		if _, there := r.Package.Artifact(lb.ScriptPath); !there {
			r.Found.Names(at+"script_path", "the VNF package has no file %q", lb.ScriptPath)
		}
	}
	resources, ok := r.Resources(ctx)
	if !ok {
		return
	}
	const port, address = vnfpkg.PortType, vnfpkg.FloatingIPType
	resources.Want(r.Found, at+"ssh_cp_name", lb.SSHCpName, "a port or a floating IP", port, address)
	if lb.NicCpName != lb.SSHCpName {
		resources.Want(r.Found, at+"nic_cp_name", lb.NicCpName, "a port", port, address)
	}
}
