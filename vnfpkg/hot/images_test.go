package hot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestOtherImages_areTheFormerOnes(t *testing.T) {
	m := vnfpkgtest.Minimal()
	f, other := m.Open(t).Vnfd.Flavours[0], m.ReplaceVnfd(t, "name: image-1",
		"name: image-2").Open(t).Vnfd.Flavours[0]
	require.Equal(t, map[string]string{"node": "image-1"}, hot.OtherImages(&f, &other))
	require.Empty(t, hot.OtherImages(&f, &f))
}

// TestHeatParameters_haveTheImagesThatAreKept checks that kept images are used, because with another image Heat would
// replace every server of a group.
func TestHeatParameters_haveTheImagesThatAreKept(t *testing.T) {
	f, template := vnfpkgtest.Minimal().Template(t, "small")
	image := func(granted string) any {
		req := hot.Request{
			Capacity:        map[string]int{"node": 1},
			ExtVirtualLinks: []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net", ExtCps: []lcm.ExtCp{{CpdID: "node_CP"}}}},
			KeptImages:      map[string]string{"node": "image-0"},
		}
		if granted != "" {
			req.Images = map[string]string{"node": granted}
		}
		params, err := hot.Parameters(f, template, req)
		require.NoError(t, err)
		return params["nfv"].(map[string]any)["VDU"].(map[string]any)["node"].(map[string]any)["image"]
	}
	require.Equal(t, "image-0", image(""))
	require.Equal(t, "image-7", image("image-7"), "what an NFVO has granted goes first")
}
