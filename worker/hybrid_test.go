package worker

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/hybrid"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// told is a definer that tells which VDUs it was asked to define.
type told struct{}

func (told) Whole(_ context.Context, of *operations.Operation) (vim.Definition, []string, error) {
	return of.Flavour.Vdus[0].ID, []string{"secret-" + of.Flavour.Vdus[0].ID}, nil
}

func (d told) Sized(ctx context.Context, of *operations.Operation, _ vim.Sizes) (vim.Definition, []string, error) {
	return d.Whole(ctx, of)
}

func (d told) Renewed(ctx context.Context, of *operations.Operation, _ string) (vim.Definition, []string, error) {
	return d.Whole(ctx, of)
}

func mixedJob() *job {
	return &job{&operations.Operation{
		Flavour: &vnfpkg.Flavour{
			Hybrid: true, Vdus: []vnfpkg.Vdu{{ID: "vm"}, {ID: "web", Containers: true}},
			Cps: []vnfpkg.VduCp{{ID: "vm_cp", VduID: "vm", External: true}, {ID: "web_cp", VduID: "web", External: true}},
		},
		Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{}},
	}}
}

func TestHybridDefiner_definesThePartsThatAPlanIsAbout(t *testing.T) {
	of := mixedJob().Operation
	h := hybridDefiner{{lcm.VimKindFor(false), told{}}, {lcm.VimKindFor(true), told{}}}
	whole, secret, err := h.Whole(t.Context(), of)
	require.NoError(t, err)
	require.Equal(t, hybrid.Definition{"openstack": "vm", "kubernetes": "web"}, whole)
	require.Equal(t, []string{"secret-vm", "secret-web"}, secret)
	require.Equal(t, hybrid.Definition{"kubernetes": "web"}, repackaged(whole), "servers keep what they are")
	require.Equal(t, "of one VIM", repackaged("of one VIM"))

	of.OpOcc.Plan = &lcm.Plan{Groups: []lcm.GroupChange{{VduID: "web", From: 1, To: 2}}}
	sized, _, err := h.Sized(t.Context(), of, vim.SizesGrown)
	require.NoError(t, err)
	require.Equal(t, hybrid.Definition{"kubernetes": "web"}, sized)

	of.OpOcc.Plan = &lcm.Plan{Links: []lcm.ExtVirtualLink{{ID: "l", ResourceID: "n", ExtCps: []lcm.ExtCp{{CpdID: "vm_cp"}}}}}
	renewed, _, err := h.Renewed(t.Context(), of, "mark")
	require.NoError(t, err)
	require.Equal(t, hybrid.Definition{"openstack": "vm"}, renewed)
}

// A cluster replaces Pods; servers, and what belongs to them, stay as they are recorded.
func TestFollowing_leavesServersAlone(t *testing.T) {
	j := mixedJob()
	on := j.on([]lcm.VimConnectionInfo{{ID: "os", VimType: "openstack"}, {ID: "k8s", VimType: "kubernetes"}})
	server := activities.Vnfc{VduID: "vm", ServerID: "server", VolumeIDs: []string{"volume"}, Attached: []activities.Attached{
		{Type: lcm.GrantStorage, ID: "volume"}, {Type: lcm.GrantLinkPort, Resource: "vm_cp", ID: "port"},
	}}
	pod := func(name string) activities.Vnfc { return activities.Vnfc{VduID: "web", ServerID: name} }
	j.resources(j.Instance.Instantiated, activities.Outcome{Vnfcs: []activities.Vnfc{server, pod("web-1")}}, on)
	before := *j.Instance.Instantiated
	require.Equal(t, "os", before.VimConnectionID())

	after := j.following(on)(activities.Outcome{Vnfcs: []activities.Vnfc{pod("web-2"), pod("web-3")}})
	require.Len(t, after.VnfcResources, 3)
	require.Equal(t, before.VnfcResources[0], after.VnfcResources[0])
	for _, v := range after.VnfcResources[1:] {
		require.Equal(t, "k8s", v.ComputeResource.VimConnectionID)
	}
	require.Equal(t, before.Attached, after.Attached)
	require.Equal(t, before.ExtCps, after.ExtCps)
}

func TestGrantedVims_areOneOfEachKind(t *testing.T) {
	j := mixedJob()
	j.Instance.Instantiated, j.OpOcc.Operation = nil, lcm.OpInstantiate
	j.Request.VimConnections = []lcm.VimConnectionInfo{
		{ID: "os", VimID: "1", VimType: "openstack"}, {ID: "k8s", VimID: "2", VimType: "kubernetes"},
	}
	add := func(vdu, on string) lcm.GrantResource {
		return lcm.GrantResource{Type: lcm.GrantCompute, VduID: vdu, VimConnectionID: on}
	}
	given, err := (&resolver{}).grantedVims(t.Context(), j,
		lcm.Grant{AddResources: []lcm.GrantResource{add("web", "k8s"), add("vm", "os"), add("vm", "")}})
	require.NoError(t, err)
	require.Equal(t, j.Request.VimConnections, given)

	_, err = (&resolver{}).grantedVims(t.Context(), j,
		lcm.Grant{AddResources: []lcm.GrantResource{add("vm", "os"), add("vm", "another")}})
	require.ErrorContains(t, err, "cannot be on several VIMs")
}
