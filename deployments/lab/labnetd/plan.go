package main

import (
	"net"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
)

// plan is what one node must have: its own address and pod CIDR, and every other node's.
type plan struct {
	self  peer
	peers []peer
}

// peer is a node of the pod network.
type peer struct {
	node netip.Addr
	pods netip.Prefix
}

// tunnel is the node's address inside the overlay: the first of its pod CIDR, which no pod gets.
func (p peer) tunnel() netip.Addr { return p.pods.Addr() }

// mac follows from the node's address, so that nodes need not tell each other.
func (p peer) mac() net.HardwareAddr {
	return append(net.HardwareAddr{0x02, 0x78}, p.node.AsSlice()...)
}

func (p plan) ready() bool { return p.self.node.IsValid() }

// planFor leaves out nodes that have no pod CIDR or no address yet: they come with a later round.
func planFor(self string, nodes []corev1.Node) plan {
	var p plan
	for _, n := range nodes {
		pods, err := netip.ParsePrefix(n.Spec.PodCIDR)
		node := internalIP(n)
		switch {
		case err != nil || !node.Is4():
		case n.Name == self:
			p.self = peer{node: node, pods: pods.Masked()}
		default:
			p.peers = append(p.peers, peer{node: node, pods: pods.Masked()})
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
