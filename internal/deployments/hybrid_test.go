package deployments

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/hybrid"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// told is a definer whose definitions name the VDU that it had to define.
type told struct{}

func (told) Whole(_ context.Context, of *operations.Operation) (vim.Definition, []string, error) {
	return of.Flavour.Vdus[0].ID, []string{"secret-" + of.Flavour.Vdus[0].ID}, nil
}

func (d told) Sized(ctx context.Context, of *operations.Operation, _ vim.Sizes) (vim.Definition, []string, error) {
	return d.Whole(ctx, of)
}

func (d told) Redefined(ctx context.Context, of *operations.Operation, _ vim.Sizes) (vim.Definition, []string, error) {
	return d.Whole(ctx, of)
}

func (d told) Renewed(ctx context.Context, of *operations.Operation, _ string) (vim.Definition, []string, error) {
	return d.Whole(ctx, of)
}

func mixed() *operations.Operation {
	return &operations.Operation{
		Flavour: &descriptor.Flavour{
			Hybrid: true, Vdus: []descriptor.Vdu{{ID: "vm"}, {ID: "web", Containers: true}},
			Cps: []descriptor.VduCp{{ID: "vm_cp", VduID: "vm", External: true}, {ID: "web_cp", VduID: "web", External: true}},
		},
		Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{}},
	}
}

func TestHybridDefiner_definesThePartsThatAPlanIsAbout(t *testing.T) {
	of := mixed()
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

	redefined, _, err := h.Redefined(t.Context(), of, vim.SizesGrown)
	require.NoError(t, err)
	require.Equal(t, hybrid.Definition{"openstack": "vm", "kubernetes": "web"}, redefined, "another flavour may change both parts")

	of.OpOcc.Plan = &lcm.Plan{Links: []lcm.ExtVirtualLink{{ID: "l", ResourceID: "n", ExtCps: []lcm.ExtCp{{CpdID: "vm_cp"}}}}}
	renewed, _, err := h.Renewed(t.Context(), of, "mark")
	require.NoError(t, err)
	require.Equal(t, hybrid.Definition{"openstack": "vm"}, renewed)
}
