package machinetest

import (
	"context"
	"net/netip"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
)

// ipv6 runs machines that have no address of IPv4, on two networks with the router between them.
func (h *harness) ipv6(t *testing.T) {
	ctx := t.Context()
	host := func(network, host byte) netip.Addr { // the suite's own network tells other suites' apart
		four := h.network.CIDR.Addr().As4()
		return netip.AddrFrom16([16]byte{0: 0xfd, 1: 0x79, 2: four[1], 3: four[2], 7: network, 15: host})
	}
	var nets []machine.Network
	for i := range byte(2) {
		n := machine.Network{
			ID: "six-" + uuid.NewString(), CIDR6: netip.PrefixFrom(host(i, 0), 64), Gateway6: host(i, 1),
		}
		require.NoError(t, h.hypervisor.EnsureNetwork(ctx, n))
		require.NoError(t, h.hypervisor.EnsureNetwork(ctx, n), "the second time changes nothing")
		t.Cleanup(func() { require.NoError(t, h.hypervisor.DeleteNetwork(context.WithoutCancel(t.Context()), n.ID)) })
		nets = append(nets, n)
	}
	require.Error(t, h.hypervisor.EnsureNetwork(ctx, machine.Network{
		ID: "six-" + uuid.NewString(), CIDR6: nets[0].CIDR6, Gateway6: host(0, 9),
	}), "the router cannot lead to both")
	six, other := h.machine("six"), h.machine("other")
	for i, m := range []*machine.Machine{&six, &other} {
		p := &m.Ports[0]
		p.NetworkID, p.FixedIPs, p.PrefixLen, p.Gateway = nets[i].ID, nil, 0, ""
		p.IPv6, p.Gateway6 = []string{host(byte(i), 5).String() + "/64"}, nets[i].Gateway6.String()
		h.create(t, *m)
	}
	at, peer := host(0, 5).String(), host(1, 5).String()
	check := func() {
		from := shell{t: t, client: h.login(t, at)}
		require.Equal(t, "six", from.must("hostname"))
		require.Contains(t, from.must("getent hosts six"), at)
		require.Contains(t, from.must("cat /etc/resolv.conf"), nets[0].Gateway6.String())
		h.login(t, peer)
		from.must("timeout 3 bash -c '</dev/tcp/" + peer + "/22'")
	}
	check()
	require.NoError(t, h.hypervisor.Reboot(ctx, six.ID, true))
	check()

	// An address that the port may not have gets no answer.
	from := shell{t: t, client: h.login(t, at)}
	wrong := host(0, 77).String()
	from.must("sudo ip addr add " + wrong + "/64 dev eth0 nodad")
	from.fails("ping -c1 -W1 -I "+wrong+" "+nets[0].Gateway6.String(), "the port has not this address")
	six.Ports[0].AllowedAddresses = []string{wrong}
	require.NoError(t, h.hypervisor.UpdatePort(ctx, six.ID, six.Ports[0]))
	from.must("ping -c1 -W3 -I " + wrong + " " + nets[0].Gateway6.String())
}
