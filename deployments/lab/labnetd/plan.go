package main

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"
)

// plan is what one node must have: its own pod CIDR and a route to every other one.
type plan struct {
	podCIDR string
	routes  []route
}

type route struct {
	to  netip.Prefix
	via netip.Addr
}

// planFor leaves out nodes that have no pod CIDR or no address yet: they come with a later round.
func planFor(self string, nodes []corev1.Node) plan {
	var p plan
	for _, n := range nodes {
		if n.Name == self {
			p.podCIDR = n.Spec.PodCIDR
			continue
		}
		to, err := netip.ParsePrefix(n.Spec.PodCIDR)
		if err != nil {
			continue
		}
		if via := internalIP(n); via.IsValid() {
			p.routes = append(p.routes, route{to: to, via: via})
		}
	}
	return p
}

func internalIP(n corev1.Node) netip.Addr {
	for _, a := range n.Status.Addresses {
		if a.Type != corev1.NodeInternalIP {
			continue
		}
		if ip, err := netip.ParseAddr(a.Address); err == nil {
			return ip
		}
	}
	return netip.Addr{}
}
