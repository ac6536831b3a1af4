package nspawn_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/nspawn"
)

func TestFreeSubnets_areOthersThanThoseOfARunningLab(t *testing.T) {
	img, dir := nodeImage(t), stateDir(t)
	d, err := nspawn.New(nspawn.Options{StateDir: dir, Image: img})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	defer func() { require.NoError(t, d.Down(t.Context())) }()
	network, _ := labMachine(freeSubnets(t, 1)[0])
	wanted, err := nspawn.FreeSubnets(t.Context(), 1, network.CIDR)
	require.NoError(t, err)
	require.Equal(t, []netip.Prefix{network.CIDR}, wanted, "nobody has it yet")

	require.NoError(t, d.EnsureNetwork(t.Context(), network))
	free, err := nspawn.FreeSubnets(t.Context(), 2, network.CIDR)
	require.NoError(t, err)
	require.Len(t, free, 2)
	for _, other := range free {
		require.False(t, other.Overlaps(network.CIDR), other)
	}
	require.False(t, free[0].Overlaps(free[1]))

	_, err = nspawn.FreeSubnets(t.Context(), 300)
	require.ErrorContains(t, err, "End other labs, or choose subnets.")
}
