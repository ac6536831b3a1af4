package definitions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

func TestRenewed_putsVdusOnNetworks(t *testing.T) {
	o, of := instantiation(t, "../../../../vnfpkg/samples/cnf-networks", map[string]any{}, page, web)
	of.Request.ExtVirtualLinks = []lcm.ExtVirtualLink{{ID: "l", ResourceID: "nets/media", ExtCps: []lcm.ExtCp{
		{CpdID: "media", FixedIPs: []lcm.FixedIP{{Address: "10.0.0.7"}, {Dynamic: 1, IPv6: true}}, MAC: "0a:00:00:00:00:01"},
		{CpdID: "of nobody"},
	}}}
	want := []kubernetes.Attachment{{
		Vdu: "web", Cpd: "media", Path: "$.extVirtualLinks[0].resourceId", Network: "nets/media",
		Addresses: []string{"10.0.0.7"}, MAC: "0a:00:00:00:00:01",
	}}
	d, _ := whole(t, o, of)
	require.Equal(t, want, d.Attachments)

	of.Instance.Instantiated = &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{{ID: "1", VduID: "web"}}}
	renewed, _, err := o.Renewed(t.Context(), of, "mark")
	require.NoError(t, err)
	require.Equal(t, kubernetes.Definition{Replicas: map[string]int{"web": 1}, Attachments: want}, renewed)

	of.Instance.Instantiated.VnfcResources = append(of.Instance.Instantiated.VnfcResources, lcm.VnfcResourceInfo{ID: "2", VduID: "web"})
	for _, define := range []func() error{
		func() error { _, _, err := o.Renewed(t.Context(), of, "mark"); return err },
		func() error { _, _, err := o.Sized(t.Context(), of, vim.SizesPlanned); return err },
	} {
		require.ErrorContains(t, define(), "$.extVirtualLinks[0].extCps[0].cpConfig: the connection point media has "+
			"a fixed address, and the VDU web has 2 Pods: all these Pods would have it")
	}
}
