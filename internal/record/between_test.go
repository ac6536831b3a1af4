package record

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// TestInstantiated_ofAChangeOfFlavour records a hybrid VNF after a change to another flavour, with other Pods, that was
// rolled back or given up: its former flavour counts, and each VNFC is on the VIM of its kind.
func TestInstantiated_ofAChangeOfFlavour(t *testing.T) {
	flavour := func(id, pods string) *descriptor.Flavour {
		return &descriptor.Flavour{ID: id, Hybrid: true, Vdus: []descriptor.Vdu{{ID: "gateway"}, {ID: pods, Containers: true}}}
	}
	vims := []lcm.VimConnectionInfo{{ID: "os", VimType: lcm.VimOpenStack}, {ID: "k8s", VimType: lcm.VimKubernetes}}
	patched := []lcm.VimConnectionInfo{{ID: "os", VimType: lcm.VimOpenStack, Extra: map[string]any{"new": true}}, vims[1]}
	inst := lcm.VnfInstance{VimConnections: vims, Instantiated: &lcm.InstantiatedVnfInfo{FlavourID: "small"}}
	op := &operations.Operation{
		Instance: inst, Flavour: flavour("large", "api"), FormerVims: vims, OpOcc: lcm.VnfLcmOpOcc{Plan: &lcm.Plan{}},
		Before: &operations.Operation{Instance: inst, Flavour: flavour("small", "web")},
	}
	op.Instance.VimConnections = patched
	made := Outcome{DeploymentID: "d", Vnfcs: []Vnfc{
		{VduID: "gateway", ServerID: "g"}, {VduID: "web", ServerID: "w"}, {VduID: "api", ServerID: "a"},
	}}
	connections := func(of InstantiatedVnf) map[string]string {
		out := map[string]string{}
		for _, v := range of.Info.VnfcResources {
			out[v.VduID] = v.ComputeResource.VimConnectionID
		}
		return out
	}
	right := map[string]string{"gateway": "os", "web": "k8s", "api": "k8s"}

	left := made
	left.Left = true
	given := Instantiated(op, left, patched, nil)
	require.Equal(t, "small", given.Info.FlavourID)
	require.True(t, given.Info.BetweenFlavours)
	require.Equal(t, right, connections(given))
	require.ElementsMatch(t, vims, given.VimConnections, "the patch of the request is not carried out")

	back := made
	back.Restored = true
	restored := Instantiated(op, back, patched, nil)
	require.Equal(t, "small", restored.Info.FlavourID)
	require.False(t, restored.Info.BetweenFlavours)
	require.Equal(t, right, connections(restored))

	done := Instantiated(op, made, patched, nil)
	require.Equal(t, "large", done.Info.FlavourID)
	require.False(t, done.Info.BetweenFlavours)
	require.ElementsMatch(t, patched, done.VimConnections)
}
