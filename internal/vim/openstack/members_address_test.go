package openstack

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestAddressOf_aPortOfBothVersionsIsThatOfIPv4(t *testing.T) {
	six, four := lcm.FixedIP{Address: "fd00::5"}, lcm.FixedIP{Address: "10.0.0.5"}
	require.Equal(t, "10.0.0.5", addressOf([]lcm.FixedIP{six, four}))
	require.Equal(t, "10.0.0.5", addressOf([]lcm.FixedIP{four, six}))
	require.Equal(t, "fd00::5", addressOf([]lcm.FixedIP{six}))
	require.Empty(t, addressOf(nil))
}
