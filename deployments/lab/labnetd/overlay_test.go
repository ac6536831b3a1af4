package main

import (
	"net/netip"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// inNamespace gives the test its own network namespace, with one interface that has the address.
func inNamespace(t *testing.T, address string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not run: a network namespace needs root")
	}
	runtime.LockOSThread() // it is never unlocked, so the thread ends with the test's goroutine
	_, err := netns.New()
	require.NoError(t, err)
	require.NoError(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "eth0"}, PeerName: "wire"}))
	eth0, err := netlink.LinkByName("eth0")
	require.NoError(t, err)
	addr, err := netlink.ParseAddr(address)
	require.NoError(t, err)
	require.NoError(t, netlink.AddrAdd(eth0, addr))
	require.NoError(t, netlink.LinkSetUp(eth0))
}

func peerOf(node, pods string) peer {
	return peer{node: netip.MustParseAddr(node), pods: netip.MustParsePrefix(pods)}
}

func TestApply_reachesPeersAndForgetsThoseThatLeft(t *testing.T) {
	inNamespace(t, "10.78.0.11/24")
	self := peerOf("10.78.0.11", "10.244.0.0/24")
	b, c := peerOf("10.78.0.12", "10.244.1.0/24"), peerOf("10.78.0.13", "10.244.2.0/24")

	for range 2 { // the second call changes nothing
		mtu, err := apply(plan{self: self, peers: []peer{b, c}})
		require.NoError(t, err)
		require.Equal(t, 1450, mtu)
		require.Equal(t, []string{"10.244.1.0/24", "10.244.2.0/24"}, routesTo(t))
		require.Equal(t, 4, neighbours(t))
	}
	// The CIDR of a removed node is used again by another node.
	d := peerOf("10.78.0.14", "10.244.2.0/24")
	_, err := apply(plan{self: self, peers: []peer{d}})
	require.NoError(t, err)
	require.Equal(t, []string{"10.244.2.0/24"}, routesTo(t))
	require.Equal(t, 2, neighbours(t))
}

func labnet(t *testing.T) netlink.Link {
	t.Helper()
	link, err := netlink.LinkByName(device)
	require.NoError(t, err)
	return link
}

func routesTo(t *testing.T) []string {
	t.Helper()
	routes, err := netlink.RouteList(labnet(t), netlink.FAMILY_V4)
	require.NoError(t, err)
	var to []string
	for _, r := range routes {
		to = append(to, r.Dst.String())
	}
	return to
}

func neighbours(t *testing.T) int {
	t.Helper()
	count := 0
	for _, family := range []int{unix.AF_INET, unix.AF_BRIDGE} {
		list, err := netlink.NeighList(labnet(t).Attrs().Index, family)
		require.NoError(t, err)
		for _, n := range list {
			if n.State&netlink.NUD_PERMANENT != 0 {
				count++
			}
		}
	}
	return count
}
