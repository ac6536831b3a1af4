package k8s

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPodNetwork_isAFileAnImagesFileOrAURL checks how the operator's default is read.
func TestPodNetwork_isAFileAnImagesFileOrAURL(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"":                                    "",
		"none":                                "",
		"/etc/windlass/net.yaml":              "host",
		"net.yaml":                            "host",
		"image:/usr/share/net.yaml":           "image",
		"image:net.yaml":                      "problem",
		"https://sources.example/net.yaml":    "url",
		"oci://registry.example/charts/net:1": "url",
		"ftp://sources.example/net.yaml":      "problem",
		"https://user@sources.example/net":    "problem",
	} {
		p := PodNetwork{From: from}
		_, host := p.OnHost()
		_, image := p.InImage()
		is := map[string]bool{"host": host, "image": image, "url": p.URL()}
		if want == "problem" {
			require.NotEmpty(t, p.Problem(), from)
			continue
		}
		require.Empty(t, p.Problem(), from)
		for kind, yes := range is {
			require.Equal(t, kind == want, yes, "%q is %s", from, kind)
		}
	}
}
