package nspawn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
)

func TestReplugCommands_makeOfWhatIsThereWhatShouldBe(t *testing.T) {
	port := func(id, mac, network, address, gateway string) machine.Port {
		return machine.Port{
			ID: id, MAC: mac, NetworkID: network, FixedIPs: []string{address}, PrefixLen: 24, Gateway: gateway,
		}
	}
	a := port("aaaaaaaa-1", "fa:16:3e:00:00:01", "11111111-net", "10.0.0.5", "10.0.0.1")
	b := port("bbbbbbbb-2", "FA:16:3E:00:00:02", "22222222-net", "10.0.1.5", "10.0.1.1")
	have := []device{{"eth0", "fa:16:3e:00:00:01"}}

	outside, inside := replugCommands("wl-x", have, []machine.Port{b})
	require.Equal(t, "link del eth0\n", inside.remove)
	require.Equal(t, "link add "+tapName(b.ID)+" type veth peer name eth0 address FA:16:3E:00:00:02 netns wl-x\n"+
		"link set "+tapName(b.ID)+" master "+bridgeName(b.NetworkID)+" up\n", outside)
	require.Equal(t, "addr replace 10.0.1.5/24 dev eth0\nlink set eth0 up\nroute replace default via 10.0.1.1 dev eth0\n",
		inside.add)

	outside, inside = replugCommands("wl-x", have, []machine.Port{b, a})
	require.Empty(t, inside.remove)
	require.Contains(t, outside, "peer name eth1", "the first one keeps its name")
	require.Contains(t, inside.add, "route replace default via 10.0.1.1 dev eth1\n",
		"the first port has the default route")
	require.NotContains(t, inside.add, "10.0.0.1 ")

	outside, inside = replugCommands("wl-x", []device{{"eth0", "fa:16:3e:00:00:02"}, {"eth1", "fa:16:3e:00:00:01"}},
		[]machine.Port{b, a})
	require.Empty(t, outside+inside.remove, "everything is there")

	outside, inside = replugCommands("wl-x", []device{{"eth0", "fa:16:3e:00:00:02"}, {"eth1", "fa:16:3e:00:00:01"}},
		[]machine.Port{a})
	require.Empty(t, outside)
	require.Equal(t, "link del eth0\n", inside.remove)
	require.Contains(t, inside.add, "dev eth1")
}
