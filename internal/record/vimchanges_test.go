package record

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func mixed() *operations.Operation {
	return &operations.Operation{
		Flavour: &descriptor.Flavour{
			Hybrid: true, Vdus: []descriptor.Vdu{{ID: "vm"}, {ID: "web", Containers: true}},
			Cps: []descriptor.VduCp{{ID: "vm_cp", VduID: "vm", External: true}, {ID: "web_cp", VduID: "web", External: true}},
		},
		Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{}},
	}
}

// TestFollowing_leavesServersAlone checks that a cluster replaces Pods by itself, but the record of servers and of
// their resources does not change.
func TestFollowing_leavesServersAlone(t *testing.T) {
	connections := []lcm.VimConnectionInfo{{ID: "os", VimType: "openstack"}, {ID: "k8s", VimType: "kubernetes"}}
	j := of(mixed(), connections)
	server := Vnfc{VduID: "vm", ServerID: "server", VolumeIDs: []string{"volume"}, Attached: []Attached{
		{Type: lcm.GrantStorage, ID: "volume"}, {Type: lcm.GrantLinkPort, Resource: "vm_cp", ID: "port"},
	}}
	pod := func(name string) Vnfc { return Vnfc{VduID: "web", ServerID: name} }
	j.resources(j.Instance.Instantiated, Outcome{Vnfcs: []Vnfc{server, pod("web-1")}})
	before := *j.Instance.Instantiated
	require.Equal(t, "os", before.VimConnectionID())

	after := Following(j.Operation, connections)(Outcome{Vnfcs: []Vnfc{pod("web-2"), pod("web-3")}})
	require.Len(t, after.VnfcResources, 3)
	require.Equal(t, before.VnfcResources[0], after.VnfcResources[0])
	for _, v := range after.VnfcResources[1:] {
		require.Equal(t, "k8s", v.ComputeResource.VimConnectionID)
	}
	require.Equal(t, before.Attached, after.Attached)
	require.Equal(t, before.ExtCps, after.ExtCps)
}
