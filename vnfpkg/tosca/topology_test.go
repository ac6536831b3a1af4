package tosca_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestImage_isNamedByItsArtifactInLaterVersionsOfSOL001(t *testing.T) {
	f := vnfpkgtest.Minimal().ReplaceVnfd(t, "      properties:\n        sw_image_data: { name: image-1 }\n",
		"      artifacts:\n        sw_image: { type: tosca.artifacts.nfv.SwImage, file: x.img, properties: { name: image-2, "+
			"min_disk: 4 GB } }\n")

	_, params, err := f.Stack(t, "small", hot.Request{ExtVirtualLinks: vnfpkgtest.Links("net", "node_CP")})
	require.NoError(t, err)
	require.Equal(t, "image-2", params["nfv"].(map[string]any)["VDU"].(map[string]any)["node"].(map[string]any)["image"])
}
