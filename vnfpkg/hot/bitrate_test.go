package hot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestHeatParameters_haveTheBitratesThatTemplatesTake(t *testing.T) {
	f := vnfpkgtest.Rated(t)
	kbps := func(f vnfpkgtest.Files, req hot.Request) any {
		_, params, err := f.Stack(t, "small", req)
		require.NoError(t, err)
		return params["nfv"].(map[string]any)["VL"].(map[string]any)["inner"]
	}
	network := vnfpkgtest.Links("net", "node_CP")
	require.Equal(t, map[string]any{"kbps": int64(1000)}, kbps(f, hot.Request{ExtVirtualLinks: network}))
	require.Equal(t, map[string]any{"kbps": int64(9000)}, kbps(f, hot.Request{LevelID: "high", ExtVirtualLinks: network}))
	scaled := hot.Request{
		Capacity: map[string]int{"node": 2}, Bitrates: map[string]descriptor.Bitrate{"inner": {Root: 1_001_001}},
		ExtVirtualLinks: network,
	}
	require.Equal(t, map[string]any{"kbps": int64(1002)}, kbps(f, scaled), "rounded up")
	whole := f.ReplaceHOT(t, "[ nfv, VL, inner, kbps ]", "[ nfv, VL, inner ]")
	require.Equal(t, map[string]any{
		"bitrate": int64(1_001_001), "kbps": int64(1002), "leaf_bitrate": int64(0), "leaf_kbps": int64(0),
	}, kbps(whole, scaled))

	made, err := hot.StackTemplate(&f.Open(t).Vnfd.Flavours[0], f.Read)
	require.NoError(t, err)
	params, err := hot.MadeParameters(&f.Open(t).Vnfd.Flavours[0], made, scaled, map[string]any{"nfv": map[string]any{}})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"inner": map[string]any{"kbps": int64(1002)}}, params["nfv"].(map[string]any)["VL"],
		"whatever a user data class makes")

	unknown := f.ReplaceHOT(t, "[ nfv, VL, inner, kbps ]", "[ nfv, VL, inner, bandwidth ]")
	_, _, err = unknown.Stack(t, "small", hot.Request{ExtVirtualLinks: network})
	require.Contains(t, vnfpkgtest.Problems(t, err)[0], "needs nfv.VL.inner.bandwidth")
}
